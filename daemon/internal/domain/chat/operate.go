package chat

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/status"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	maxSnooze = 366 * 24 * time.Hour
	maxTags   = 50
	maxTag    = 60
)

// fromModel is the source of callers that are steered by a model.
const fromModel = "mcp"

// Reply sends a member's message and takes the conversation over. A model's
// words reach no visitor: they become a note that suggests a reply.
func (s *Service) Reply(ctx context.Context, who op.Caller, in api.Reply) (api.Message, error) {
	if who.Source == fromModel {
		return s.remark(ctx, who, in.ID, &message{M: api.Message{Note: true, Suggested: true, Text: in.Text, CannedID: in.CannedID}})
	}
	return change(ctx, s, who, in.ID, func(e *edit) (api.Message, error) {
		if err := e.checkCanned(in.CannedID); err != nil {
			return api.Message{}, err
		}
		if err := e.takeOver(); err != nil {
			return api.Message{}, err
		}
		m := &message{M: api.Message{Author: e.member(), Text: in.Text, CannedID: in.CannedID}}
		if err := e.sent(m); err != nil {
			return api.Message{}, err
		}
		e.r.Answered, e.r.C.Unread = e.r.Asked, 0
		return shown(m), nil
	})
}

// checkCanned refuses a canned response that the team does not have.
func (e *edit) checkCanned(id string) error {
	if id == "" {
		return nil
	}
	known, err := e.s.Canned(e.tx, e.who.Team, id)
	if err == nil && !known {
		return api.Invalid("/cannedResponseId", "not_found", "there is no such canned response")
	}
	return err
}

// Note adds a note for members.
func (s *Service) Note(ctx context.Context, who op.Caller, in api.ConversationNote) (api.Message, error) {
	return s.remark(ctx, who, in.ID, &message{M: api.Message{Note: true, Text: in.Text}})
}

func (s *Service) remark(ctx context.Context, who op.Caller, id string, m *message) (api.Message, error) {
	return change(ctx, s, who, id, func(e *edit) (api.Message, error) {
		if err := e.checkCanned(m.M.CannedID); err != nil {
			return api.Message{}, err
		}
		fresh := *m // the function may run again
		fresh.M.Author = e.member()
		err := e.write(&fresh)
		return shown(&fresh), err
	})
}

// member is the caller as the author of a message.
func (e *edit) member() api.MessageAuthor {
	return api.MessageAuthor{Type: api.AuthorUser, ID: e.who.Actor.ID, Name: e.who.Name}
}

// takeOver makes a person answer from now on. It assigns the signed-in member
// where nobody is.
func (e *edit) takeOver() error {
	if e.r.C.AssigneeID == "" && e.who.Kind == op.Session {
		if err := e.assign(e.who.Actor.ID); err != nil {
			return err
		}
	}
	if err := e.keepAgentOut(); err != nil {
		return err
	}
	return e.move(api.ConversationOpen)
}

// keepAgentOut makes the conversation a person's until it is given back, and tells
// the visitor.
func (e *edit) keepAgentOut() error {
	if e.r.TakenOver {
		return nil
	}
	e.r.TakenOver = true
	e.touch()
	e.say(happening{kind: handed, from: api.AuthorUser})
	return e.silence()
}

// TakeOver assigns the conversation to the signed-in member and stops the agent.
func (s *Service) TakeOver(ctx context.Context, who op.Caller, in api.ConversationRef) (api.Conversation, error) {
	return s.alter(ctx, who, in.ID, func(e *edit) error {
		if err := e.assign(who.Actor.ID); err != nil {
			return err
		}
		e.seen()
		return e.takeOver()
	})
}

// ReturnToBot lets the active agent answer again, first what is pending.
func (s *Service) ReturnToBot(ctx context.Context, who op.Caller, in api.ConversationRef) (api.Conversation, error) {
	agent, available, err := s.available(ctx, who.Team)
	if err != nil {
		return api.Conversation{}, err
	}
	return s.alter(ctx, who, in.ID, func(e *edit) error {
		switch {
		case e.r.C.State == api.ConversationResolved:
			return status.Refuse(e.r.C.State, api.ConversationBot, "The conversation is resolved; open it first.")
		case !available:
			return status.Refuse(e.r.C.State, api.ConversationBot, "No agent is active that responds to chats.")
		}
		if err := e.move(api.ConversationBot); err != nil {
			return err
		}
		if e.r.TakenOver || e.r.C.AgentID != agent.ID || e.r.C.HandoffReason != "" {
			e.r.TakenOver, e.r.C.AgentID, e.r.C.HandoffReason = false, agent.ID, ""
			e.touch()
		}
		e.say(happening{kind: handed, from: api.AuthorAgent})
		if e.r.pending() {
			return e.ask()
		}
		return nil
	})
}

// available is the agent that would answer a visitor now.
func (s *Service) available(ctx context.Context, team string) (api.Agent, bool, error) {
	agent, ok, err := s.ActiveAgent(ctx, team)
	return agent, ok && agent.RespondToChats, err
}

// SetState opens, snoozes or resolves a conversation.
func (s *Service) SetState(ctx context.Context, who op.Caller, in api.ConversationSetState) (api.Conversation, error) {
	if in.State == api.ConversationSnoozed {
		if in.Until <= s.now() || in.Until > api.TimeOf(s.Now().Add(maxSnooze)) {
			return api.Conversation{}, api.Invalid("/until", "invalid", "until must be in the future, at most a year from now")
		}
	} else if in.Until != 0 {
		return api.Conversation{}, api.Invalid("/until", "invalid", "until is for snoozed only")
	}
	return s.alter(ctx, who, in.ID, func(e *edit) error { return e.setState(in) })
}

func (e *edit) setState(in api.ConversationSetState) error {
	if e.r.C.State == api.ConversationResolved && in.State == api.ConversationSnoozed {
		return status.Refuse(e.r.C.State, in.State, "A resolved conversation cannot be snoozed; open it first.")
	}
	if in.State == api.ConversationOpen {
		if err := e.keepAgentOut(); err != nil {
			return err
		}
	}
	if err := e.move(in.State); err != nil || in.State != api.ConversationSnoozed || e.r.C.SnoozedUntil == in.Until {
		return err
	}
	e.touch()
	e.r.C.SnoozedUntil = in.Until
	return e.s.snoozes.Add(e.tx, queueItem(e.who.Team, e.r.C.ID), in.Until.Time())
}

// Assign gives the conversation to a member, or to none.
func (s *Service) Assign(ctx context.Context, who op.Caller, in api.ConversationAssign) (api.Conversation, error) {
	id := in.AssigneeID
	if id == "me" {
		if who.Kind != op.Session {
			return api.Conversation{}, api.Invalid("/assigneeId", "invalid", "a key is not a member: name one")
		}
		id = who.Actor.ID
	}
	return s.alter(ctx, who, in.ID, func(e *edit) error { return e.assign(id) })
}

func (e *edit) assign(id string) error {
	if id == e.r.C.AssigneeID {
		return nil
	}
	if id != "" {
		if _, err := e.s.Member(e.tx, e.who.Team, id); missing(err) {
			return api.Invalid("/assigneeId", "not_found", "there is no such member")
		} else if err != nil {
			return err
		}
	}
	was := e.r.C.AssigneeID
	e.r.C.AssigneeID = id
	e.touch()
	return announce(e, conversationAssigned, &e.r.C, map[string]any{"assigneeId": was})
}

// Tag adds and removes tags. Their case does not matter.
func (s *Service) Tag(ctx context.Context, who op.Caller, in api.ConversationTag) (api.Conversation, error) {
	return s.alter(ctx, who, in.ID, func(e *edit) error {
		tags := slices.DeleteFunc(slices.Clone(e.r.C.Tags), func(tag string) bool { return holds(in.Remove, tag) })
		for _, tag := range in.Add {
			tag = strings.TrimSpace(tag)
			if tag == "" || utf8.RuneCountInString(tag) > maxTag {
				return api.Invalid("/add", "too_long", "a tag has 1 to %d characters", maxTag)
			}
			if !holds(tags, tag) {
				tags = append(tags, tag)
			}
		}
		if len(tags) > maxTags {
			return api.Invalid("/add", "too_many", "a conversation has at most %d tags", maxTags)
		}
		if !slices.Equal(tags, e.r.C.Tags) {
			e.r.C.Tags = tags
			e.touch()
		}
		return nil
	})
}

func holds(tags []string, tag string) bool {
	return slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(t, strings.TrimSpace(tag)) })
}

// RateMessage rates an agent's message.
func (s *Service) RateMessage(ctx context.Context, who op.Caller, in api.MessageRate) (api.Message, error) {
	return change(ctx, s, who, in.ID, func(e *edit) (api.Message, error) { return e.rate(in.MessageID, in.Rating) })
}

func (e *edit) rate(id string, rating int) (api.Message, error) {
	key, m, err := findMessage(e.tx, e.who.Team, e.r.C.ID, "m", id)
	if err != nil || m.M.Rating == rating {
		if err == nil {
			return shown(m), nil
		}
		return api.Message{}, err
	}
	previous := map[string]any{"rating": m.M.Rating}
	m.M.Rating, e.r.C.Rating = rating, rating
	stored := *m
	if stored.Long {
		stored.M.Text = ""
	}
	if err := messages.Put(e.tx, e.who.Team, key, &stored); err != nil {
		return api.Message{}, err
	}
	e.touch()
	e.say(happening{kind: rated, m: m})
	return shown(m), announceMessage(e, messageRated, &m.M, previous)
}

// MarkRead says that a member has seen all messages.
func (s *Service) MarkRead(ctx context.Context, who op.Caller, in api.ConversationRef) (api.Conversation, error) {
	return s.alter(ctx, who, in.ID, func(e *edit) error {
		e.seen()
		return nil
	})
}

func (e *edit) seen() {
	if e.r.C.Unread > 0 {
		e.r.C.Unread = 0
		e.touch()
		e.say(happening{kind: seen, from: api.AuthorUser, seq: e.r.C.LastSeq})
	}
}

// Link says which person a conversation is with.
func (s *Service) Link(ctx context.Context, who op.Caller, in api.ConversationLink) (api.Conversation, error) {
	return s.alter(ctx, who, in.ID, func(e *edit) error {
		if e.r.C.PersonID != in.PersonID {
			e.r.C.PersonID = in.PersonID
			e.touch()
		}
		return nil
	})
}

// Typing tells the visitor that a member is writing. Nothing is stored.
func (s *Service) Typing(ctx context.Context, who op.Caller, in api.ConversationTyping) (api.None, error) {
	c, err := s.read(ctx, who.Team, in.ID)
	if err == nil {
		s.hub.publish(&happening{kind: typing, team: who.Team, conv: in.ID, visitor: c.Visitor.ID, from: api.AuthorUser, on: in.On})
	}
	return api.None{}, err
}

// Delete removes a conversation, its messages and what is known of its visitor.
func (s *Service) Delete(ctx context.Context, who op.Caller, in api.ConversationRef) (api.Deleted, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Deleted, error) {
		e, err := s.edit(tx, who, in.ID)
		if err != nil {
			return api.Deleted{}, err
		}
		if err := e.erase(); err != nil {
			return api.Deleted{}, err
		}
		e.said, e.abort = []happening{{kind: gone}}, true
		e.publish()
		return api.Deleted{ID: in.ID, Deleted: true}, nil
	})
}

func (e *edit) erase() error {
	id, team := e.r.C.ID, e.who.Team
	var keys []string
	err := readMessages(e.tx, team, id, 0, func(m *message) error {
		keys = append(keys, messageKey(id, m.M.Seq))
		return nil
	})
	for _, key := range keys {
		if err == nil {
			err = messages.Delete(e.tx, team, key)
		}
	}
	if err != nil {
		return err
	}
	if err := e.s.answers.Remove(e.tx, id); err != nil {
		return err
	}
	if err := e.s.snoozes.Remove(e.tx, id); err != nil {
		return err
	}
	return conversations.Delete(e.tx, team, id)
}
