package widget_test

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"edgesvc.dev/svc/sdk/api"
)

const greeting = "Hi! Ask me anything about tents, packs and stoves."

// shop answers as an agent does.
func shop(c *conversation, text string) {
	switch text {
	case "Do you ship to Japan?":
		c.answer("**Yes**, we do. It takes:\n\n- *5 to 7* days by air\n- 3 weeks by sea\n\nSee [our guide](https://shop.example/guide) or `svc help`.",
			api.Citation{ArticleID: "art_1", Title: "Shipping times", URL: "/acme/help/shipping-times", Quote: "Parcels to Japan take five to seven days by air, and three weeks by sea."})
	case "person":
		c.tell(api.ChatOut{T: "handoff", To: "operator"})
		c.say(api.ChatOut{From: "operator", Name: "Ada", Text: "Ada here. How can I help?"})
	default:
		c.answer("You said: " + text)
	}
}

func TestConversation(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	b := w.open()
	if w.desk.visits != 0 {
		t.Fatal("it connected before it was opened")
	}
	b.shot("launcher")
	b.openPanel()
	b.until(`$('.name').innerText === 'Nova'`)
	b.say("Do you ship to Japan?")
	b.until(`!!$('.cards a')`)
	answer := "Yes, we do. It takes:\n\n5 to 7 days by air\n3 weeks by sea\n\nSee our guide or svc help."
	equal(t, "the log", b.texts(), []string{greeting, "Do you ship to Japan?", answer})
	if got := eval[[]string](b, `[...$$('.text a'), ...$$('.cards a')].map(a => a.href + ' ' + a.rel + ' ' + a.target)`); len(got) != 2 ||
		got[0] != "https://shop.example/guide noopener nofollow _blank" || got[1] != w.url+"/acme/help/shipping-times noopener nofollow _blank" {
		t.Errorf("links %q", got)
	}
	b.click(".thumb")
	b.until(`$('.thumb').getAttribute('aria-pressed') === 'true'`)
	b.shot("conversation")
	b.media("prefers-color-scheme", "dark")
	b.shot("dark")

	// The page after it shows the same, and goes on by itself.
	b.media("prefers-color-scheme", "light")
	b.visit("/widget/demo?page=guides&site=" + w.site)
	b.until(`!!$('.cards a') && !$('.panel').hidden`)
	equal(t, "the next page", b.texts(), []string{greeting, "Do you ship to Japan?", answer})
	b.say("person")
	b.hasText("Ada here. How can I help?")
	b.until(`$('.banner').innerText === 'A person has taken over'`)
	b.shot("handoff")

	b.keys(kb.Escape)
	b.until(`$('.panel').hidden && root.activeElement === $('.launcher')`)
	w.desk.with(func(c *conversation) { c.say(api.ChatOut{From: "operator", Name: "Ada", Text: "Are you there?"}) })
	b.until(`$('.badge').innerText === '1' && $('.launcher').getAttribute('aria-label') === 'Open chat, 1 unread messages'`)
	b.shot("unread")
	b.keys(kb.Enter)
	b.until(`$('.badge').hidden`)
	b.hasText("Are you there?")
}

// Who waits for a person reads that, also on the next page, until one has come.
func TestWaiting(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	b := w.open()
	b.openPanel()
	b.say("hello")
	b.hasText("You said: hello")
	w.desk.with(func(c *conversation) {
		c.stand = api.ChatOut{T: "handoff", To: "operator", State: "waiting"}
		c.tell(c.stand)
	})
	b.until(`$('.banner').innerText === 'Waiting for a colleague'`)
	b.shot("waiting")
	b.visit("/widget/demo?page=guides&site=" + w.site)
	b.until(`$('.banner').innerText === 'Waiting for a colleague'`)
	b.say("person")
	b.until(`$('.banner').innerText === 'A person has taken over'`)
	w.desk.with(func(c *conversation) { c.tell(api.ChatOut{T: "handoff", To: "agent"}) })
	b.until(`$('.banner').innerText === 'The assistant answers again'`)
}

// A new conversation begins empty, and stays so on the next page.
func TestNewConversation(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	b := w.open()
	b.openPanel()
	b.say("person")
	b.hasText("Ada here. How can I help?")
	b.shot("before-new")
	b.click(`header button[aria-label="New conversation"]`)
	b.until(`$$('.msg').length === 1 && $('.banner').innerText === '' && root.activeElement === $('textarea')`)
	b.shot("new")
	w.awaitHeard(func(f api.ChatIn) bool { return f.T == "end" })
	b.say("fresh")
	b.hasText("You said: fresh")
	b.visit("/widget/demo?page=guides&site=" + w.site)
	b.hasText("You said: fresh")
	equal(t, "the next page", b.texts(), []string{greeting, "fresh", "You said: fresh"})
}

// What is sent while the daemon is away arrives once, and what was said meanwhile
// is there.
func TestReconnect(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	b := w.open()
	b.openPanel()
	b.say("one")
	b.hasText("You said: one")
	w.stop()
	b.until(`$('.status').innerText.startsWith('Connection lost')`)
	b.say("two")
	b.say("three")
	w.desk.with(func(c *conversation) {
		c.store(api.ChatOut{T: "msg", From: "operator", Name: "Ada", Text: "meanwhile"})
	})
	w.start()
	b.hasText("You said: three")
	equal(t, "stored", w.desk.texts(), []string{"one", "two", "three"})
	equal(t, "shown", b.texts(), []string{greeting, "one", "You said: one", "meanwhile", "two", "You said: two", "three", "You said: three"})

	// The same across a reload while it is away.
	w.stop()
	b.until(`$('.status').innerText.startsWith('Connection lost')`)
	b.say("four")
	w.start()
	b.visit("/widget/demo?site=" + w.site)
	b.hasText("You said: four")
	equal(t, "stored", w.desk.texts(), []string{"one", "two", "three", "four"})
}

// Where nothing lets a websocket through, the conversation goes on by events and
// POST.
func TestWithoutWebsocket(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	w.noSocks.Store(true)
	b := w.open()
	b.openPanel()
	b.say("Do you ship to Japan?")
	b.until(`!!$('.cards a') && $$('.visitor:not(.sending)').length === 1`)
	b.say("again")
	b.hasText("You said: again")
	equal(t, "stored", w.desk.texts(), []string{"Do you ship to Japan?", "again"})
	if got := b.texts(); len(got) != 5 {
		t.Errorf("shown: %q", got)
	}
}

// Where nothing lets a websocket through, a visitor whom the site proves goes on
// as that visitor: what is sent and what comes is theirs, also on the next page.
func TestIdentifyWithoutWebsocket(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	w.noSocks.Store(true)
	b := w.open()
	b.openPanel()
	b.say("as a stranger")
	b.hasText("You said: as a stranger")
	w.desk.known("ada", func(c *conversation) {
		c.store(api.ChatOut{T: "msg", From: "operator", Name: "Grace", Text: "Welcome back, Ada"})
	})
	b.do(chromedp.Evaluate[chromedp.Void](`svc('identify', {id: 'ada', token: 'a proof'})`))
	b.hasText("Welcome back, Ada")
	b.say("as Ada")
	b.hasText("You said: as Ada")
	w.desk.known("ada", func(c *conversation) {
		c.say(api.ChatOut{From: "operator", Name: "Grace", Text: "How are you?"})
	})
	b.hasText("How are you?")
	if got := b.texts(); slices.Contains(got, "as a stranger") {
		t.Errorf("Ada reads %q", got)
	}
	w.desk.known("ada", func(c *conversation) {
		if n := len(c.messages); n != 4 {
			t.Errorf("Ada's conversation has %d messages", n)
		}
	})

	// A page that says so at once opens no conversation of a stranger.
	b.do(chromedp.Evaluate[chromedp.Void](`localStorage.clear()`))
	before := w.desk.conversations()
	b.visit("/widget/demo?site=" + w.site)
	b.do(chromedp.Evaluate[chromedp.Void](`svc('identify', {id: 'ada', token: 'a proof'})`))
	b.openPanel()
	b.hasText("How are you?")
	if after := w.desk.conversations(); after != before {
		t.Errorf("%d conversations, %d before", after, before)
	}
}
