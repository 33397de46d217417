package sdk

import (
	"context"
	"iter"
	"net/http"

	"edgesvc.dev/svc/sdk/api"
)

// ConversationsService reads conversations with visitors and answers them, by
// API key or in a member's session.
type ConversationsService struct {
	t       *transport
	session bool
}

// List returns one page of conversations, latest message first.
func (s *ConversationsService) List(ctx context.Context, q api.ConversationQuery, options ...CallOption) (*api.Page[api.Conversation], error) {
	return do[api.Page[api.Conversation]](ctx, s.t, s.route("list", http.MethodGet, "", "data"), q, options)
}

// All yields the conversations of every page.
func (s *ConversationsService) All(ctx context.Context, q api.ConversationQuery, options ...CallOption) iter.Seq2[*api.Conversation, error] {
	return all(q.PageQuery, func(page api.PageQuery) (*api.Page[api.Conversation], error) {
		q.PageQuery = page
		return s.List(ctx, q, options...)
	})
}

// Get returns a conversation with its latest messages.
func (s *ConversationsService) Get(ctx context.Context, id string, options ...CallOption) (*api.ConversationDetail, error) {
	return do[api.ConversationDetail](ctx, s.t, s.route("get", http.MethodGet, "/{id}", "id"), api.ConversationRef{ID: id}, options)
}

// Messages returns messages in their order, from a seq on.
func (s *ConversationsService) Messages(ctx context.Context, q api.MessageQuery, options ...CallOption) (*api.MessageList, error) {
	return do[api.MessageList](ctx, s.t, s.route("messages", http.MethodGet, "/{id}/messages", "data"), q, options)
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
	return do[api.Message](ctx, s.t, s.route("reply", http.MethodPost, "/{id}/reply", "id"), in, options)
}

// Note adds a note for members.
func (s *ConversationsService) Note(ctx context.Context, in api.ConversationNote, options ...CallOption) (*api.Message, error) {
	return do[api.Message](ctx, s.t, s.route("note", http.MethodPost, "/{id}/note", "id"), in, options)
}

// SetState opens, snoozes or resolves a conversation.
func (s *ConversationsService) SetState(ctx context.Context, in api.ConversationSetState, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "setState", "/{id}/state", in, options)
}

// Assign gives a conversation to a member, or to none.
func (s *ConversationsService) Assign(ctx context.Context, in api.ConversationAssign, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "assign", "/{id}/assign", in, options)
}

// ReturnToBot lets the active agent answer again.
func (s *ConversationsService) ReturnToBot(ctx context.Context, id string, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "returnToBot", "/{id}/return-to-bot", api.ConversationRef{ID: id}, options)
}

// Tag adds and removes tags.
func (s *ConversationsService) Tag(ctx context.Context, in api.ConversationTag, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "tag", "/{id}/tags", in, options)
}

// MarkRead says that a member has seen all messages.
func (s *ConversationsService) MarkRead(ctx context.Context, id string, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "markRead", "/{id}/read", api.ConversationRef{ID: id}, options)
}

// RateMessage rates an agent's message.
func (s *ConversationsService) RateMessage(ctx context.Context, in api.MessageRate, options ...CallOption) (*api.Message, error) {
	return do[api.Message](ctx, s.t, s.route("rateMessage", http.MethodPost, "/{id}/rate", "id"), in, options)
}

// one calls an operation that answers with a conversation.
func (s *ConversationsService) one(ctx context.Context, verb, path string, in any, options []CallOption) (*api.Conversation, error) {
	return do[api.Conversation](ctx, s.t, s.route(verb, http.MethodPost, path, "id"), in, options)
}

func (s *ConversationsService) route(verb, method, path, member string) route {
	if s.session {
		return operation("conversations."+verb, member)
	}
	return route{method, v1 + "/conversations" + path, member}
}

// LiveConversations is what a signed-in member does with conversations: what a
// key may do too, and to follow them.
type LiveConversations struct{ *ConversationsService }

func newLiveConversations(t *transport) *LiveConversations {
	return &LiveConversations{&ConversationsService{t: t, session: true}}
}

// Inbox yields the latest conversations, then each as it changes.
func (s *LiveConversations) Inbox(ctx context.Context) iter.Seq2[api.ConversationEvent, error] {
	return subscribe[api.ConversationEvent](ctx, s.t, "conversations.inbox", api.InboxWatch{})
}

// Conversation yields a conversation, its messages from a seq on, and then what
// happens in it.
func (s *LiveConversations) Conversation(ctx context.Context, in api.ConversationWatch) iter.Seq2[api.ConversationEvent, error] {
	return subscribe[api.ConversationEvent](ctx, s.t, "conversations.conversation", in)
}

// TakeOver assigns a conversation to the member and stops the agent.
func (s *LiveConversations) TakeOver(ctx context.Context, id string, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "takeOver", "", api.ConversationRef{ID: id}, options)
}

// Link says which person a conversation is with.
func (s *LiveConversations) Link(ctx context.Context, in api.ConversationLink, options ...CallOption) (*api.Conversation, error) {
	return s.one(ctx, "link", "", in, options)
}

// Typing tells the visitor that the member is writing, or ceased to.
func (s *LiveConversations) Typing(ctx context.Context, in api.ConversationTyping, options ...CallOption) error {
	_, err := do[api.None](ctx, s.t, operation("conversations.typing", ""), in, options)
	return err
}

// Delete removes a conversation and its messages for good.
func (s *LiveConversations) Delete(ctx context.Context, id string, options ...CallOption) error {
	_, err := do[api.Deleted](ctx, s.t, operation("conversations.delete", ""), api.ConversationRef{ID: id}, options)
	return err
}
