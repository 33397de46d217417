package chat

import (
	"context"
	"strconv"

	"edgesvc.dev/svc/daemon/internal/live"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// told is one value of a stream and the id to resume after it.
type told struct {
	id string
	v  api.ConversationEvent
	m  *message // of v; it becomes HTML where nobody waits for it
}

// watch is a member who follows one conversation or all of a team.
type watch struct {
	hub *hub

	// Guarded by hub.mu.
	box   live.Box[told]
	early []happening // what came before begin
	begun bool
	seq   int   // of the latest message handed over
	inbox bool  // follows a team
	mark  int64 // the latest change handed over
}

const startPage = 50 // conversations that an inbox begins with

// Inbox emits the latest conversations, then each as it changes. A reader that
// comes back gets those that have changed meanwhile among the latest.
func (s *Service) Inbox(ctx context.Context, who op.Caller, in api.InboxWatch, emit op.Emit[api.ConversationEvent]) error {
	w := &watch{hub: &s.hub, inbox: true}
	since, err := live.Resumed(in.LastEventID)
	if err != nil {
		return err
	}
	s.hub.mu.Lock()
	s.hub.inboxes.Join(who.Team, w)
	s.hub.mu.Unlock()
	defer w.leave(func() { s.hub.inboxes.Leave(who.Team, w) })
	first, err := s.latest(ctx, who.Team, api.Time(since))
	if err != nil {
		return err
	}
	w.begin(func() {
		for i := len(first) - 1; i >= 0; i-- { // the latest comes last, as it would live
			w.add("", api.ConversationEvent{Type: "conversation", Conversation: &first[i]})
			w.mark = max(w.mark, int64(first[i].UpdatedAt))
		}
		// They do not stand in the order of their changes: only who has them all
		// may resume after them.
		if last := w.box.Last(); last != nil {
			last.id = strconv.FormatInt(w.mark, 10)
		}
	})
	return w.drain(ctx, emit)
}

// latest are the conversations with the latest messages; with since, those that
// have changed from then on, of more.
func (s *Service) latest(ctx context.Context, team string, since api.Time) (out []api.Conversation, err error) {
	limit := startPage
	if since > 0 {
		limit = 4 * startPage
	}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		res, err := conversations.List(tx, team, kv.Page[record]{
			Index: byState, Prefixes: statePrefixes(""), Limit: limit,
			Keep: func(r *record) bool { return r.C.UpdatedAt >= since },
			Skip: op.Unreadable,
		})
		if err != nil {
			return err
		}
		for _, r := range res.Records {
			out = append(out, r.C)
		}
		return nil
	})
	return out, err
}

// Conversation emits the conversation, its messages from a seq on and the
// answer being written, then what happens.
func (s *Service) Conversation(ctx context.Context, who op.Caller, in api.ConversationWatch, emit op.Emit[api.ConversationEvent]) error {
	last, err := live.Resumed(in.LastEventID)
	if err != nil {
		return err
	}
	w := &watch{hub: &s.hub, seq: max(in.Since, int(last))}
	s.hub.mu.Lock()
	s.hub.watches.Join(in.ID, w)
	s.hub.mu.Unlock()
	defer w.leave(func() { s.hub.watches.Leave(in.ID, w) })
	c, list, err := s.transcript(ctx, who.Team, in.ID, w.seq)
	if err != nil {
		return err
	}
	w.begin(func() {
		w.seq = min(w.seq, c.LastSeq)
		w.add("", api.ConversationEvent{Type: "conversation", Conversation: &c})
		for i := range list {
			w.message(&list[i])
		}
		if a := s.hub.answers[c.ID]; a != nil {
			w.add("", api.ConversationEvent{Type: "start", MessageID: a.id})
			w.add("", api.ConversationEvent{Type: "delta", MessageID: a.id, Text: a.text.String()})
		}
		w.add("", api.ConversationEvent{Type: "presence", From: api.AuthorVisitor, On: s.hub.online(c.Visitor.ID)})
	})
	return w.drain(ctx, emit)
}

// maxTranscript is the most messages that a stream begins with: the latest.
const maxTranscript = 500

func (s *Service) transcript(ctx context.Context, team, id string, since int) (c api.Conversation, list []message, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		r, err := conversations.Get(tx, team, id)
		if err != nil {
			return err
		}
		c = r.C
		return readMessages(tx, team, id, max(since, c.LastSeq-maxTranscript), func(m *message) error {
			list = append(list, *m)
			return nil
		})
	})
	return c, list, err
}

// begin lets first put in what the watch begins with, then what happened in
// between.
func (w *watch) begin(first func()) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	w.begun = true
	first()
	w.box.Bound(true)
	for i := range w.early {
		w.tell(&w.early[i])
	}
	w.early = nil
}

// leave ends the watch with the hub's lock held.
func (w *watch) leave(out func()) {
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	out()
}

func (w *watch) tell(e *happening) {
	if !w.begun {
		if e.lasts() {
			w.early = append(w.early, *e)
		}
		return
	}
	switch e.kind {
	case changed:
		w.conversation(e.c)
	case gone:
		w.add("", api.ConversationEvent{Type: "deleted", Conversation: &api.Conversation{ID: e.conv, Tags: []string{}}})
	case written:
		w.message(e.m)
	case rated:
		w.put(told{v: api.ConversationEvent{Type: "message"}, m: e.m})
	case started:
		w.add("", api.ConversationEvent{Type: "start", MessageID: e.id})
	case delta:
		w.delta(e)
	case tool:
		w.add("", api.ConversationEvent{Type: "tool", MessageID: e.id, Tool: e.tool})
	case canceled:
		w.add("", api.ConversationEvent{Type: "cancel", MessageID: e.id})
	case typing, presence:
		w.add("", api.ConversationEvent{Type: e.kind, From: e.from, On: e.on})
	}
}

// conversation puts in the latest state, in place of an earlier one that was
// not taken yet.
func (w *watch) conversation(c *api.Conversation) {
	id := ""
	if w.inbox {
		w.mark = max(w.mark, int64(c.UpdatedAt))
		id = strconv.FormatInt(w.mark, 10)
	}
	waiting := w.box.Items()
	for i := range waiting {
		if held := waiting[i].v.Conversation; held != nil && held.ID == c.ID && waiting[i].v.Type == "conversation" {
			if c.Version > held.Version {
				waiting[i].v.Conversation = c
				w.box.Notify()
			}
			return
		}
	}
	w.add(id, api.ConversationEvent{Type: "conversation", Conversation: c})
}

func (w *watch) message(m *message) {
	if m.M.Seq <= w.seq {
		return
	}
	w.seq = m.M.Seq
	w.put(told{id: strconv.Itoa(w.seq), v: api.ConversationEvent{Type: "message"}, m: m})
}

func (w *watch) delta(e *happening) {
	if last := w.box.Last(); last != nil && last.v.Type == "delta" && last.v.MessageID == e.id && w.box.Grow(len(e.text)) {
		last.v.Text += e.text
		return
	}
	w.add("", api.ConversationEvent{Type: "delta", MessageID: e.id, Text: e.text})
}

// eventSize is about what an event takes beside its text.
const eventSize = 1 << 10

func (w *watch) add(id string, v api.ConversationEvent) { w.put(told{id: id, v: v}) }

func (w *watch) put(l told) {
	size := eventSize + len(l.v.Text)
	if l.m != nil {
		size += len(l.m.M.Text)
	}
	w.box.Add(l, size, tooSlow)
}

// tooSlow ends the stream of a reader that does not keep up.
var tooSlow = told{v: api.ConversationEvent{Type: "slow"}}

// drain hands over what is in the box until ctx ends.
func (w *watch) drain(ctx context.Context, emit op.Emit[api.ConversationEvent]) error {
	return live.Drain(ctx, &w.hub.mu, &w.box, func(items []told) (bool, error) {
		for i := range items {
			if m := items[i].m; m != nil {
				out := shown(m)
				items[i].v.Message = &out
			}
			if err := emit(items[i].id, items[i].v); err != nil {
				return false, err
			}
		}
		return false, nil
	})
}
