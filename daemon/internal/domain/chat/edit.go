package chat

import (
	"context"
	"slices"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// edit is one change of a conversation within a transaction: what it does to
// the record, and what is to be told once it is durable.
// The record's lists are replaced, never written into.
type edit struct {
	s    *Service
	tx   kv.Tx
	who  op.Caller
	r    *record
	was  api.Conversation
	said []happening
	// abort ends the answer being written.
	abort bool
}

// change lets fn edit a conversation of the caller's team and stores what came
// of it. When nothing differs afterwards, nothing is stored.
func change[Out any](ctx context.Context, s *Service, who op.Caller, id string, fn func(*edit) (Out, error)) (Out, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (out Out, err error) {
		e, err := s.edit(tx, who, id)
		if err != nil {
			return out, err
		}
		if out, err = fn(e); err != nil {
			return out, err
		}
		return out, e.save()
	})
}

func (s *Service) edit(tx kv.Tx, who op.Caller, id string) (*edit, error) {
	r, err := conversations.Get(tx, who.Team, id)
	if err != nil {
		return nil, err
	}
	return s.editOf(tx, who, r), nil
}

func (s *Service) editOf(tx kv.Tx, who op.Caller, r *record) *edit {
	return &edit{s: s, tx: tx, who: who, r: r, was: r.C}
}

// alter is a change that answers with the conversation.
func (s *Service) alter(ctx context.Context, who op.Caller, id string, fn func(*edit) error) (api.Conversation, error) {
	var e *edit
	_, err := change(ctx, s, who, id, func(next *edit) (*api.Conversation, error) {
		e = next
		// The answer is read after save, which fills in the version.
		return &e.r.C, fn(e)
	})
	if err != nil || e == nil {
		return api.Conversation{}, err
	}
	return e.r.C, nil
}

// touch marks the record as changed.
func (e *edit) touch() {
	e.r.C.Version, e.r.C.UpdatedAt = e.was.Version+1, e.s.now()
}

// save stores the record and tells of the change after the commit. An edit that
// did not touch the record leaves it.
func (e *edit) save() error {
	if e.r.C.Version == e.was.Version {
		return nil
	}
	if err := conversations.Put(e.tx, e.who.Team, e.r.C.ID, e.r); err != nil {
		return err
	}
	e.publish()
	return nil
}

func (e *edit) publish() {
	c := e.r.C
	said := append(slices.Clone(e.said), happening{kind: changed, c: &c})
	for i := range said {
		said[i].team, said[i].conv, said[i].visitor = e.who.Team, c.ID, c.Visitor.ID
	}
	abort := e.abort
	e.tx.OnCommit(func() {
		if abort {
			e.s.abort(c.ID)
			e.s.hub.cut(e.who.Team, c.ID, c.Visitor.ID)
		}
		for i := range said {
			e.s.hub.publish(&said[i])
		}
	})
}

func (e *edit) say(h happening) { e.said = append(e.said, h) }

// announce appends an event of the conversation.
func announce[T any](e *edit, k event.Kind[T], object *T, previous map[string]any) error {
	return event.Append(e.s.log, e.tx, e.who, k, object, previous)
}

// eventText is the most characters of a message in an event: the whole of it is
// stored once, with the message.
const eventText = 1000

// announceMessage appends an event of a message.
func announceMessage(e *edit, k event.Kind[api.Message], m *api.Message, previous map[string]any) error {
	short := *m
	short.Text = clip(m.Text, eventText)
	return announce(e, k, &short, previous)
}

// write appends a message: the next seq, the summary for lists, the record's
// place among them.
func (e *edit) write(m *message) error {
	now := e.s.now()
	m.M.ConversationID, m.M.Seq, m.M.CreatedAt = e.r.C.ID, e.r.C.LastSeq+1, now
	if m.M.ID == "" {
		m.M.ID = kv.IDAt("msg", now.Time())
	}
	if m.M.Citations == nil {
		m.M.Citations = []api.Citation{}
	}
	if m.M.ToolCalls == nil {
		m.M.ToolCalls = []api.ToolCall{}
	}
	if err := insertMessage(e.tx, e.who.Team, m); err != nil {
		return err
	}
	e.r.C.LastSeq = m.M.Seq
	if !m.M.Note {
		e.r.C.LastMessage, e.r.Activity = summarize(&m.M), now
	}
	e.touch()
	e.say(happening{kind: written, m: m})
	return nil
}

// sent appends a message that the visitor reads, with its event.
func (e *edit) sent(m *message) error {
	if err := e.write(m); err != nil {
		return err
	}
	return announceMessage(e, messageSent, &m.M, nil)
}

// move brings the conversation into another state.
func (e *edit) move(to string) error {
	from := e.r.C.State
	if from == to {
		return nil
	}
	e.touch()
	e.r.C.State = to
	if from == api.ConversationSnoozed {
		e.r.C.SnoozedUntil = 0
		if err := e.s.snoozes.Remove(e.tx, e.r.C.ID); err != nil {
			return err
		}
	}
	if !e.r.byAgent() {
		if err := e.silence(); err != nil {
			return err
		}
	}
	previous := map[string]any{"state": from}
	switch {
	case to == api.ConversationResolved:
		return announce(e, conversationResolved, &e.r.C, previous)
	case from == api.ConversationResolved, from == api.ConversationSnoozed:
		return announce(e, conversationReopened, &e.r.C, previous)
	}
	return nil
}

// silence stops the agent: what it is writing is never stored.
func (e *edit) silence() error {
	e.abort = e.abort || e.r.Answering
	e.r.Answering = false
	return e.s.answers.Remove(e.tx, e.r.C.ID)
}

// ask has the agent answer the visitor's latest message once the visitor has
// been silent for a while. While an answer is being written it is asked again
// when that is done.
func (e *edit) ask() error {
	if e.r.Answering {
		return nil
	}
	now := e.s.Now()
	due := now.Add(max(e.s.o.Debounce, 0))
	// A visitor who never pauses is answered all the same.
	if latest := e.r.AskedAt.Time().Add(longestWait); due.After(latest) {
		due = latest
	}
	return e.s.answers.Add(e.tx, queueItem(e.who.Team, e.r.C.ID), due)
}
