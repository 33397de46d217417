package chat

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// record is a stored conversation. A visitor has one at most: what is known of
// the visitor stands in it, and goes with it.
type record struct {
	C          api.Conversation `json:"c"`
	Activity   api.Time         `json:"a"`           // of the latest message
	ContextSeq int              `json:"x,omitempty"` // the agent sees what follows
	Asked      int              `json:"q,omitempty"` // seq of the visitor's latest message
	AskedAt    api.Time         `json:"qt,omitempty"`
	Answered   int              `json:"w,omitempty"` // Asked when somebody last answered
	// Answering says that a worker has begun to answer. The row in the queue
	// stands until that has come to an end, so a further message needs none.
	Answering bool   `json:"g,omitempty"`
	TakenOver bool   `json:"t,omitempty"` // by a person, until it is given back
	Minute    window `json:"lm,omitzero"`
	Day       window `json:"ld,omitzero"`
	Edits     window `json:"le,omitzero"` // what the visitor changed beside messages
	// Network stands for where the visitor's latest message came from: what the
	// answer takes counts for it.
	Network string `json:"n,omitempty"`
}

// window counts the visitor's messages since At.
type window struct {
	At api.Time `json:"t,omitempty"`
	N  int      `json:"n,omitempty"`
}

// waits reports a conversation that was handed over and that no person has taken
// over yet.
func (r *record) waits() bool {
	return r.C.State == api.ConversationOpen && r.C.HandoffReason != "" && !r.TakenOver
}

// byAgent reports that the agent is the one to answer.
func (r *record) byAgent() bool { return r.C.State == api.ConversationBot || r.waits() }

// pending reports a message that nobody has answered.
func (r *record) pending() bool { return r.Asked > r.Answered }

// The indexes, each in the order of the latest message.
const (
	byState   = "state"
	byUnread  = "unread"
	byPerson  = "person"
	byMember  = "member"
	byVisitor = "visitor"
)

var states = []string{api.ConversationBot, api.ConversationOpen, api.ConversationSnoozed, api.ConversationResolved}

var conversations = kv.NewTable("conversation",
	kv.Index[record]{Name: byVisitor, Unique: true, Keys: func(r *record, add func([]byte)) {
		add(kv.Key(r.C.Visitor.ID))
	}},
	kv.Index[record]{Name: byState, Keys: func(r *record, add func([]byte)) {
		add(kv.Key(r.C.State, r.at()))
	}},
	kv.Index[record]{Name: byUnread, Keys: func(r *record, add func([]byte)) {
		if r.C.Unread > 0 {
			add(kv.Key(r.at()))
		}
	}},
	kv.Index[record]{Name: byMember, Keys: func(r *record, add func([]byte)) {
		if r.C.AssigneeID != "" {
			add(kv.Key(r.C.AssigneeID, r.at()))
		}
	}},
	kv.Index[record]{Name: byPerson, Keys: func(r *record, add func([]byte)) {
		if r.C.PersonID != "" {
			add(kv.Key(r.C.PersonID, r.at()))
		}
	}},
)

func (r *record) at() string { return kv.Uint64(uint64(max(r.Activity, 0))) }

// message is a stored message. Its text is the record's body where it is long.
type message struct {
	M    api.Message `json:"m"`
	CID  string      `json:"c,omitempty"`
	Long bool        `json:"l,omitempty"`
	// Marked is the text of an agent's message with the marks of its citations, ""
	// where it has none or is long.
	Marked string `json:"k,omitempty"`
}

const longText = 4 << 10

// messages are kept under the conversation and the seq, so that a conversation
// is read in one scan. The one index finds what is asked for by another name: a
// visitor's message by the client's id, an agent's by its own.
var messages = kv.NewTable("message", kv.Index[message]{Name: "ref", Unique: true, Keys: func(m *message, add func([]byte)) {
	switch m.M.Author.Type {
	case api.AuthorVisitor:
		add(kv.Key(m.M.ConversationID, "c", m.CID))
	case api.AuthorAgent:
		add(kv.Key(m.M.ConversationID, "m", m.M.ID))
	}
}})

func messageKey(conversation string, seq int) string {
	return fmt.Sprintf("%s/%010d", conversation, seq)
}

// insertMessage stores m under its seq. m keeps its text.
func insertMessage(tx kv.Tx, team string, m *message) error {
	key, stored := messageKey(m.M.ConversationID, m.M.Seq), *m
	if len(m.M.Text) > longText {
		stored.Long, stored.M.Text = true, ""
	}
	if err := messages.Insert(tx, team, key, &stored); err != nil || !stored.Long {
		return err
	}
	return messages.PutBody(tx, team, key, []byte(m.M.Text))
}

// readMessages calls fn for the messages of a conversation whose seq is above
// since, in their order, until it returns kv.Stop.
func readMessages(tx kv.Tx, team, conversation string, since int, fn func(*message) error) error {
	prefix, wanted := conversation+"/", team
	_, err := messages.EachReadable(tx, messageKey(conversation, since), -1, op.Unreadable, func(team, id string, m *message) error {
		if team != wanted || !strings.HasPrefix(id, prefix) {
			return kv.Stop
		}
		if err := m.fill(tx, team, id); err != nil {
			return err
		}
		return fn(m)
	})
	return err
}

// fill reads a long text.
func (m *message) fill(tx kv.Tx, team, key string) error {
	if !m.Long {
		return nil
	}
	b, err := messages.Body(tx, team, key)
	m.M.Text = string(b)
	return err
}

// findMessage finds a message by the kind of reference, or a *kv.NotFoundError.
func findMessage(tx kv.Tx, team, conversation, kind, ref string) (key string, m *message, err error) {
	key, m, err = messages.Find(tx, team, "ref", kv.Key(conversation, kind, ref))
	if err == nil {
		err = m.fill(tx, team, key)
	}
	return key, m, err
}

// summaryLength is the most characters of a message in lists.
const summaryLength = 140

func summarize(m *api.Message) *api.MessageSummary {
	return &api.MessageSummary{Seq: m.Seq, Author: m.Author.Type, Text: clip(m.Text, summaryLength), At: m.CreatedAt}
}

// clip is the first n characters of s.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

func missing(err error) bool {
	_, ok := errors.AsType[*kv.NotFoundError](err)
	return ok
}
