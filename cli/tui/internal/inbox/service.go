// Package inbox is the screen of the conversations beside the transcript of one, live.
package inbox

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Service is what an operator does with conversations; *sdk.ConversationsService
// is one.
type Service interface {
	List(ctx context.Context, q api.ConversationQuery, options ...sdk.CallOption) (*api.Page[api.Conversation], error)
	Messages(ctx context.Context, q api.MessageQuery, options ...sdk.CallOption) (*api.MessageList, error)
	Reply(ctx context.Context, in api.Reply, options ...sdk.CallOption) (*api.Message, error)
	Note(ctx context.Context, in api.ConversationNote, options ...sdk.CallOption) (*api.Message, error)
	TakeOver(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Conversation, error)
	ReturnToBot(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Conversation, error)
	SetState(ctx context.Context, in api.ConversationSetState, options ...sdk.CallOption) (*api.Conversation, error)
	MarkRead(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Conversation, error)
	Inbox(ctx context.Context) iter.Seq2[api.ConversationEvent, error]
	Conversation(ctx context.Context, in api.ConversationWatch) iter.Seq2[api.ConversationEvent, error]
}

// Canned is the team's saved replies.
type Canned interface {
	List(ctx context.Context, q api.CannedQuery, options ...sdk.CallOption) (*api.Page[api.CannedResponse], error)
}
