package chat_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

// TestForgedToken: what is not this site's own token opens nothing.
func TestForgedToken(t *testing.T) {
	w := newWorld(t, chat.Options{PerAddress: 100})
	v := w.arrive(chat.Arrival{})
	v.say("my secret")
	token := v.ready().Visitor
	other := w.arrive(chat.Arrival{}).ready().Visitor
	id, sum, _ := strings.Cut(token, ".")
	otherID, otherSum, _ := strings.Cut(other, ".")
	forged := map[string]chat.Arrival{
		"none":               {},
		"without a sum":      {Hello: api.ChatIn{Visitor: id}},
		"with an empty sum":  {Hello: api.ChatIn{Visitor: id + "."}},
		"with another's sum": {Hello: api.ChatIn{Visitor: id + "." + otherSum}},
		"of another's id":    {Hello: api.ChatIn{Visitor: otherID + "." + sum}},
		"with more":          {Hello: api.ChatIn{Visitor: token + "A"}},
		"with a dot more":    {Hello: api.ChatIn{Visitor: token + "."}},
		"of another team":    {Team: "team_b", Hello: api.ChatIn{Visitor: token}},
		"of another site":    {Site: api.Site{ID: "site_2"}, Hello: api.ChatIn{Visitor: token}},
		"the conversation":   {Hello: api.ChatIn{Visitor: v.conv()}},
	}
	for name, a := range forged {
		stranger := w.arrive(a)
		if r := stranger.ready(); r.Conv != "" || r.Resumed || r.Visitor == token || len(stranger.take()) != 1 {
			t.Errorf("a token %s: %+v", name, stranger.frames)
		}
	}
	if r := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: token}}).ready(); !r.Resumed {
		t.Error("its own token opens nothing")
	}
}

// TestIdentity: who the site proves is the same on every device; what a visitor
// says of itself opens nothing; a token from before the proof opens nothing
// after it.
func TestIdentity(t *testing.T) {
	w := newWorld(t, chat.Options{PerAddress: 100})
	proof := &chat.Identity{ID: "42", Email: "lin@example.com", Name: "Lin"}
	verify := func(_ context.Context, u api.ChatUser) (*chat.Identity, error) {
		if u.Token != "proof" {
			return nil, api.NewError(401, api.CodeInvalidCredentials, "no")
		}
		return proof, nil
	}
	phone := w.arrive(chat.Arrival{Verify: verify})
	phone.say("before")
	anonymous := phone.ready().Visitor
	phone.frames = nil
	if err := phone.try(api.ChatIn{T: "identify", User: &api.ChatUser{ID: "42", Token: "wrong"}}); err == nil {
		t.Fatal("a wrong proof is accepted")
	}
	tab := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: anonymous}})
	tab.ready()
	phone.receive(api.ChatIn{T: "identify", User: &api.ChatUser{ID: "42", Token: "proof"}})
	proven := phone.ready()
	if proven.Visitor == anonymous || proven.Conv == "" {
		t.Fatalf("ready %+v", proven)
	}
	if got := kinds(phone.frames); got != "ready" {
		t.Errorf("history came twice: %s", got)
	}
	if f := tab.frame("error"); !f.Fatal {
		t.Errorf("the other tab goes on as somebody else: %+v", f)
	}
	phone.say("after")
	laptop := w.arrive(chat.Arrival{Verified: proof})
	if r := laptop.ready(); r.Conv != proven.Conv || r.Visitor != proven.Visitor || !strings.Contains(kinds(laptop.frames), "msg msg") {
		t.Errorf("laptop %+v", laptop.frames)
	}
	for name, a := range map[string]chat.Arrival{
		"the old token":   {Hello: api.ChatIn{Visitor: anonymous}},
		"a claim":         {Hello: api.ChatIn{User: &api.ChatUser{ID: "42", Email: "lin@example.com"}}},
		"another person":  {Verified: &chat.Identity{ID: "43"}},
		"the team's twin": {Site: api.Site{ID: "site_2"}, Verified: proof},
		"shared computer": {Hello: api.ChatIn{Visitor: proven.Visitor}, Verified: &chat.Identity{ID: "44"}},
	} {
		if r := w.arrive(a).ready(); r.Conv != "" {
			t.Errorf("%s opens %s", name, r.Conv)
		}
	}
	if c := w.get(proven.Conv); !c.Visitor.Verified || c.Visitor.Email != "lin@example.com" {
		t.Errorf("%+v", c.Visitor)
	}
	// A claim does not overwrite what was proven.
	laptop.receive(api.ChatIn{T: "identify", User: &api.ChatUser{Email: "evil@example.com"}})
	if c := w.get(proven.Conv); c.Visitor.Email != "lin@example.com" {
		t.Errorf("%+v", c.Visitor)
	}
	locked := api.Site{ID: "site_1", Identity: "required"}
	if _, err := w.chat.Visit(t.Context(), chat.Arrival{Team: "team_a", Site: locked}); err == nil {
		t.Error("a site that requires identity lets everybody in")
	}
	if _, err := w.chat.Visit(t.Context(), chat.Arrival{Team: "team_a", Site: locked, Hello: api.ChatIn{Visitor: anonymous}}); err == nil {
		t.Error("a site that requires identity lets an unproven token in")
	}
	if r := w.arrive(chat.Arrival{Site: locked, Hello: api.ChatIn{Visitor: proven.Visitor}}).ready(); r.Conv != proven.Conv {
		t.Error("a proven visitor's token is not enough")
	}
}

// refusedWith asserts the code of a refusal.
func refusedWith(t *testing.T, err error, code api.Code) *api.Error {
	t.Helper()
	e, ok := errors.AsType[*api.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("want %s, got %v", code, err)
	}
	return e
}

// TestFlood: each limit refuses with the time to wait, and none is forgotten by
// connecting again.
func TestFlood(t *testing.T) {
	w := newWorld(t, chat.Options{PerDay: 25, Starts: 2, PerAddress: 3, PerTeam: 5})
	w.activate(nil)
	v := w.arrive(chat.Arrival{Address: "10.0.1.1"})
	for range 20 {
		v.say("spam")
	}
	err := v.try(api.ChatIn{T: "msg", CID: "more", Text: "spam"})
	if e := refusedWith(t, err, api.CodeRateLimited); e.RetryAfter < 1 || e.RetryAfter > 60 {
		t.Errorf("wait %d s", e.RetryAfter)
	}
	w.restart()
	again := w.arrive(chat.Arrival{Address: "10.0.2.1", Hello: api.ChatIn{Visitor: v.ready().Visitor}})
	refusedWith(t, again.try(api.ChatIn{T: "msg", CID: "more", Text: "spam"}), api.CodeRateLimited)
	w.Pass(61 * time.Second)
	for range 5 {
		again.say("later")
	}
	if e := refusedWith(t, again.try(api.ChatIn{T: "msg", CID: "x", Text: "spam"}), api.CodeRateLimited); e.RetryAfter < 3600 {
		t.Errorf("wait %d s for the next day", e.RetryAfter)
	}
	if n := w.get(again.ready().Conv).LastSeq; n != 25 {
		t.Errorf("%d messages stored", n)
	}
	for i := range 3 {
		fresh := w.arrive(chat.Arrival{Address: "10.0.3.1"})
		err := fresh.try(api.ChatIn{T: "msg", CID: "x", Text: "new"})
		if (err == nil) != (i < 2) {
			t.Errorf("conversation %d of the address: %v", i, err)
		}
	}
	_, err = w.chat.Visit(t.Context(), chat.Arrival{Team: "team_a", Site: shop, Address: "10.0.3.1"})
	refusedWith(t, err, api.CodeRateLimited)
	w.arrive(chat.Arrival{Address: "10.0.4.1"})
	_, err = w.chat.Visit(t.Context(), chat.Arrival{Team: "team_a", Site: shop, Address: "10.0.5.1"})
	refusedWith(t, err, api.CodeRateLimited)
	again.visit.Close()
	again.visit.Close() // twice does not count twice
	w.arrive(chat.Arrival{Address: "10.0.5.1"})
}

// TestPlacesOfOneCustomer: neither the addresses of a /64 nor the networks of a
// /48 shut the others out.
func TestPlacesOfOneCustomer(t *testing.T) {
	w := newWorld(t, chat.Options{PerAddress: 5, PerTeam: 100})
	places := func(format string) (n int) {
		for i := range 100 {
			v, err := w.chat.Visit(t.Context(), chat.Arrival{Team: "team_a", Site: shop, Address: fmt.Sprintf(format, i)})
			if err != nil {
				refusedWith(t, err, api.CodeRateLimited)
				continue
			}
			t.Cleanup(v.Close)
			n++
		}
		return n
	}
	if n := places("2001:db8:1:2::%x"); n != 5 {
		t.Errorf("one /64 has %d places", n)
	}
	if n := places("2001:db8:2:%x::1"); n != 20 {
		t.Errorf("one /48 has %d places", n)
	}
	if n := places("::ffff:192.0.2.%d"); n != 75 {
		t.Errorf("%d places are left for others", n)
	}
}

// TestFrameFlood: frames that cost nothing to send are counted too.
func TestFrameFlood(t *testing.T) {
	w := newWorld(t, chat.Options{})
	v := w.arrive(chat.Arrival{})
	var err error
	for i := 0; i < 1000 && err == nil; i++ {
		err = v.try(api.ChatIn{T: "typing", On: true})
	}
	refusedWith(t, err, api.CodeRateLimited)
}

// TestBadFrames: each is refused, and the visit goes on.
func TestBadFrames(t *testing.T) {
	w := newWorld(t, chat.Options{})
	v := w.arrive(chat.Arrival{})
	for code, frames := range map[api.Code][]api.ChatIn{
		api.CodeInvalidRequest: {
			{T: ""}, {T: "nonsense"}, {T: "hello"}, {T: "msg", Text: "no cid"}, {T: "msg", CID: strings.Repeat("x", 65), Text: "x"},
			{T: "msg", CID: "c", Text: " \n "}, {T: "msg", CID: "c", Text: "\xff"}, {T: "identify"},
		},
		api.CodePayloadTooLarge: {{T: "msg", CID: "c", Text: strings.Repeat("é", 4001)}},
	} {
		for _, f := range frames {
			refusedWith(t, v.try(f), code)
		}
	}
	if list := optest.Must[api.Page[api.Conversation]](w, "conversations.list", `{}`); len(list.Data) != 0 {
		t.Errorf("stored: %+v", list.Data)
	}
	v.receive(api.ChatIn{T: "msg", CID: "c", Text: strings.Repeat("é", 4000)})
	refusedWith(t, v.try(api.ChatIn{T: "feedback", ID: "msg_1", V: 1}), api.CodeInvalidRequest)
	refusedWith(t, v.try(api.ChatIn{T: "feedback", ID: "msg_1", V: 7}), api.CodeInvalidRequest)
	if m := w.messages(v.conv()); len(m) != 1 || len(m[0].Text) != 8000 {
		t.Errorf("a long text: %d", len(m))
	}
}

// TestMarkup: a visitor's markup is text to everybody; an agent's Markdown is
// safe.
func TestMarkup(t *testing.T) {
	w := newWorld(t, chat.Options{}).work()
	w.answers(streamed(`**Yes** <script>alert(1)</script> [x](javascript:alert(1))`))
	v := w.arrive(chat.Arrival{})
	const attack = `<img src=x onerror=alert(document.cookie)> see https://acme.example/a?b=1&c="x <b>bold</b>`
	v.say(attack)
	v.frame("done")
	list := w.messages(v.conv())
	if list[0].Text != attack || strings.Contains(list[0].HTML, "<img") || strings.Contains(list[0].HTML, "<b>") || !strings.Contains(list[0].HTML, `<a href="https://acme.example/a?b=1&amp;c=" rel="noopener nofollow">`) {
		t.Errorf("visitor's: %s", list[0].HTML)
	}
	const line = `<div>See <a href="https://acme.example/guide" onclick="steal()">our guide</a></div><script>alert(1)</script>`
	reply := optest.Must[api.Message](w, "conversations.reply", `{"id":"`+v.conv()+`","text":"**Hi**\n\n`+strings.ReplaceAll(line, `"`, `\"`)+`"}`)
	if h := reply.HTML; !strings.Contains(h, "<strong>Hi</strong>") || !strings.Contains(h, `<a href="https://acme.example/guide"`) || !strings.Contains(h, ">our guide</a>") ||
		strings.Contains(h, "onclick") || strings.Contains(h, "script") {
		t.Errorf("a member's: %s", h)
	}
	if h := list[1].HTML; !strings.Contains(h, "<strong>Yes</strong>") || strings.Contains(h, "<script") || strings.Contains(h, "javascript:") {
		t.Errorf("agent's: %s", h)
	}
}

// TestSlowVisitor: who does not read is let go, costs little, and others do not
// notice; coming back it has everything.
func TestSlowVisitor(t *testing.T) {
	w := newWorld(t, chat.Options{})
	w.activate(nil)
	slow := w.arrive(chat.Arrival{})
	slow.say("hello")
	conv, token := slow.conv(), slow.ready().Visitor
	quick := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: token}})
	const n = 100
	for i := range n {
		text := fmt.Sprintf("reply %d", i)
		optest.Must[api.Message](w, "conversations.reply", `{"id":"`+conv+`","text":"`+text+strings.Repeat("y", 3000)+`"}`)
		quick.until(text, func(f api.ChatOut) bool { return strings.HasPrefix(f.Text, text) })
	}
	slow.frames = nil
	if f := slow.take(); len(f) != 1 || f[0].T != "error" || !f[0].Fatal || f[0].RetryIn == 0 {
		t.Fatalf("%d frames wait for who does not read: %s", len(f), kinds(f))
	}
	back := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: token, Since: 1}})
	if got := len(back.take()); got != n+1 {
		t.Errorf("%d frames on coming back", got)
	}
}

// TestJoinedDeltas: text that gathers is one frame.
func TestJoinedDeltas(t *testing.T) {
	w := newWorld(t, chat.Options{}).work()
	words := make([]string, 1000)
	for i := range words {
		words[i] = fmt.Sprintf("word %d ", i)
	}
	told := make(chan struct{})
	say := streamed(words...)
	w.answers(func(ctx context.Context, q chat.Question) (api.AgentAnswer, error) {
		a, err := say(ctx, q)
		close(told)
		return a, err
	})
	v := w.arrive(chat.Arrival{})
	v.say("hello")
	<-told
	v.answered(strings.Join(words, ""))
	text := ""
	for _, f := range v.frames {
		if f.T == "delta" {
			if f.N != len(text) {
				t.Fatalf("a delta begins at %d, not at %d", f.N, len(text))
			}
			text += f.Text
		}
	}
	if text != strings.Join(words, "") {
		t.Error("text was lost")
	}
}
