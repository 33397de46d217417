package widget_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

// axe finds what WCAG 2.2 AA forbids, with the library that .ci/setup installs.
func (b *tab) axe(when string) {
	b.t.Helper()
	name := filepath.Join(os.Getenv("SVC_TEST_CONFORMANCE"), "node_modules", "axe-core", "axe.min.js")
	code, err := os.ReadFile(name)
	if err != nil && os.Getenv("CI") != "" {
		b.t.Fatalf("no axe-core: run make test (%v)", err)
	}
	if err != nil {
		b.t.Skipf("no axe-core: run .ci/test, or set SVC_TEST_CONFORMANCE (%v)", err)
	}
	type violation struct {
		ID    string `json:"id"`
		Nodes []struct {
			HTML    string `json:"html"`
			Summary string `json:"failureSummary"`
		} `json:"nodes"`
	}
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](string(code)+";true")); err != nil {
		b.t.Fatal(err)
	}
	b.rest() // colours are in between before
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]violation](`(async () => {
		const r = await axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']});
		if (r.passes.length < 5) throw new Error('axe looked at nothing');
		return r.violations.concat(r.incomplete.filter(v => v.id === 'color-contrast' && v.nodes.some(n => n.any.some(a => a.data?.contrastRatio && a.data.contrastRatio < 4.5))));
	})()`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, v := range found {
		b.t.Errorf("%s: %s: %+v", when, v.ID, v.Nodes)
	}
}

func TestAccessible(t *testing.T) {
	for _, color := range []string{"#0f766e", "#facc15", "#000000", "#ffffff"} {
		t.Run(color, func(t *testing.T) {
			w := newWorld(t)
			w.desk.script = shop
			w.desk.away = true
			site := w.desk.sites[w.site]
			site.Color = color
			w.desk.sites[w.site] = site
			b := w.open()
			b.axe("closed")
			b.openPanel()
			b.say("Do you ship to Japan?")
			b.until(`!!$('.cards a') && !!$('.ask')`)
			b.say("flood")
			b.until(`$('.alert').innerText !== ''`)
			w.desk.with(func(c *conversation) {
				c.say(api.ChatOut{From: "system", Text: "Ada has joined."})
				c.say(api.ChatOut{From: "agent", Name: "Nova", Text: "`code` and\n\n```\na block\n```", Quick: []string{"Yes", "No"}})
				c.tell(api.ChatOut{T: "typing", From: "operator", Name: "Ada", On: true})
				c.tell(api.ChatOut{T: "handoff", To: "operator"})
			})
			b.until(`$('.typing').innerText === 'Ada is typing…' && !!$('.chip')`)
			b.until(`$('.log').scrollHeight - $('.log').scrollTop - $('.log').clientHeight < 2`)
			b.axe("light")
			b.shot("away-light-" + color[1:])
			b.media("prefers-color-scheme", "dark")
			b.axe("dark")
			b.shot("away-dark-" + color[1:])
			small := eval[[]string](b, `$$('button, a, input, textarea').filter(e => e.offsetParent && !e.closest('.text')).filter(e => {const r = e.getBoundingClientRect(); return r.width < 24 || r.height < 24}).map(e => e.outerHTML)`)
			if len(small) > 0 {
				t.Errorf("targets under 24 px: %q", small)
			}
		})
	}
}

func TestKeyboardOnly(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	b := w.open()
	for i := 0; !eval[bool](b, `root.activeElement === $('.launcher')`); i++ {
		if i > 20 {
			t.Fatal("Tab does not reach the launcher")
		}
		b.press("Tab", 9)
	}
	b.press("Enter", 13)
	b.until(`root.activeElement === $('textarea')`)
	b.keys("Do you ship to Japan?")
	b.press("Enter", 13)
	b.until(`!!$('.cards a')`)
	// Every control of the panel can be reached, and on a large screen one can
	// also leave it.
	seen := map[string]bool{}
	for range 20 {
		b.press("Tab", 9)
		seen[eval[string](b, `root.activeElement ? root.activeElement.className || root.activeElement.localName : 'page'`)] = true
	}
	for _, want := range []string{"icon", "log", "a", "thumb", "textarea", "send", "launcher", "page"} {
		if !seen[want] {
			t.Errorf("Tab does not reach %s: %v", want, seen)
		}
	}
	eval[bool](b, `($('textarea').focus(), true)`)
	b.press("Escape", 27)
	b.until(`$('.panel').hidden && root.activeElement === $('.launcher')`)
}

// On a phone the chat is the screen, and keeps the focus while it is.
func TestPhone(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	b := w.open()
	b.do(chromedp.EmulateViewport(375, 667, chromedp.EmulateMobile, chromedp.EmulateTouch))
	b.visit("/widget/demo?site=" + w.site)
	b.shot("phone-closed")
	before := eval[int](b, `document.documentElement.scrollHeight`)
	b.openPanel()
	b.say("Do you ship to Japan?")
	b.until(`!!$('.cards a')`)
	b.rest()
	b.shot("phone")
	if got := eval[[]float64](b, `(() => {const r = $('.panel').getBoundingClientRect(); return [r.x, r.y, r.width, r.height]})()`); fmt.Sprint(got) != "[0 0 375 667]" {
		t.Errorf("the panel is at %v", got)
	}
	if got := eval[string](b, `$('.panel').getAttribute('aria-modal')`); got != "true" {
		t.Errorf("aria-modal %q", got)
	}
	if after := eval[int](b, `document.documentElement.scrollHeight`); after != before || eval[int](b, `document.documentElement.scrollWidth`) > 375 {
		t.Errorf("the page's height went from %d to %d", before, after)
	}
	for range 30 {
		b.press("Tab", 9)
		if !eval[bool](b, `!!root.activeElement && $('.panel').contains(root.activeElement)`) {
			t.Fatal("the focus leaves the panel")
		}
	}
	b.axe("phone")
	b.press("Escape", 27)
	b.until(`$('.panel').hidden && root.activeElement === $('.launcher')`)
}

func TestRightToLeft(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	site := w.desk.sites[w.site]
	site.Locale = "ar-EG"
	site.Greeting = "مرحبًا! كيف يمكننا مساعدتك؟"
	w.desk.sites[w.site] = site
	b := w.open()
	b.openPanel()
	b.say("Do you ship to Japan?")
	b.until(`!!$('.cards a')`)
	b.shot("rtl")
	if got := eval[[]bool](b, `[$('.base').dir === 'rtl', $('.launcher').getBoundingClientRect().x < 100, $('.visitor').getBoundingClientRect().x < $('.agent').getBoundingClientRect().x, $('.launcher').ariaLabel === 'إغلاق المحادثة']`); fmt.Sprint(got) != "[true true true true]" {
		t.Errorf("right to left: %v", got)
	}
	b.axe("Arabic")
	b.until(`(svc('locale', 'de'), $('textarea').placeholder === 'Nachricht schreiben…')`)
}

// Under the strictest policy that still allows the widget, the browser reports
// no violation, and nothing but the daemon is asked.
func TestStrictPolicy(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	b := w.open()
	if shift := eval[float64](b, `new Promise(done => {let sum = 0; new PerformanceObserver(l => l.getEntries().forEach(e => sum += e.value)).observe({type: 'layout-shift', buffered: true}); setTimeout(() => done(sum), 100)})`); shift > 0 {
		t.Errorf("the layout shifts by %v", shift)
	}
	eval[bool](b, `(window.broken = [], document.addEventListener('securitypolicyviolation', e => broken.push(e.violatedDirective + ' ' + e.blockedURI)), true)`)
	b.openPanel()
	b.say("Do you ship to Japan?")
	b.until(`!!$('.cards a')`)
	b.say("person\nand a second line")
	b.until(`$$('.visitor').length > 1`)
	if got := eval[[]string](b, `broken`); len(got) > 0 {
		t.Errorf("violations: %q", got)
	}
	for _, address := range eval[[]string](b, `performance.getEntriesByType('resource').map(e => e.name)`) {
		if !strings.HasPrefix(address, w.url) {
			t.Errorf("asked %s", address)
		}
	}
}

// Where the site asks for consent, nothing is stored and nobody is connected
// before it is given, and both ends when it is taken back.
func TestConsent(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	site := w.desk.sites[w.site]
	site.RequireConsent = true
	w.desk.sites[w.site] = site
	b := w.open()
	b.click(".launcher")
	b.until(`!!$('.ask .main')`)
	eval[bool](b, `(svc('send', 'too early'), svc('identify', {name: 'Ada'}), svc('page'), true)`)
	b.axe("consent")
	b.shot("consent")
	if n := eval[int](b, `localStorage.length + document.cookie.length`); n != 0 || w.desk.visits != 0 {
		t.Fatalf("%d things are stored, %d visits", n, w.desk.visits)
	}
	b.click(".ask .main")
	b.until(`root.activeElement === $('textarea')`)
	b.say("hello")
	b.hasText("You said: hello")
	eval[bool](b, `(svc('consent', false), true)`)
	b.until(`!!$('.ask .main') && localStorage.length === 0`)
}

func TestAPI(t *testing.T) {
	w := newWorld(t)
	w.desk.script = shop
	w.page = func(ctx *fasthttp.RequestCtx) {
		ctx.SetContentType("text/html")
		fmt.Fprintf(ctx, `<!doctype html><title>Shop</title><script>window.svc=window.svc||function(){(svc.q=svc.q||[]).push(arguments)}
			window.heard = []; for (const e of ['ready','open','close','message','unread','handoff','error']) svc('on', e, d => heard.push(e));
			svc('on', 'track', d => heard.push('track ' + d.event)); svc('identify', {id: 'u1', name: 'Ada', email: 'ada@x.io'}); svc('open')</script>
			<script async src="/widget.js" data-site="%s"></script>`, w.site)
	}
	b := w.open()
	b.visit("/shop")
	b.until(`heard.includes('open') && heard.includes('ready')`)
	eval[bool](b, `(svc('send', 'by code'), svc('track', 'viewed', {n: 1}), true)`)
	b.hasText("You said: by code")
	b.until(`heard.includes('message') && heard.includes('track viewed')`)
	eval[bool](b, `(svc('close'), svc('hide'), true)`)
	b.until(`heard.includes('close') && host.hidden`)
	eval[bool](b, `(svc('show'), svc('toggle'), svc('page'), svc('update', {theme: 'dark', user: {name: 'Ada L.'}}), true)`)
	b.until(`!host.hidden && !$('.panel').hidden && $('.base').classList.contains('dark')`)
	w.awaitHeard(func(f api.ChatIn) bool {
		return f.T == "page" && strings.HasSuffix(f.Page.URL, "/shop") && f.Page.Title == "Shop"
	})
	w.awaitHeard(func(f api.ChatIn) bool { return f.T == "identify" && f.User.ID == "u1" && f.User.Name == "Ada L." })
	eval[bool](b, `(svc('shutdown'), true)`)
	b.until(`!host && localStorage.length === 0`)
	eval[bool](b, `(svc('boot', {site: '`+w.site+`'}), true)`)
	b.until(`!!$('.launcher')`)
}

// TestAttacksAreInert shows each attack of the corpus as a message of every side,
// as an article and as a suggestion, and looks for what could act.
func TestAttacksAreInert(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "shared", "vectors", "xss_corpus.json"))
	if os.IsNotExist(err) {
		t.Skip("no corpus of attacks beside the module")
	}
	var cases []struct{ Payload string }
	if err != nil || json.Unmarshal(data, &cases) != nil || len(cases) < 100 {
		t.Fatal(err, len(cases))
	}
	w := newWorld(t)
	b := w.open()
	eval[bool](b, `(window.fired = [], ['alert', 'confirm', 'prompt', 'print'].forEach(n => window[n] = () => fired.push(n)), true)`)
	b.openPanel()
	b.say("hi")
	b.hasText("hi")
	w.desk.with(func(c *conversation) {
		for i, attack := range cases {
			p := attack.Payload
			from := []string{"visitor", "agent", "operator", "system"}[i%4]
			c.say(api.ChatOut{From: from, Name: p, Text: p, Quick: []string{p}, Cards: []api.Citation{{Title: p, URL: p, Quote: p}}})
			c.say(api.ChatOut{From: "agent", Text: "[" + p + "](" + p + ") **" + p + "** `" + p + "`"})
		}
		c.say(api.ChatOut{From: "agent", Text: "the end"})
	})
	b.hasText("the end")
	active := eval[[]string](b, `$$('.log *').filter(e => /^(script|iframe|object|embed|form|img|style|link|base|meta|math|video|audio|template)$/i.test(e.localName)
		|| [...e.attributes].some(a => /^on|^style$|^srcdoc$/.test(a.name))
		|| e.localName === 'a' && !/^https?:$/.test(e.protocol)).map(e => e.outerHTML.slice(0, 200))`)
	if len(active) > 0 {
		t.Errorf("%d elements could act: %q", len(active), active[:min(5, len(active))])
	}
	if n := eval[int](b, `$$('.msg').length`); n < 2*len(cases) {
		t.Errorf("only %d messages are shown", n)
	}
	eval[bool](b, `($$('.log a, .log button').slice(0, 0), $$('.log *').forEach(e => ['mouseover', 'focus', 'error', 'load'].forEach(n => e.dispatchEvent(new Event(n)))), true)`)
	if fired := eval[[]string](b, `fired`); len(fired) > 0 {
		t.Errorf("fired: %q", fired)
	}
}
