package chat_test

import (
	"context"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

// streamed answers word by word.
func streamed(words ...string) func(context.Context, chat.Question) (api.AgentAnswer, error) {
	return func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
		q.OnStart()
		for _, word := range words {
			q.OnDelta(word)
		}
		return api.AgentAnswer{Text: strings.Join(words, ""), Provider: "offline", Citations: []api.Citation{{ArticleID: "art_1", Title: "Shipping", Quote: "5 days"}}}, nil
	}
}

// TestQuestion is a whole conversation with an agent: frames as the contract has
// them, nothing stored before the first message, events in the order of things.
func TestQuestion(t *testing.T) {
	w := newWorld(t, chat.Options{}).work()
	w.answers(streamed("5 ", "days."))
	v := w.arrive(chat.Arrival{Hello: api.ChatIn{Page: &api.ChatPage{URL: "https://acme.example/pricing"}}})
	ready := v.ready()
	if ready.Visitor == "" || ready.Conv != "" || ready.Agent.Name != "Nova" || !ready.Agent.Online || ready.Limits.Chars != 4000 || ready.Color != "#112233" || ready.Greet != "Hi" || ready.Resumed {
		t.Fatalf("ready %+v", ready)
	}
	if list := optest.Must[api.Page[api.Conversation]](w, "conversations.list", `{}`); len(list.Data) != 0 {
		t.Fatalf("stored before the first message: %+v", list)
	}
	ack := v.say("Do you ship to Japan?")
	done := v.answered("5 days.")
	if ack.Seq != 1 || done.Seq != 2 || done.T != "done" || len(done.Cards) != 1 || done.ID == "" {
		t.Fatalf("ack %+v, done %+v", ack, done)
	}
	if got := kinds(v.frames); got != "ready ack start delta done" {
		t.Errorf("frames %s", got)
	}
	c := w.get(v.conv())
	if c.State != api.ConversationBot || c.Unread != 1 || c.LastSeq != 2 || c.AgentID != "agt_1" || c.Visitor.PageURL != "https://acme.example/pricing" || c.LastMessage.Author != api.AuthorAgent {
		t.Errorf("conversation %+v", c)
	}
	if got := texts(w.messages(c.ID)); got != "visitor: Do you ship to Japan? | agent: 5 days." {
		t.Error(got)
	}
	if got := strings.Join(w.EventTypes(), " "); got != "conversation.started conversation.message_received conversation.message_sent" {
		t.Error(got)
	}
}

// TestResume: a visitor that comes back gets exactly what it missed, and another
// tab everything.
func TestResume(t *testing.T) {
	w := newWorld(t, chat.Options{})
	w.activate(nil)
	v := w.arrive(chat.Arrival{Address: "10.0.1.1"})
	v.say("one")
	token, conv := v.ready().Visitor, v.conv()
	v.visit.Close()
	optest.Must[api.Message](w, "conversations.note", `{"id":"`+conv+`","text":"secret"}`)
	optest.Must[api.Message](w, "conversations.reply", `{"id":"`+conv+`","text":"two"}`)
	again := w.arrive(chat.Arrival{Address: "10.0.1.1", Hello: api.ChatIn{Visitor: token, Since: 1}})
	optest.Must[api.Message](w, "conversations.reply", `{"id":"`+conv+`","text":"three"}`)
	again.until("three", func(f api.ChatOut) bool { return f.Text == "three" })
	if got := kinds(again.frames); got != "ready msg read msg" && got != "ready msg msg" {
		t.Errorf("missed %s: %+v", got, again.frames)
	}
	if f := again.frames[1]; f.Text != "two" || f.Seq != 3 || f.From != "operator" || f.Name != "Ada" {
		t.Errorf("missed %+v", f)
	}
	tab := w.arrive(chat.Arrival{Address: "10.0.1.1", Hello: api.ChatIn{Visitor: token}})
	var all []string
	for _, f := range tab.take() {
		all = append(all, f.Text)
	}
	if strings.Join(all, ",") != ",one,two,three" {
		t.Errorf("history %v", all)
	}
	// Both tabs see what one of them writes.
	again.say("four")
	if f := tab.until("four", func(f api.ChatOut) bool { return f.Text == "four" }); f.T != "msg" || f.From != "visitor" || f.Seq != 5 {
		t.Errorf("other tab %+v", f)
	}
}

// TestMeanwhile: what is written while a visitor arrives comes once.
func TestMeanwhile(t *testing.T) {
	w := newWorld(t, chat.Options{})
	w.activate(nil)
	v := w.arrive(chat.Arrival{})
	v.say("one")
	conv := v.conv()
	w.between = func() { optest.Must[api.Message](w, "conversations.reply", `{"id":"`+conv+`","text":"two"}`) }
	again := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: v.ready().Visitor, Since: 1}})
	optest.Must[api.Message](w, "conversations.reply", `{"id":"`+conv+`","text":"three"}`)
	var got []string
	for _, f := range again.take() {
		if f.T == "msg" {
			got = append(got, f.Text)
		}
	}
	if strings.Join(got, " ") != "two three" {
		t.Errorf("got %v", got)
	}
}

// TestSnapshot: who comes in the middle of an answer gets its text so far.
func TestSnapshot(t *testing.T) {
	w := newWorld(t, chat.Options{}).work()
	reached, goOn := make(chan struct{}), make(chan struct{})
	w.answers(func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
		q.OnDelta("Grüße 🙂 ")
		close(reached)
		<-goOn
		q.OnDelta("from Acme")
		return api.AgentAnswer{Text: "Grüße 🙂 from Acme"}, nil
	})
	v := w.arrive(chat.Arrival{})
	v.say("hello")
	<-reached
	late := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: v.ready().Visitor, Since: 1}})
	snapshot := late.frame("snapshot")
	close(goOn)
	late.answered("Grüße 🙂 from Acme")
	if snapshot.Text != "Grüße 🙂 " || snapshot.N != 9 {
		t.Errorf("snapshot %+v", snapshot)
	}
	if got := kinds(late.frames); got != "ready snapshot delta done" {
		t.Errorf("frames %s", got)
	}
	if d := late.frame("delta"); d.N != 9 || d.Text != "from Acme" || d.ID != snapshot.ID {
		t.Errorf("delta %+v", d)
	}
}

// TestRepeatedSend: a cid counts once, from wherever it is sent again.
func TestRepeatedSend(t *testing.T) {
	w := newWorld(t, chat.Options{})
	w.activate(nil)
	v := w.arrive(chat.Arrival{})
	first := v.say("once")
	w.restart()
	again := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: v.ready().Visitor, Since: 1}})
	again.receive(api.ChatIn{T: "msg", CID: first.CID, Text: "once"})
	if ack := again.frame("ack"); ack.ID != first.ID || ack.Seq != first.Seq {
		t.Errorf("%+v, then %+v", first, ack)
	}
	if got := texts(w.messages(again.ready().Conv)); got != "visitor: once" {
		t.Error(got)
	}
}
