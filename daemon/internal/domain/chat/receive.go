package chat

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	maxChars = 4000 // of one message
	maxCID   = 64
)

// Receive acts on one frame of the visitor. Its error is an *api.Error for the
// visitor to see, with RetryAfter where it was too much at once; the visit goes
// on. Other errors are the daemon's own.
func (v *Visit) Receive(ctx context.Context, f api.ChatIn) error {
	if !v.frames.Allow() {
		return slowDown(time.Second, "You send too much at once.")
	}
	if err := v.ended(); err != nil {
		return err
	}
	switch f.T {
	case "msg":
		return v.send(ctx, &f)
	case "typing":
		v.types(f.On)
		return nil
	case "read":
		return v.saw(ctx, f.Seq)
	case "feedback":
		return v.feedback(ctx, &f)
	case "identify":
		return v.identify(ctx, f.User)
	case "page":
		v.s.hub.mu.Lock()
		defer v.s.hub.mu.Unlock()
		v.look(f.Page)
		return nil
	case "end":
		return v.end(ctx)
	case "hello":
		return badFrame("hello comes once, first")
	}
	return badFrame("there is no such frame")
}

// ended is why the visit takes no more frames, nil while it does.
func (v *Visit) ended() error {
	v.s.hub.mu.Lock()
	defer v.s.hub.mu.Unlock()
	if v.over != nil {
		return v.over
	}
	return nil
}

func badFrame(why string) error {
	return api.NewError(http.StatusBadRequest, api.CodeInvalidRequest, "The frame is refused: %s.", why)
}

// send stores a message of the visitor. A repeated cid is answered with what was
// stored.
func (v *Visit) send(ctx context.Context, f *api.ChatIn) error {
	switch {
	case f.CID == "" || len(f.CID) > maxCID:
		return badFrame("cid has 1 to 64 characters")
	case strings.TrimSpace(f.Text) == "":
		return badFrame("the message is empty")
	case !utf8.ValidString(f.Text):
		return badFrame("the message is not UTF-8")
	case utf8.RuneCountInString(f.Text) > maxChars:
		return api.NewError(http.StatusRequestEntityTooLarge, api.CodePayloadTooLarge,
			"A message has at most %d characters. Send it in parts.", maxChars)
	}
	agent, available, err := v.s.available(ctx, v.keys.team)
	if err != nil {
		return err
	}
	v.s.hub.mu.Lock()
	who, begun := v.who, v.conv != ""
	v.s.hub.mu.Unlock()
	if !begun {
		if err := v.mayStart(ctx, who.ID); err != nil {
			return err
		}
	}
	var repeated *message
	err = v.s.metered(ctx, v.source(), func(tx kv.Tx) (err error) {
		repeated, err = v.store(tx, who, f, agent, available)
		return err
	})
	if err == nil && repeated != nil {
		v.s.hub.mu.Lock()
		defer v.s.hub.mu.Unlock()
		v.put(acknowledged(repeated))
	}
	return err
}

// mayStart counts the beginning of a conversation against the address.
func (v *Visit) mayStart(ctx context.Context, visitor string) error {
	known := false
	err := v.s.store.View(ctx, func(tx kv.Tx) error {
		_, _, err := conversations.Find(tx, v.keys.team, byVisitor, kv.Key(visitor))
		if missing(err) {
			return nil
		}
		known = err == nil
		return err
	})
	if err != nil || known {
		return err
	}
	if wait := v.s.starts.TakeAt(clientOf(v.keys.team, v.address), v.s.Now()).Wait; wait > 0 {
		return slowDown(wait, "Too many conversations are begun from your address. Wait a little.")
	}
	return nil
}

// store writes the message into the visitor's conversation, which the first one
// begins. It returns the message that was stored under the same cid before.
func (v *Visit) store(tx kv.Tx, who api.Visitor, f *api.ChatIn, agent api.Agent, available bool) (*message, error) {
	caller := v.caller(who.ID)
	_, r, err := conversations.Find(tx, v.keys.team, byVisitor, kv.Key(who.ID))
	var e *edit
	switch {
	case missing(err):
		e, err = v.s.start(tx, caller, who, v.site.id)
	case err == nil:
		_, old, found := findMessage(tx, v.keys.team, r.C.ID, "c", f.CID)
		if !missing(found) {
			return old, found
		}
		e = v.s.editOf(tx, caller, r)
	}
	if err != nil {
		return nil, err
	}
	if err := e.r.admit(&v.s.o, v.s.Now()); err != nil {
		return nil, err
	}
	m := &message{CID: f.CID, M: api.Message{Author: api.MessageAuthor{Type: api.AuthorVisitor, ID: who.ID, Name: who.Name}, Text: f.Text}}
	e.r.Network = v.network
	return nil, e.receive(m, who, agent, available, v)
}

// start begins a conversation. The first message brings it into its state.
func (s *Service) start(tx kv.Tx, caller op.Caller, who api.Visitor, site string) (*edit, error) {
	now := s.now()
	r := &record{Activity: now, C: api.Conversation{
		ID: kv.IDAt("conv", now.Time()), State: api.ConversationOpen, SiteID: site, Visitor: who, Tags: []string{},
		StartedAt: now, CreatedAt: now, UpdatedAt: now, Version: 0,
	}}
	if err := conversations.Insert(tx, caller.Team, r.C.ID, r); err != nil {
		return nil, err
	}
	return &edit{s: s, tx: tx, who: caller, r: r}, nil
}

// receive stores the visitor's message and decides who is to answer it.
func (e *edit) receive(m *message, who api.Visitor, agent api.Agent, available bool, by *Visit) error {
	first, before := e.r.C.LastSeq == 0, e.r.C.LastSeq
	if err := e.write(m); err != nil {
		return err
	}
	e.said[len(e.said)-1].by = by
	e.r.C.Visitor = who
	e.r.C.Unread++
	if !e.r.pending() {
		e.r.AskedAt = e.s.now()
	}
	e.r.Asked = m.M.Seq
	bot := available && !e.r.TakenOver
	if err := e.enter(first, before, bot, agent); err != nil {
		return err
	}
	if err := announceMessage(e, messageReceived, &m.M, nil); err != nil {
		return err
	}
	if e.r.C.State == api.ConversationBot || bot && e.r.waits() {
		if err := e.ask(); err != nil {
			return err
		}
	}
	return e.save()
}

// enter brings a conversation in which the visitor wrote into its state.
func (e *edit) enter(first bool, before int, bot bool, agent api.Agent) error {
	from := e.r.C.State
	switch {
	case first:
		if bot {
			e.r.C.State, e.r.C.AgentID = api.ConversationBot, agent.ID
		}
		return announce(e, conversationStarted, &e.r.C, nil)
	case from == api.ConversationSnoozed:
		return e.move(api.ConversationOpen)
	case from != api.ConversationResolved:
		return nil
	}
	e.r.ContextSeq, e.r.C.HandoffReason, e.r.C.Rating = before, "", 0
	if !bot {
		return e.move(api.ConversationOpen)
	}
	e.r.C.AgentID = agent.ID
	return e.move(api.ConversationBot)
}

func (v *Visit) types(on bool) {
	h := &v.s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if v.conv != "" {
		h.pass(&happening{kind: typing, team: v.keys.team, conv: v.conv, visitor: v.who.ID, from: api.AuthorVisitor, on: on, by: v})
	}
}

// alter edits the visitor's own conversation, if there is one.
func (v *Visit) alter(ctx context.Context, fn func(*edit) error) error {
	who := v.visitor()
	return v.s.metered(ctx, v.source(), func(tx kv.Tx) error {
		_, r, err := conversations.Find(tx, v.keys.team, byVisitor, kv.Key(who.ID))
		if missing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		e := v.s.editOf(tx, v.caller(who.ID), r)
		if err := fn(e); err != nil {
			return err
		}
		if e.r.C.Version > e.was.Version {
			if err := e.r.admitEdit(&v.s.o, v.s.Now()); err != nil {
				return err
			}
		}
		return e.save()
	})
}

// saw notes how far the visitor has read. That only grows.
func (v *Visit) saw(ctx context.Context, seq int) error {
	return v.alter(ctx, func(e *edit) error {
		if seq = min(seq, e.r.C.LastSeq); seq > e.r.C.ReadSeq {
			e.r.C.ReadSeq = seq
			e.touch()
			e.say(happening{kind: seen, from: api.AuthorVisitor, seq: seq, by: v})
		}
		return nil
	})
}

// feedback rates an agent's message.
func (v *Visit) feedback(ctx context.Context, f *api.ChatIn) error {
	if f.V < -1 || f.V > 1 {
		return badFrame("v is -1, 0 or 1")
	}
	return v.alter(ctx, func(e *edit) error {
		_, err := e.rate(f.ID, f.V)
		if missing(err) {
			return badFrame("there is no such message of an agent")
		}
		return err
	})
}

// identify takes over a proof, or else a claim.
func (v *Visit) identify(ctx context.Context, u *api.ChatUser) error {
	if u == nil {
		return badFrame("user is missing")
	}
	if u.Token == "" || v.verify == nil {
		return v.introduce(ctx, u)
	}
	id, err := v.verify(ctx, *u)
	if err != nil {
		return err
	}
	v.s.hub.mu.Lock()
	conv, seq := v.conv, v.seq
	v.s.hub.mu.Unlock()
	if err := v.become(ctx, *id); err != nil {
		return err
	}
	return v.begin(ctx, conv, seq)
}

// introduce stores what the visitor says of itself.
func (v *Visit) introduce(ctx context.Context, u *api.ChatUser) error {
	v.s.hub.mu.Lock()
	v.claim(u)
	who := v.who
	v.s.hub.mu.Unlock()
	return v.alter(ctx, func(e *edit) error {
		if e.r.C.Visitor != who {
			e.r.C.Visitor = who
			e.touch()
		}
		return nil
	})
}

// end is the visitor's farewell. What the visitor writes next begins anew: the agent
// answers it, whoever answered before.
func (v *Visit) end(ctx context.Context) error {
	return v.alter(ctx, func(e *edit) error {
		e.r.TakenOver = e.r.TakenOver && e.r.C.State == api.ConversationResolved
		return e.move(api.ConversationResolved)
	})
}
