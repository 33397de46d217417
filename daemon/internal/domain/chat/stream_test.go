package chat_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

// follower reads a stream.
type follower struct {
	ids    []string
	events []api.ConversationEvent
}

var errEnough = errors.New("enough")

// follow reads until done says so.
func (w *world) follow(who op.Caller, name, body string, done func(*follower) bool) *follower {
	w.T.Helper()
	f := &follower{}
	for _, s := range w.Table.Streams {
		if s.Name != name {
			continue
		}
		ctx, cancel := context.WithCancel(context.Background())
		err := w.Table.Follow(ctx, s, who, op.Args{Body: []byte(body)}, func(id string, v any) error {
			f.ids, f.events = append(f.ids, id), append(f.events, v.(api.ConversationEvent))
			if done(f) {
				cancel()
				return errEnough
			}
			return nil
		})
		if err != nil {
			w.T.Fatalf("%s: %v", name, err)
		}
	}
	return f
}

func (f *follower) last() api.ConversationEvent { return f.events[len(f.events)-1] }

// TestInbox: the latest conversations first, then each as it changes, and from
// where one left off.
func TestInbox(t *testing.T) {
	w := newWorld(t, chat.Options{})
	w.activate(nil)
	first, second := w.arrive(chat.Arrival{Address: "10.0.1.1"}), w.arrive(chat.Arrival{Address: "10.0.2.1"})
	first.say("one")
	w.Pass(1e9)
	second.say("two")
	firstID, secondID := first.conv(), second.conv()
	f := w.follow(ada, "conversations.inbox", `{}`, func(f *follower) bool {
		if len(f.events) == 2 {
			w.Pass(1e9)
			first.say("three")
		}
		return len(f.events) == 3
	})
	var got []string
	for _, e := range f.events {
		got = append(got, e.Type+" "+e.Conversation.ID+" "+e.Conversation.LastMessage.Text)
	}
	want := []string{"conversation " + firstID + " one", "conversation " + secondID + " two", "conversation " + firstID + " three"}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("got %v", got)
	}
	if f.ids[0] != "" || f.ids[1] == "" || f.ids[2] <= f.ids[1] {
		t.Errorf("ids %q", f.ids)
	}
	w.Pass(1e9)
	optest.Must[api.Conversation](w, "conversations.tag", `{"id":"`+secondID+`","add":["x"]}`)
	back := w.follow(ada, "conversations.inbox", `{"lastEventId":"`+f.ids[2]+`"}`, func(f *follower) bool { return f.last().Conversation.ID == secondID })
	if c := back.last().Conversation; len(c.Tags) != 1 {
		t.Errorf("%+v", c)
	}
	w.follow(ada, "conversations.inbox", `{}`, func(f *follower) bool {
		if len(f.events) == 2 {
			optest.Must[api.Deleted](w, "conversations.delete", `{"id":"`+firstID+`"}`)
		}
		return f.last().Type == "deleted" && f.last().Conversation.ID == firstID
	})
}

// TestConversationStream: messages from a seq on, an answer as it is written,
// typing and presence.
func TestConversationStream(t *testing.T) {
	w := newWorld(t, chat.Options{}).work()
	p := pausing()
	w.answers(p.answer)
	v := w.arrive(chat.Arrival{})
	v.say("one")
	<-p.reached
	conv := v.conv()
	f := w.follow(ada, "conversations.conversation", `{"id":"`+conv+`"}`, func(f *follower) bool {
		switch e := f.last(); {
		case e.Type == "presence" && e.On:
			v.receive(api.ChatIn{T: "typing", On: true})
		case e.Type == "typing":
			p.goOn <- struct{}{}
		case e.Type == "message" && e.Message.Author.Type == api.AuthorAgent:
			v.visit.Close()
		case e.Type == "presence":
			return true
		}
		return false
	})
	var got []string
	for _, e := range f.events {
		if e.Type != "conversation" {
			got = append(got, e.Type)
		}
	}
	if s := strings.Join(got, " "); s != "message start delta presence typing message presence" {
		t.Error(s)
	}
	if f.events[0].Type != "conversation" || f.events[1].Message.HTML != "<p>one</p>" {
		t.Errorf("%+v", f.events)
	}
	// A seq that there is not yet hides nothing that comes.
	token := v.ready().Visitor
	w.follow(ada, "conversations.conversation", `{"id":"`+conv+`","since":99}`, func(f *follower) bool {
		if f.last().Type == "presence" && !f.last().On {
			w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: token}}).say("two")
		}
		return f.last().Type == "message" && f.last().Message.Text == "two"
	})
	back := w.follow(ada, "conversations.conversation", `{"id":"`+conv+`","lastEventId":"1"}`, func(f *follower) bool { return f.last().Type == "message" })
	if m := back.last().Message; m.Seq != 2 || back.ids[len(back.ids)-1] != "2" {
		t.Errorf("%+v", m)
	}
}

// TestSlowMember: a member who does not read is let go with a reason.
func TestSlowMember(t *testing.T) {
	w := newWorld(t, chat.Options{})
	w.activate(nil)
	v := w.arrive(chat.Arrival{})
	v.say("hello")
	conv := v.conv()
	var refusal error
	for _, s := range w.Table.Streams {
		if s.Name == "conversations.conversation" {
			refusal = w.Table.Follow(t.Context(), s, ada, op.Args{Body: []byte(`{"id":"` + conv + `"}`)}, func(string, any) error {
				for i := range 100 { // while this reader holds its first event
					optest.Must[api.Message](w.As(grace), "conversations.note", fmt.Sprintf(`{"id":%q,"text":"%d"}`, conv, i))
				}
				return nil
			})
		}
	}
	refusedWith(t, refusal, api.CodeOverloaded)
}

// TestComeAndGo: a visitor whose connection breaks again and again while a member
// writes gets every message once, in order.
func TestComeAndGo(t *testing.T) {
	const n = 200
	w := newWorld(t, chat.Options{})
	w.activate(nil)
	v := w.arrive(chat.Arrival{})
	since := v.say("hello").Seq
	token, conv := v.ready().Visitor, v.conv()
	var wg conc.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		for range n {
			optest.Must[api.Message](w, "conversations.reply", `{"id":"`+conv+`","text":"x"}`)
		}
	})
	for since < n+1 {
		visit, err := w.chat.Visit(t.Context(), chat.Arrival{Team: "team_a", Site: shop, Hello: api.ChatIn{Visitor: token, Since: since}})
		if err != nil {
			t.Fatal(err)
		}
		woken := woken(visit)
		for range 3 {
			<-woken
			frames := visit.Take()
			for _, f := range frames {
				if f.T != "msg" {
					continue
				}
				if f.Seq != since+1 {
					t.Fatalf("seq %d where %d is next", f.Seq, since+1)
				}
				since = f.Seq
			}
			if since == n+1 {
				break
			}
		}
		visit.Close()
	}
}

// TestManyAtOnce: visitors, members and the agent at the same conversations.
// Every message has its own seq without gaps, everybody sees all in order once,
// and each cid counts once.
func TestManyAtOnce(t *testing.T) {
	const talks, tabs, rounds = 8, 3, 8 // below what a box holds
	w := newWorld(t, chat.Options{PerMinute: 10000, PerDay: 10000, PerAddress: 1000, Starts: 1000}).work()
	w.answers(streamed("an ", "answer"))
	var visitors [talks][tabs]*visitor
	var ids [talks]string
	for i := range visitors {
		first := w.arrive(chat.Arrival{})
		first.say("begin")
		ids[i] = first.conv()
		for j := range visitors[i] {
			visitors[i][j] = w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: first.ready().Visitor}})
		}
	}
	var wg conc.WaitGroup
	for i := range visitors {
		for j, v := range visitors[i] {
			wg.Go(func() {
				for n := range rounds {
					v.receive(api.ChatIn{T: "msg", CID: fmt.Sprintf("%d", (n+j)%rounds), Text: fmt.Sprintf("message %d", n)})
					v.take()
				}
			})
		}
		wg.Go(func() {
			for range rounds {
				who := []op.Caller{ada, grace}[rand.IntN(2)]
				name := []string{"reply", "note", "takeOver", "returnToBot", "setState"}[rand.IntN(5)]
				members := map[string]string{"reply": `,"text":"x"`, "note": `,"text":"x"`, "setState": `,"state":"resolved"`}[name]
				_, refusal := optest.Call[map[string]any](w, who, "conversations."+name, `{"id":"`+ids[i]+`"`+members+`}`)
				if refusal != nil && refusal.Code != api.CodeInvalidTransition {
					t.Errorf("%s: %v", name, refusal)
				}
			}
		})
	}
	wg.Wait()
	w.Stop()
	for i := range visitors {
		list := w.messages(ids[i])
		notes, cids := map[int]bool{}, 0
		for n, m := range list {
			if m.Seq != n+1 {
				t.Fatalf("message %d has seq %d", n, m.Seq)
			}
			notes[m.Seq] = m.Note
			if m.Author.Type == api.AuthorVisitor {
				cids++
			}
		}
		if cids != rounds+1 {
			t.Errorf("%d messages of the visitor are stored", cids)
		}
		for _, v := range visitors[i] {
			v.seesAll(len(list), notes)
		}
	}
}

// seesAll asserts that every message that is no note came once, in order. A
// repeated cid is acknowledged with a seq from before.
func (v *visitor) seesAll(n int, notes map[int]bool) {
	v.w.T.Helper()
	next := 1
	for _, f := range v.take() {
		if f.Seq == 0 || f.T == "read" || f.T == "ack" && f.Seq < next {
			continue
		}
		for notes[next] {
			next++
		}
		if f.Seq != next {
			v.w.T.Fatalf("%s has seq %d where %d is next", f.T, f.Seq, next)
		}
		next++
	}
	for notes[next] {
		next++
	}
	if next != n+1 {
		v.w.T.Errorf("the last seen is %d of %d", next-1, n)
	}
}
