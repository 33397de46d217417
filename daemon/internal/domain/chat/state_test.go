package chat_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

// inState is a new conversation that has come into a state.
func inState(w *world, state string) (*visitor, string) {
	v := w.arrive(chat.Arrival{Address: "10.0.1.1"})
	v.say("hello")
	conv := v.conv()
	switch state {
	case api.ConversationBot:
	case api.ConversationSnoozed:
		until := api.TimeOf(w.chat.Now().Add(time.Hour))
		w.do("setState", conv, fmt.Sprintf(`,"state":"snoozed","until":"%s"`, until))
	default:
		w.do("setState", conv, `,"state":"`+state+`"`)
	}
	return v, conv
}

// TestTransitions is every action in every state.
func TestTransitions(t *testing.T) {
	actions := []struct{ name, members string }{
		{"open", ""}, {"snooze", ""}, {"resolve", ""}, {"takeOver", ""}, {"returnToBot", ""}, {"reply", ""}, {"visitor", ""}, {"end", ""},
	}
	// In the order of the actions; a ! is refused.
	want := map[string]string{
		"bot":      "open snoozed resolved open bot open bot resolved",
		"open":     "open snoozed resolved open bot open open resolved",
		"snoozed":  "open snoozed resolved open bot open open resolved",
		"resolved": "open ! resolved open ! open bot resolved",
	}
	for state, row := range want {
		for i, to := range strings.Fields(row) {
			action := actions[i].name
			t.Run(state+" "+action, func(t *testing.T) {
				w := newWorld(t, chat.Options{})
				v, conv := inState(w, state)
				refusal := act(w, v, conv, action)
				c := w.get(conv)
				if to == "!" {
					if refusal == nil || refusal.Code != api.CodeInvalidTransition || refusal.Status != 409 || refusal.From != state || refusal.To == "" || c.State != state {
						t.Errorf("%+v, now %s", refusal, c.State)
					}
					return
				}
				if refusal != nil || c.State != to {
					t.Errorf("%s, want %s: %+v", c.State, to, refusal)
				}
				if (c.State == api.ConversationSnoozed) != (c.SnoozedUntil != 0) {
					t.Errorf("%s until %s", c.State, c.SnoozedUntil)
				}
			})
		}
	}
}

func act(w *world, v *visitor, conv, action string) *api.Error {
	members, name := "", "setState"
	switch action {
	case "open":
		members = `,"state":"open"`
	case "resolve":
		members = `,"state":"resolved"`
	case "snooze":
		members = fmt.Sprintf(`,"state":"snoozed","until":"%s"`, api.TimeOf(w.chat.Now().Add(2*time.Hour)))
	case "reply":
		members, name = `,"text":"hi"`, action
	case "visitor":
		v.say("more")
		return nil
	case "end":
		v.receive(api.ChatIn{T: "end"})
		return nil
	default:
		name = action
	}
	_, refusal := optest.Call[map[string]any](w, ada, "conversations."+name, `{"id":"`+conv+`"`+members+`}`)
	return refusal
}

// TestTakenOver: whom a person has taken over, a person answers, also after it
// was resolved, until it is given back.
func TestTakenOver(t *testing.T) {
	w := newWorld(t, chat.Options{})
	v, conv := inState(w, api.ConversationBot)
	if c := w.do("takeOver", conv, ""); c.AssigneeID != ada.Actor.ID || c.Unread != 0 || c.State != api.ConversationOpen {
		t.Errorf("%+v", c)
	}
	w.do("setState", conv, `,"state":"resolved"`)
	v.say("again")
	if c := w.get(conv); c.State != api.ConversationOpen {
		t.Error(c.State)
	}
	w.activate(nil)
	if _, refusal := optest.Call[api.Conversation](w, ada, "conversations.returnToBot", `{"id":"`+conv+`"}`); refusal == nil || refusal.Code != api.CodeInvalidTransition {
		t.Errorf("%+v", refusal)
	}
}

// TestSnooze: it wakes when its time has come, and not when that was changed.
func TestSnooze(t *testing.T) {
	w := newWorld(t, chat.Options{})
	_, conv := inState(w, api.ConversationSnoozed)
	for _, until := range []string{api.TimeOf(w.chat.Now()).String(), api.TimeOf(w.chat.Now().AddDate(2, 0, 0)).String()} {
		if _, refusal := optest.Call[api.Conversation](w, ada, "conversations.setState", `{"id":"`+conv+`","state":"snoozed","until":"`+until+`"}`); refusal == nil || refusal.Pointer() != "/until" {
			t.Errorf("until %s: %+v", until, refusal)
		}
	}
	w.Pass(2 * time.Hour)
	w.work()
	w.follow(ada, "conversations.inbox", `{}`, func(f *follower) bool { return f.last().Conversation.State == api.ConversationOpen })
	w.Stop()
	if events := strings.Join(w.EventTypes(), " "); !strings.HasSuffix(events, "conversation.reopened") {
		t.Error(events)
	}
}

// TestSuggestedReply: what a model wants to say to a visitor waits for a person.
func TestSuggestedReply(t *testing.T) {
	w := newWorld(t, chat.Options{})
	v, conv := inState(w, api.ConversationBot)
	model := key
	model.Source = "mcp"
	m := optest.Must[api.Message](w.As(model), "conversations.reply", `{"id":"`+conv+`","text":"Buy now"}`)
	if !m.Note || !m.Suggested || w.get(conv).State != api.ConversationBot {
		t.Errorf("%+v", m)
	}
	v.say("?")
	for _, f := range v.take() {
		if strings.Contains(f.Text, "Buy") {
			t.Errorf("the visitor reads %+v", f)
		}
	}
}

// TestReplyNamesACannedResponse: of the team or of nobody, from people and from
// models; a refused reply changes nothing.
func TestReplyNamesACannedResponse(t *testing.T) {
	w := newWorld(t, chat.Options{})
	_, conv := inState(w, api.ConversationBot)
	model := key
	model.Source = "mcp"
	before := w.get(conv)
	for _, who := range []op.Caller{ada, key, model} {
		_, refusal := optest.Call[api.Message](w, who, "conversations.reply", `{"id":"`+conv+`","text":"Yes","cannedResponseId":"can_of_another"}`)
		if refusal == nil || refusal.Code != api.CodeValidationFailed || len(refusal.Errors) != 1 || refusal.Errors[0].Pointer != "/cannedResponseId" {
			t.Errorf("%s: %+v", who.Source, refusal)
		}
	}
	if after := w.get(conv); after.Version != before.Version {
		t.Errorf("%+v", after)
	}
	for _, who := range []op.Caller{model, ada} {
		if m := optest.Must[api.Message](w.As(who), "conversations.reply", `{"id":"`+conv+`","text":"Yes","cannedResponseId":"can_1"}`); m.CannedID != "can_1" {
			t.Errorf("%s: %+v", who.Source, m)
		}
	}
}

// TestFields: assignment, tags, person, reading, ratings and the lists by them.
func TestFields(t *testing.T) {
	w := newWorld(t, chat.Options{}).work()
	v := w.arrive(chat.Arrival{Hello: api.ChatIn{User: &api.ChatUser{Name: "Lin", Email: "lin@example.com"}}})
	v.say("hello")
	done := v.answered("You said: hello")
	w.Stop()
	conv := v.conv()
	if c := w.do("assign", conv, `,"assigneeId":"usr_grace"`); c.AssigneeID != "usr_grace" || c.State != api.ConversationBot {
		t.Errorf("%+v", c)
	}
	if _, refusal := optest.Call[api.Conversation](w, ada, "conversations.assign", `{"id":"`+conv+`","assigneeId":"usr_nobody"}`); refusal == nil || refusal.Pointer() != "/assigneeId" {
		t.Errorf("%+v", refusal)
	}
	if c := w.do("tag", conv, `,"add":["VIP","vip","shipping"],"remove":["gone"]`); len(c.Tags) != 2 {
		t.Errorf("tags %v", c.Tags)
	}
	version := w.get(conv).Version
	if c := w.do("tag", conv, `,"add":["vip"]`); c.Version != version {
		t.Error("a change of nothing made a version")
	}
	w.do("link", conv, `,"personId":"per_1"`)
	v.receive(api.ChatIn{T: "feedback", ID: done.ID, V: 1})
	v.receive(api.ChatIn{T: "read", Seq: 99})
	v.receive(api.ChatIn{T: "read", Seq: 1})
	c := w.get(conv)
	if c.Rating != 1 || c.ReadSeq != 2 || c.PersonID != "per_1" || c.Visitor.Name != "Lin" || c.Visitor.Verified {
		t.Errorf("%+v", c)
	}
	for query, n := range map[string]int{
		`{}`: 1, `{"unread":true}`: 1, `{"state":"open"}`: 0, `{"state":"bot"}`: 1, `{"assigneeId":"me"}`: 0, `{"assigneeId":"usr_grace"}`: 1,
		`{"personId":"per_1"}`: 1, `{"tag":"SHIPPING"}`: 1, `{"tag":"x"}`: 0, `{"q":"LIN hello"}`: 1, `{"q":"zebra"}`: 0,
	} {
		if got := len(optest.Must[api.Page[api.Conversation]](w, "conversations.list", query).Data); got != n {
			t.Errorf("%s lists %d", query, got)
		}
	}
	if c := w.do("markRead", conv, ""); c.Unread != 0 {
		t.Errorf("%+v", c)
	}
	if got := len(optest.Must[api.Page[api.Conversation]](w, "conversations.list", `{"unread":true}`).Data); got != 0 {
		t.Errorf("%d unread", got)
	}
	if m := optest.Must[api.Message](w, "conversations.rateMessage", `{"id":"`+conv+`","messageId":"`+done.ID+`","rating":-1}`); m.Rating != -1 {
		t.Errorf("%+v", m)
	}
}

// TestOtherTeam: nothing of a conversation exists for another team.
func TestOtherTeam(t *testing.T) {
	w := newWorld(t, chat.Options{})
	_, conv := inState(w, api.ConversationBot)
	before := w.get(conv)
	stranger := ada
	stranger.Team = "team_b"
	for _, row := range w.chat.Ops() {
		if row.Name == "conversations.list" {
			continue
		}
		body := map[string]string{
			"conversations.reply": `,"text":"x"`, "conversations.note": `,"text":"x"`, "conversations.setState": `,"state":"open"`,
			"conversations.assign": `,"assigneeId":""`, "conversations.rateMessage": `,"messageId":"msg_1","rating":1`,
			"conversations.link": `,"personId":""`, "conversations.typing": `,"on":true`,
		}[row.Name]
		_, refusal := optest.Call[map[string]any](w, stranger, row.Name, `{"id":"`+conv+`"`+body+`}`)
		if refusal == nil || refusal.Code != api.CodeNotFound {
			t.Errorf("%s: %+v", row.Name, refusal)
		}
	}
	for _, s := range w.Table.Streams {
		if s.Name != "conversations.conversation" {
			continue
		}
		err := w.Table.Follow(t.Context(), s, stranger, op.Args{Body: []byte(`{"id":"` + conv + `"}`)}, func(string, any) error { return nil })
		if refusal, ok := err.(*api.Error); !ok || refusal.Code != api.CodeNotFound {
			t.Errorf("stream: %v", err)
		}
	}
	if after := w.get(conv); after.Version != before.Version {
		t.Error("it was changed")
	}
}
