package tui

import (
	"context"
	"io"
	"iter"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Posts is what the screens do with posts; *sdk.PostsService is one.
type Posts interface {
	List(ctx context.Context, q api.PostQuery, options ...sdk.CallOption) (*api.Page[api.Post], error)
	Get(ctx context.Context, id string, options ...sdk.CallOption) (*api.Post, error)
	Publish(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Post, error)
	Unpublish(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Post, error)
	Archive(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Post, error)
	Unarchive(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Post, error)
	Delete(ctx context.Context, ref api.Ref, options ...sdk.CallOption) error
	Generate(ctx context.Context, in api.PostCreate, options ...sdk.CallOption) (*sdk.JobHandle, error)
}

// Jobs is what the screens do with generation jobs; *sdk.JobsService is one.
type Jobs interface {
	List(ctx context.Context, q api.JobQuery, options ...sdk.CallOption) (*api.Page[api.Job], error)
	Watch(ctx context.Context, id string) iter.Seq2[api.JobEvent, error]
	Cancel(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Job, error)
	Retry(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Job, error)
}

// JobFeed yields the jobs that are not done, then each of the team's jobs as it
// changes; JobsService.Feed of the SDK is one.
type JobFeed func(ctx context.Context) iter.Seq2[api.JobEvent, error]

// Inbox is what an operator does with conversations; *sdk.ConversationsService
// is one.
type Inbox interface {
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

// Agents is what the screens do with agents; *sdk.AgentsService is one.
type Agents interface {
	List(ctx context.Context, q api.PageQuery, options ...sdk.CallOption) (*api.Page[api.Agent], error)
	Activate(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.AgentActivated, error)
	Deactivate(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Agent, error)
	SetRespondToChats(ctx context.Context, in api.AgentSetChats, options ...sdk.CallOption) (*api.Agent, error)
	SetTools(ctx context.Context, in api.AgentSetTools, options ...sdk.CallOption) (*api.Agent, error)
	Update(ctx context.Context, patch api.AgentPatch, options ...sdk.CallOption) (*api.Agent, error)
}

// Tasks is what the screens do with an agent's tasks; *sdk.TasksService is one.
type Tasks interface {
	List(ctx context.Context, q api.TaskQuery, options ...sdk.CallOption) (*api.Page[api.Task], error)
	TestRun(ctx context.Context, in api.TaskTest) iter.Seq2[api.TaskEvent, error]
}

// Terminal is what an editor takes over while it runs.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
}

// Desk is the rest of svcctl, as the screens use it.
type Desk struct {
	// EditPost has a post edited in the person's editor, and NewPost written;
	// both say what was saved.
	EditPost func(ctx context.Context, t Terminal, id string) (string, error)
	NewPost  func(ctx context.Context, t Terminal) (string, error)
	// EditText has a text edited and returns what it says afterwards.
	EditText func(ctx context.Context, t Terminal, name, text string) (string, error)
	// Browse shows an address in the browser.
	Browse func(address string) error
	// Explain says what an error means and what to do about it.
	Explain func(err error) (message, hint string)
	// Member is the id of the member whose session this is, "" without one.
	Member func(ctx context.Context) (string, error)
	// SignIn makes a context of what the wizard asked for and says its team.
	SignIn func(ctx context.Context, in SignIn) (team string, err error)
}

// SignIn is the answers of the wizard: a link, or an address with e-mail and
// password.
type SignIn struct {
	URL, Link, Email, Password string
}
