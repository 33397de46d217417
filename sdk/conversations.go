package sdk

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// ConversationsService reads conversations with visitors and answers them. To
// follow them as they happen takes a member's session.
type ConversationsService struct {
	Lister[api.Conversation, api.ConversationQuery]
}

// Get returns a conversation with its latest messages.
func (s *ConversationsService) Get(ctx context.Context, id string, options ...CallOption) (*api.ConversationDetail, error) {
	return do[api.ConversationDetail](ctx, s.t, s.name("get"), api.Ref{ID: id}, options)
}

// Messages returns messages in their order, from a seq on.
func (s *ConversationsService) Messages(ctx context.Context, q api.MessageQuery, options ...CallOption) (*api.MessageList, error) {
	return do[api.MessageList](ctx, s.t, s.name("messages"), q, options)
}

// Transcript yields every message of a conversation in its order.
func (s *ConversationsService) Transcript(ctx context.Context, id string, options ...CallOption) iter.Seq2[*api.Message, error] {
	return func(yield func(*api.Message, error) bool) {
		for since, more := 0, true; more; {
			page, err := s.Messages(ctx, api.MessageQuery{ID: id, Since: since, Limit: 200}, options...)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page.Data {
				since = page.Data[i].Seq
				if !yield(&page.Data[i], nil) {
					return
				}
			}
			more = page.HasMore && len(page.Data) > 0
		}
	}
}

// Reply sends a message to the visitor and takes the conversation over.
func (s *ConversationsService) Reply(ctx context.Context, in api.Reply, options ...CallOption) (*api.Message, error) {
	return do[api.Message](ctx, s.t, s.name("reply"), in, options)
}

// Note adds a note for members.
func (s *ConversationsService) Note(ctx context.Context, in api.ConversationNote, options ...CallOption) (*api.Message, error) {
	return do[api.Message](ctx, s.t, s.name("note"), in, options)
}

// SetState opens, snoozes or resolves a conversation.
func (s *ConversationsService) SetState(ctx context.Context, in api.ConversationSetState, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "setState", in, options)
}

// Assign gives a conversation to a member, or to none.
func (s *ConversationsService) Assign(ctx context.Context, in api.ConversationAssign, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "assign", in, options)
}

// ReturnToBot lets the active agent answer again.
func (s *ConversationsService) ReturnToBot(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "returnToBot", ref, options)
}

// Tag adds and removes tags.
func (s *ConversationsService) Tag(ctx context.Context, in api.ConversationTag, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "tag", in, options)
}

// MarkRead says that a member has seen all messages.
func (s *ConversationsService) MarkRead(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "markRead", ref, options)
}

// RateMessage rates an agent's message.
func (s *ConversationsService) RateMessage(ctx context.Context, in api.MessageRate, options ...CallOption) (*api.Message, error) {
	return do[api.Message](ctx, s.t, s.name("rateMessage"), in, options)
}

// one calls an operation that answers with a conversation.
func (s *ConversationsService) one(ctx context.Context, verb string, in any, options []CallOption) (*api.Conversation, error) {
	return do[api.Conversation](ctx, s.t, s.name(verb), in, options)
}

// Inbox yields the latest conversations, then each as it changes.
func (s *ConversationsService) Inbox(ctx context.Context) iter.Seq2[api.ConversationEvent, error] {
	return subscribe[api.ConversationEvent](ctx, s.t, "conversations.inbox", api.InboxWatch{})
}

// Conversation yields a conversation, its messages from a seq on, and then what
// happens in it.
func (s *ConversationsService) Conversation(ctx context.Context, in api.ConversationWatch) iter.Seq2[api.ConversationEvent, error] {
	return subscribe[api.ConversationEvent](ctx, s.t, "conversations.conversation", in)
}

// TakeOver assigns a conversation to the member and stops the agent.
func (s *ConversationsService) TakeOver(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "takeOver", ref, options)
}

// Link says which person a conversation is with.
func (s *ConversationsService) Link(ctx context.Context, in api.ConversationLink, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "link", in, options)
}

// Typing tells the visitor that the member is writing, or has stopped.
func (s *ConversationsService) Typing(ctx context.Context, in api.ConversationTyping, options ...CallOption) error {
	return s.run(ctx, "typing", in, options)
}

// Delete removes a conversation and its messages for good.
func (s *ConversationsService) Delete(ctx context.Context, ref api.Ref, options ...CallOption) error {
	return s.run(ctx, "delete", ref, options)
}
