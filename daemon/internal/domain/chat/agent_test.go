package chat_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

// paused is a script that stops in the middle of an answer.
type paused struct {
	reached chan struct{}
	goOn    chan struct{}
}

func pausing() *paused { return &paused{reached: make(chan struct{}, 8), goOn: make(chan struct{}, 8)} }

func (p *paused) answer(ctx context.Context, q chat.Question) (api.AgentAnswer, error) {
	q.OnDelta("half ")
	p.reached <- struct{}{}
	select {
	case <-p.goOn:
		return api.AgentAnswer{Text: "half done: " + q.Turns[len(q.Turns)-1].Text}, nil
	case <-ctx.Done():
		return api.AgentAnswer{}, ctx.Err()
	}
}

// TestPersonInterrupts: whatever a member does that takes the conversation from
// the agent ends the answer at once and for good.
func TestPersonInterrupts(t *testing.T) {
	for _, tt := range []struct{ op, members, state string }{
		{"reply", `,"text":"I am here"`, api.ConversationOpen},
		{"takeOver", "", api.ConversationOpen},
		{"setState", `,"state":"resolved"`, api.ConversationResolved},
		{"setState", `,"state":"open"`, api.ConversationOpen},
		{"delete", "", ""},
	} {
		t.Run(tt.op+tt.state, func(t *testing.T) {
			w := newWorld(t, chat.Options{}).work()
			p := pausing()
			w.answers(p.answer)
			v := w.arrive(chat.Arrival{})
			v.say("hello")
			<-p.reached
			conv := v.conv()
			optest.Must[map[string]any](w, "conversations."+tt.op, `{"id":"`+conv+`"`+tt.members+`}`)
			end := v.frame("done")
			if end.Stop != "canceled" || end.Text != "" || end.ID != v.frame("start").ID {
				t.Errorf("end %+v", end)
			}
			w.Stop()
			if tt.op == "delete" {
				if ack := v.say("anybody?"); ack.Seq != 1 || v.conv() == conv {
					t.Errorf("the deleted conversation goes on: %+v", ack)
				}
				if _, refusal := optest.Call[api.Conversation](w, ada, "conversations.get", `{"id":"`+conv+`"}`); refusal == nil || refusal.Code != api.CodeNotFound {
					t.Errorf("deleted: %+v", refusal)
				}
				return
			}
			if c := w.get(conv); c.State != tt.state {
				t.Errorf("state %s", c.State)
			}
			if got := texts(w.messages(conv)); strings.Contains(got, "half") {
				t.Errorf("a canceled answer was stored: %s", got)
			}
			if w.settled != 0 {
				t.Error("a canceled answer was counted")
			}
		})
	}
}

// TestStubbornAgent: one that writes on after it was stopped is not heard.
func TestStubbornAgent(t *testing.T) {
	w := newWorld(t, chat.Options{}).work()
	reached, goOn := make(chan struct{}), make(chan struct{})
	w.answers(func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
		q.OnDelta("I say ")
		close(reached)
		<-goOn
		q.OnRestart()
		q.OnDelta("I still say ")
		return api.AgentAnswer{Text: "I said"}, nil
	})
	v := w.arrive(chat.Arrival{})
	v.say("hello")
	<-reached
	conv := v.conv()
	optest.Must[api.Message](w, "conversations.reply", `{"id":"`+conv+`","text":"I am here"}`)
	v.until("reply", func(f api.ChatOut) bool { return f.Text == "I am here" })
	close(goOn)
	w.Stop()
	if got := kinds(v.take()); got != "ready ack start delta done handoff msg" {
		t.Errorf("frames %s", got)
	}
	if got := texts(w.messages(conv)); got != "visitor: hello | user: I am here" {
		t.Error(got)
	}
}

// TestSilentAgent: no answer and a panic are failures like others; the visitor is
// not left with a half one.
func TestSilentAgent(t *testing.T) {
	w := newWorld(t, chat.Options{Delay: func(int) time.Duration { return 0 }}).work()
	attempts := 0
	w.answers(func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
		q.OnDelta("well ")
		if attempts++; attempts == 1 {
			panic("no")
		}
		return api.AgentAnswer{Text: " "}, nil
	})
	v := w.arrive(chat.Arrival{})
	v.say("hello")
	v.answered("A person will help you.")
	w.Stop()
	if got := kinds(v.take()); got != "ready ack start delta done start delta done handoff" {
		t.Errorf("frames %s", got)
	}
}

// TestVisitorWritesOn: what comes while an answer is written is answered next,
// with the answer in between.
func TestVisitorWritesOn(t *testing.T) {
	w := newWorld(t, chat.Options{}).work()
	p := pausing()
	var last []chat.Turn
	w.answers(func(ctx context.Context, q chat.Question) (api.AgentAnswer, error) {
		last = q.Turns
		return p.answer(ctx, q)
	})
	v := w.arrive(chat.Arrival{})
	v.say("first")
	<-p.reached
	v.say("second")
	p.goOn <- struct{}{}
	v.answered("half done: first")
	<-p.reached
	p.goOn <- struct{}{}
	v.answered("half done: second")
	w.Stop()
	if got := texts(w.messages(v.conv())); got != "visitor: first | visitor: second | agent: half done: first | agent: half done: second" {
		t.Error(got)
	}
	if want := []chat.Turn{{"visitor", "first"}, {"agent", "half done: first"}, {"visitor", "second"}}; !slices.Equal(last, want) {
		t.Errorf("turns %v", last)
	}
	if w.settled != 2 {
		t.Errorf("counted %d answers", w.settled)
	}
}

// TestDebounce: messages in a row are one question.
func TestDebounce(t *testing.T) {
	w := newWorld(t, chat.Options{Debounce: time.Second})
	asked := make(chan []chat.Turn, 8)
	w.answers(func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
		asked <- q.Turns
		return api.AgentAnswer{Text: "both"}, nil
	})
	v := w.arrive(chat.Arrival{})
	v.say("one")
	v.say("two")
	w.Pass(2 * time.Second)
	w.work()
	v.answered("both")
	w.Stop()
	if len(asked) != 1 {
		t.Fatalf("%d answers", len(asked))
	}
	if turns := <-asked; len(turns) != 2 || turns[1].Text != "two" {
		t.Errorf("turns %v", turns)
	}
}

// TestHandOver: the visitor reads it, the conversation is open, the event holds
// the question.
func TestHandOver(t *testing.T) {
	w := newWorld(t, chat.Options{}).work()
	w.answers(func(context.Context, chat.Question) (api.AgentAnswer, error) {
		return api.AgentAnswer{Text: "I do not know; a person will.", HandoffReason: api.HandoffUnknown}, nil
	})
	v := w.arrive(chat.Arrival{})
	question := "Is duty included" + strings.Repeat(", and tax", 30) + "?" // longer than lists show
	v.say(question)
	v.answered("I do not know; a person will.")
	if f := v.frame("handoff"); f.To != "operator" || f.State != "waiting" {
		t.Errorf("handoff %+v", f)
	}
	c := w.get(v.conv())
	if c.State != api.ConversationOpen || c.HandoffReason != api.HandoffUnknown {
		t.Errorf("%+v", c)
	}
	list := optest.Must[api.Page[api.Event]](w, "events.list", `{"type":"conversation.handed_off"}`).Data
	if len(list) != 1 || !strings.Contains(string(list[0].Data.Object), `"text":"`+question+`"`) || !strings.Contains(string(list[0].Data.Object), `"handoffReason":"missing_knowledge"`) {
		t.Errorf("events %+v", list)
	}
}

// TestAgentGoesOnUntilTakenOver: who waits for a person is answered by the agent,
// until one takes over, and again when it is given back.
func TestAgentGoesOnUntilTakenOver(t *testing.T) {
	w := newWorld(t, chat.Options{}).work()
	waited := make(chan bool, 8)
	say := func(text, reason string) {
		w.answers(func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
			waited <- q.Waiting
			return api.AgentAnswer{Text: text, HandoffReason: reason}, nil
		})
	}
	say("A person will help.", api.HandoffRequested)
	v := w.arrive(chat.Arrival{})
	v.say("A human, please")
	v.answered("A person will help.")
	say("At nine.", "")
	v.say("When do you open?")
	v.answered("At nine.")
	say("I have told them.", api.HandoffUnknown)
	v.say("And on Mars?")
	v.answered("I have told them.")
	if first, second, third := <-waited, <-waited, <-waited; first || !second || !third {
		t.Errorf("the agent was told that the visitor waits: %v %v %v", first, second, third)
	}
	conv := v.conv()
	if c := w.get(conv); c.State != api.ConversationOpen || c.HandoffReason != api.HandoffUnknown {
		t.Errorf("%+v", c)
	}
	again := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: v.ready().Visitor}})
	if ready := again.ready(); ready.To != "operator" || ready.State != "waiting" {
		t.Errorf("ready while waiting %+v", ready)
	}
	again.visit.Close()
	if list := optest.Must[api.Page[api.Event]](w, "events.list", `{"type":"conversation.handed_off"}`).Data; len(list) != 1 {
		t.Errorf("%d events of one hand-over", len(list))
	}

	w.do("takeOver", conv, "")
	v.until("taken over", func(f api.ChatOut) bool { return f.T == "handoff" && f.State == "" })
	v.say("Hello?")
	if ready := w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: v.ready().Visitor}}).ready(); ready.To != "operator" || ready.State != "" {
		t.Errorf("ready when taken over %+v", ready)
	}
	w.Stop()
	if got := texts(w.messages(conv)); !strings.HasSuffix(got, "agent: I have told them. | visitor: Hello?") {
		t.Error(got)
	}
	w.work()
	say("Now I know.", "")
	w.do("returnToBot", conv, "")
	v.answered("Now I know.")
	v.until("handoff", func(f api.ChatOut) bool { return f.T == "handoff" && f.To == "agent" })
}

// TestPersonInterruptsTheWait: an answer that is written while a person is waited
// for ends when one comes.
func TestPersonInterruptsTheWait(t *testing.T) {
	for _, tt := range []struct{ op, members string }{
		{"reply", `,"text":"I am here"`}, {"takeOver", ""}, {"setState", `,"state":"open"`}, {"setState", `,"state":"resolved"`},
	} {
		t.Run(tt.op, func(t *testing.T) {
			w := newWorld(t, chat.Options{}).work()
			w.answers(func(context.Context, chat.Question) (api.AgentAnswer, error) {
				return api.AgentAnswer{Text: "A person will help.", HandoffReason: api.HandoffRequested}, nil
			})
			v := w.arrive(chat.Arrival{})
			v.say("A human, please")
			v.answered("A person will help.")
			p := pausing()
			w.answers(p.answer)
			v.say("hello?")
			<-p.reached
			conv := v.conv()
			optest.Must[map[string]any](w, "conversations."+tt.op, `{"id":"`+conv+`"`+tt.members+`}`)
			v.until("its end", func(f api.ChatOut) bool { return f.T == "done" && f.Stop == "canceled" })
			w.Stop()
			if got := texts(w.messages(conv)); strings.Contains(got, "half") {
				t.Errorf("a canceled answer was stored: %s", got)
			}
		})
	}
}

// TestVisitorBeginsAnew: after the visitor's end the agent answers, with nothing of
// what was before.
func TestVisitorBeginsAnew(t *testing.T) {
	w := newWorld(t, chat.Options{})
	v := w.arrive(chat.Arrival{})
	v.say("old")
	conv := v.conv()
	w.do("takeOver", conv, "")
	v.receive(api.ChatIn{T: "end"})
	if c := w.get(conv); c.State != api.ConversationResolved {
		t.Error(c.State)
	}
	var turns []chat.Turn
	w.answers(func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
		turns = q.Turns
		return api.AgentAnswer{Text: "ok"}, nil
	})
	w.work()
	v.say("new")
	v.answered("ok")
	w.Stop()
	if len(turns) != 1 || turns[0].Text != "new" {
		t.Errorf("turns %v", turns)
	}
}

// TestAgentFails: after its attempts a person is to answer, and the visitor is
// told.
func TestAgentFails(t *testing.T) {
	w := newWorld(t, chat.Options{Delay: func(int) time.Duration { return 0 }}).work()
	attempts := 0
	w.answers(func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
		attempts++
		q.OnDelta("I was about to")
		return api.AgentAnswer{}, errors.New("the model is gone")
	})
	v := w.arrive(chat.Arrival{})
	v.say("hello")
	v.answered("A person will help you.")
	v.frame("handoff")
	w.Stop()
	if attempts != 3 {
		t.Errorf("%d attempts", attempts)
	}
	if got := kinds(v.take()); !strings.HasPrefix(got, "ready ack start delta done start delta done start delta done handoff") {
		t.Errorf("frames %s", got)
	}
	if c := w.get(v.conv()); c.State != api.ConversationOpen || c.HandoffReason != api.HandoffToolFailure {
		t.Errorf("%+v", c)
	}
}

// TestNoAgentAnyMore: an agent that was switched off before it answered leaves
// the visitor to people, with a word once.
func TestNoAgentAnyMore(t *testing.T) {
	w := newWorld(t, chat.Options{})
	v := w.arrive(chat.Arrival{})
	v.say("hello")
	w.activate(nil)
	w.work()
	v.frame("handoff")
	v.say("still there?")
	w.Stop()
	conv := v.conv()
	if got := texts(w.messages(conv)); strings.Count(got, "system:") != 1 {
		t.Error(got)
	}
	if c := w.get(conv); c.State != api.ConversationOpen {
		t.Error(c.State)
	}
}

// TestCrash: the daemon dies between the agent's answer and its storing, or
// before; afterwards each question has one answer.
func TestCrash(t *testing.T) {
	w := newWorld(t, chat.Options{}).work()
	p := pausing()
	w.answers(p.answer)
	var visitors []*visitor
	for i := range 5 {
		v := w.arrive(chat.Arrival{Address: fmt.Sprintf("10.0.%d.%d", i>>8, i&255)})
		v.say(fmt.Sprintf("question %d", i))
		visitors = append(visitors, v)
	}
	for range visitors {
		<-p.reached
	}
	tokens := make([]string, len(visitors))
	for i, v := range visitors {
		tokens[i] = v.ready().Visitor
	}
	// The store goes first: what the agents wrote finds no place any more.
	w.Store.Close()
	for range visitors {
		p.goOn <- struct{}{}
	}
	w.restart()
	w.answers(streamed("answered"))
	w.work()
	for i, token := range tokens {
		v := w.arrive(chat.Arrival{Address: fmt.Sprintf("10.0.%d.%d", i>>8, i&255), Hello: api.ChatIn{Visitor: token, Since: 1}})
		v.answered("answered")
		if got, want := texts(w.messages(v.ready().Conv)), fmt.Sprintf("visitor: question %d | agent: answered", i); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestContext: the agent sees what follows the last reopening, no notes, and at
// most so much.
func TestContext(t *testing.T) {
	w := newWorld(t, chat.Options{PerMinute: 1000})
	asked := make(chan []chat.Turn, 8)
	w.answers(func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
		asked <- q.Turns
		return api.AgentAnswer{Text: "ok"}, nil
	})
	v := w.arrive(chat.Arrival{})
	v.say("old")
	conv := v.conv()
	w.do("setState", conv, `,"state":"resolved"`)
	v.say("new")
	optest.Must[api.Message](w, "conversations.note", `{"id":"`+conv+`","text":"internal"}`)
	w.work()
	v.answered("ok")
	if turns := <-asked; len(turns) != 1 || turns[0].Text != "new" {
		t.Errorf("turns %v", turns)
	}
	w.Stop()
	for range 50 {
		v.say(strings.Repeat("x", 1000))
	}
	w.work()
	turns := <-asked
	if len(turns) != 24 {
		t.Errorf("%d turns", len(turns))
	}
}

// TestOwnTurnsKeepTheirMarks: the agent sees its earlier answers with the marks of
// their citations, the visitor and the members without.
func TestOwnTurnsKeepTheirMarks(t *testing.T) {
	w := newWorld(t, chat.Options{})
	asked := make(chan []chat.Turn, 8)
	w.answers(func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
		asked <- q.Turns
		return api.AgentAnswer{Text: "Five days¹.", Stop: api.StopLimit}, nil
	})
	w.work()
	v := w.arrive(chat.Arrival{})
	v.say("How long?")
	if f := v.answered("Five days¹."); f.Stop != api.StopLimit {
		t.Errorf("the visitor is not told that it was cut: %+v", f)
	}
	v.say("Sure?")
	<-asked
	if turns := <-asked; len(turns) != 3 || turns[1].Text != "Five days[[1]]." {
		t.Errorf("turns %v", turns)
	}
	w.Stop()
	if list := w.messages(v.conv()); list[1].Text != "Five days¹." || list[1].Stop != api.StopLimit {
		t.Errorf("%+v", list[1])
	}
}

// TestTurnsBeginAlike: what the agent sees of a long conversation begins the same
// for many answers, and is bounded.
func TestTurnsBeginAlike(t *testing.T) {
	w := newWorld(t, chat.Options{PerMinute: 1000, Debounce: -1})
	asked := make(chan []chat.Turn, 8)
	w.answers(func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
		asked <- q.Turns
		return api.AgentAnswer{Text: "ok " + q.Turns[len(q.Turns)-1].Text}, nil
	})
	w.work()
	v := w.arrive(chat.Arrival{})
	begins := map[string]bool{}
	for i := range 40 {
		v.say(fmt.Sprint("message ", i))
		turns := <-asked
		begins[turns[0].Text] = true
		if last := turns[len(turns)-1].Text; len(turns) > 40 || last != fmt.Sprint("message ", i) || i > 20 && len(turns) < 30 {
			t.Fatalf("%d turns up to %q", len(turns), last)
		}
		v.until("answer", func(f api.ChatOut) bool { return f.Seq == 2*i+2 })
	}
	if len(begins) > 5 {
		t.Errorf("they begin with %d different messages", len(begins))
	}
}
