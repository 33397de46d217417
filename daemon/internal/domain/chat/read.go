package chat

import (
	"context"
	"strconv"
	"strings"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// List returns a page of conversations, latest message first.
func (s *Service) List(ctx context.Context, who op.Caller, in api.ConversationQuery) (page api.Page[api.Conversation], err error) {
	if in.AssigneeID == "me" {
		in.AssigneeID = who.Actor.ID
	}
	scope := strings.Join([]string{in.State, in.AssigneeID, strconv.FormatBool(in.Unread), in.PersonID, in.Tag, in.Q}, "\x00")
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, conversations, who.Team, scope, in.PageQuery, pageOf(&in),
			func(_ string, r *record) (api.Conversation, error) { return r.C, nil })
		return err
	})
	return page, err
}

// pageOf picks the index that holds the fewest records of what is asked for;
// the other filters drop records as they are read.
func pageOf(in *api.ConversationQuery) kv.Page[record] {
	p := kv.Page[record]{Keep: keep(in)}
	switch {
	case in.PersonID != "":
		p.Index, p.Prefixes = byPerson, [][]byte{kv.Key(in.PersonID)}
	case in.AssigneeID != "":
		p.Index, p.Prefixes = byMember, [][]byte{kv.Key(in.AssigneeID)}
	case in.Unread:
		p.Index = byUnread
	default:
		p.Index, p.Prefixes = byState, statePrefixes(in.State)
	}
	return p
}

func statePrefixes(state string) (prefixes [][]byte) {
	for _, one := range states {
		if state == "" || state == one {
			prefixes = append(prefixes, kv.Key(one))
		}
	}
	return prefixes
}

func keep(in *api.ConversationQuery) func(*record) bool {
	words := strings.Fields(strings.ToLower(in.Q))
	return func(r *record) bool {
		c := &r.C
		switch {
		case in.State != "" && c.State != in.State,
			in.Unread && c.Unread == 0,
			in.AssigneeID != "" && c.AssigneeID != in.AssigneeID,
			in.Tag != "" && !holds(c.Tags, in.Tag):
			return false
		}
		return len(words) == 0 || mentions(c, words)
	}
}

func mentions(c *api.Conversation, words []string) bool {
	text := c.ID + "\n" + c.Visitor.ID + "\n" + c.Visitor.Name + "\n" + c.Visitor.Email + "\n" + strings.Join(c.Tags, "\n")
	if c.LastMessage != nil {
		text += "\n" + c.LastMessage.Text
	}
	text = strings.ToLower(text)
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// latestMessages is how many messages come with one conversation.
const latestMessages = 50

// Get returns one conversation with its latest messages.
func (s *Service) Get(ctx context.Context, who op.Caller, in api.ConversationRef) (out api.ConversationDetail, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		r, err := conversations.Get(tx, who.Team, in.ID)
		if err != nil {
			return err
		}
		out = api.ConversationDetail{Conversation: r.C, Messages: []api.Message{}}
		return readMessages(tx, who.Team, in.ID, r.C.LastSeq-latestMessages, func(m *message) error {
			out.Messages = append(out.Messages, shown(m))
			return nil
		})
	})
	return out, err
}

func (s *Service) read(ctx context.Context, team, id string) (c api.Conversation, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		r, err := conversations.Get(tx, team, id)
		if err == nil {
			c = r.C
		}
		return err
	})
	return c, err
}

// Messages lists the messages after a seq, in their order.
func (s *Service) Messages(ctx context.Context, who op.Caller, in api.MessageQuery) (out api.MessageList, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		out = api.MessageList{Data: []api.Message{}}
		if _, err := conversations.Get(tx, who.Team, in.ID); err != nil {
			return err
		}
		return readMessages(tx, who.Team, in.ID, in.Since, func(m *message) error {
			if len(out.Data) == in.Limit {
				out.HasMore = true
				return kv.Stop
			}
			out.Data = append(out.Data, shown(m))
			return nil
		})
	})
	return out, err
}
