package tuitest

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Inbox replays Events of the inbox and Talks of a conversation, or streams Live.
type Inbox struct {
	Page        api.Page[api.Conversation]
	Transcripts map[string][]api.Message
	Events      []api.ConversationEvent            // of the inbox
	Talks       map[string][]api.ConversationEvent // of one conversation
	Live        chan api.ConversationEvent
	Refuse      error
	Calls       []string
	Read        []string
	Feeds       int // of the inbox
	Opened      int // transcripts
}

// List answers as the daemon would.
func (f *Inbox) List(context.Context, api.ConversationQuery, ...sdk.CallOption) (*api.Page[api.Conversation], error) {
	page := f.Page
	return &page, f.Refuse
}

// Messages answers as the daemon would.
func (f *Inbox) Messages(_ context.Context, q api.MessageQuery, _ ...sdk.CallOption) (*api.MessageList, error) {
	return &api.MessageList{Data: f.Transcripts[q.ID]}, nil
}

func (f *Inbox) sent(kind, id, text string) (*api.Message, error) {
	f.Calls = append(f.Calls, kind+" "+id+" "+text)
	if f.Refuse != nil {
		return nil, f.Refuse
	}
	return &api.Message{ID: "msg_sent", ConversationID: id, Seq: 100, Text: text, Note: kind == "note", CreatedAt: api.TimeOf(Noon),
		Author: api.MessageAuthor{Type: api.AuthorUser, ID: "user_me", Name: "Grace"}}, nil
}

// Reply answers as the daemon would.
func (f *Inbox) Reply(_ context.Context, in api.Reply, _ ...sdk.CallOption) (*api.Message, error) {
	return f.sent("reply", in.ID, in.Text)
}

// Note answers as the daemon would.
func (f *Inbox) Note(_ context.Context, in api.ConversationNote, _ ...sdk.CallOption) (*api.Message, error) {
	return f.sent("note", in.ID, in.Text)
}

func (f *Inbox) changed(doing, id, state, assignee string) (*api.Conversation, error) {
	f.Calls = append(f.Calls, doing+" "+id)
	for _, c := range f.Page.Data {
		if c.ID == id {
			c.State, c.AssigneeID = state, assignee
			c.Version += 100
			return &c, f.Refuse
		}
	}
	return nil, api.NewError(404, api.CodeNotFound, "there is no such conversation")
}

// TakeOver answers as the daemon would.
func (f *Inbox) TakeOver(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Conversation, error) {
	return f.changed("take over", ref.ID, api.ConversationOpen, "user_me")
}

// ReturnToBot answers as the daemon would.
func (f *Inbox) ReturnToBot(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Conversation, error) {
	return f.changed("hand back", ref.ID, api.ConversationBot, "")
}

// SetState answers as the daemon would.
func (f *Inbox) SetState(_ context.Context, in api.ConversationSetState, _ ...sdk.CallOption) (*api.Conversation, error) {
	return f.changed(in.State, in.ID, in.State, "user_me")
}

// MarkRead answers as the daemon would.
func (f *Inbox) MarkRead(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Conversation, error) {
	f.Read = append(f.Read, ref.ID)
	for _, c := range f.Page.Data {
		if c.ID == ref.ID {
			c.Unread = 0
			c.Version++
			return &c, nil
		}
	}
	return nil, api.NewError(404, api.CodeNotFound, "there is no such conversation")
}

// Canned is saved replies.
type Canned []api.CannedResponse

// List answers as the daemon would.
func (f *Canned) List(context.Context, api.CannedQuery, ...sdk.CallOption) (*api.Page[api.CannedResponse], error) {
	return &api.Page[api.CannedResponse]{Data: *f}, nil
}

// Inbox answers as the daemon would.
func (f *Inbox) Inbox(context.Context) iter.Seq2[api.ConversationEvent, error] {
	f.Feeds++
	return Replayed(f.Events)
}

// Conversation answers as the daemon would.
func (f *Inbox) Conversation(ctx context.Context, in api.ConversationWatch) iter.Seq2[api.ConversationEvent, error] {
	f.Opened++
	if f.Live != nil {
		return Received(ctx, f.Live)
	}
	return Replayed(f.Talks[in.ID])
}
