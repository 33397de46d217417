// Package chat keeps the conversations of a team with the visitors of its
// sites: their messages in order, who answers, and what goes on right now. It
// lets an agent answer where one is active, once per question whatever crashes,
// and gives way to people.
//
// It does not know how an agent thinks, how sites prove who their visitors are,
// nor what carries frames to a browser. What visitors write is text to it,
// never markup.
package chat

import (
	"context"
	"sync"
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/pace"
	"edgesvc.dev/svc/daemon/internal/queue"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Service is all conversations. The function fields are set once, before it is
// used.
type Service struct {
	// ActiveAgent returns the team's active agent; false when there is none.
	ActiveAgent func(ctx context.Context, team string) (api.Agent, bool, error)
	// Answer writes an agent's answer. One with a HandoffReason hands over to a
	// person; its Text is then what the visitor reads about that.
	Answer func(ctx context.Context, q Question) (Answered, error)
	// Settled counts an answer in the transaction that stores it.
	Settled func(tx kv.Tx, team, agentID string, a api.AgentAnswer) error
	// Member returns a member's name, or a *kv.NotFoundError.
	Member func(tx kv.Tx, team, id string) (name string, err error)
	// Canned reports whether the team has a canned response.
	Canned func(tx kv.Tx, team, id string) (bool, error)
	// Audit adds to the audit log of the caller's team.
	Audit func(tx kv.Tx, who *op.Caller, action, target string) error
	// Quota holds a team to its share of the store, whoever fills it.
	Quota op.Quota
	// Seal keeps the keys that sign visitors' tokens.
	Seal Sealer
	// Now is the clock.
	Now func() time.Time

	store   kv.Store
	log     *event.Log
	o       Options
	answers *queue.Queue // by conversation: the agent is to answer
	snoozes *queue.Queue // by conversation: it wakes up
	hub     hub
	starts  *pace.Limiter[client]

	mu      sync.Mutex                         // guards what follows
	running map[string]context.CancelCauseFunc // answers being written, by conversation
	signing *keys                              // of visitors' tokens, nil before first use
}

// Question is what an agent is to answer. The functions tell what happens while
// it writes; they may be called from one goroutine at a time.
type Question struct {
	Team    string
	AgentID string
	Turns   []Turn // the last of them is the visitor's
	Caller  op.Caller
	Waiting bool // the visitor waits for a person, who was told
	// Conversation and After name the question: After is the seq of the last message
	// that was answered. A further attempt at an answer has the same.
	Conversation string
	After        int

	OnStart   func()
	OnDelta   func(text string)
	OnRestart func() // what was written so far is void
	OnTool    func(api.ToolCall)
}

// Answered is an agent's answer. Marked is its text with the marks of its
// citations, which the agent sees in later turns; visitors and members see Text.
type Answered struct {
	api.AgentAnswer
	Marked string
}

// Turn is one message as an agent sees it. From is api.AuthorVisitor,
// api.AuthorAgent or, for a member, api.AuthorUser.
type Turn struct {
	From string
	Text string
}

// Options adjust the service; the zero value of a field is its default.
type Options struct {
	Debounce time.Duration // silence of the visitor before an agent answers; 700 ms, negative for none
	Workers  int           // answers written at once, shared out fairly among teams; 128
	Limit    time.Duration // the longest that an answer may take; 2 min
	// Delay is the pause after a failed attempt to answer, the first being 1. The
	// default is 1 s, then 2 s.
	Delay func(attempt int) time.Duration

	PerMinute int // messages of a visitor; 20
	PerDay    int // 200
	// EditsPerMinute is how often a visitor may change what is stored of it beside
	// messages: who it is, what it has read, how it rates; 60.
	EditsPerMinute int
	PerAddress     int // connections of an address, or an IPv6 /64, to a team; 5
	PerTeam        int // connections to a team; 500. An IPv6 /48 gets a fifth of them
	Starts         int // conversations that an address, or an IPv6 /64, may begin in a minute; 10

	// Bytes that visitors may have the daemon write in a day (UTC), what agents
	// answer them included; negative is no limit. The defaults are 16 MiB, 512 MiB
	// and 1 GiB.
	DailyPerNetwork, DailyPerSite, DailyPerTeam int64
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		n     *int
		value int
	}{{&o.Workers, 128}, {&o.PerMinute, 20}, {&o.PerDay, 200}, {&o.PerAddress, 5}, {&o.PerTeam, 500}, {&o.Starts, 10}, {&o.EditsPerMinute, 60}} {
		if *d.n == 0 {
			*d.n = d.value
		}
	}
	for _, d := range []struct {
		n     *int64
		value int64
	}{{&o.DailyPerNetwork, 16 << 20}, {&o.DailyPerSite, 512 << 20}, {&o.DailyPerTeam, 1 << 30}} {
		if *d.n == 0 {
			*d.n = d.value
		}
	}
	if o.Debounce == 0 {
		o.Debounce = 700 * time.Millisecond
	}
	if o.Limit == 0 {
		o.Limit = 2 * time.Minute
	}
	return o
}

// New returns the conversations kept in store, which report their changes to
// log.
func New(store kv.Store, log *event.Log, o Options) *Service {
	s := &Service{store: store, log: log, o: o.withDefaults(), Now: time.Now, running: map[string]context.CancelCauseFunc{}}
	s.starts = newStarts(s.o.Starts)
	now := func() time.Time { return s.Now() }
	s.answers = queue.New(store, "chat", queue.Options{Attempts: maxAttempts, Delay: s.o.Delay, Dead: s.giveUp, Now: now})
	s.snoozes = queue.New(store, "snooze", queue.Options{Attempts: 100, Now: now})
	return s
}

func (s *Service) now() api.Time { return api.TimeOf(s.Now()) }

// Ops are the operations on conversations.
func (s *Service) Ops() []op.Op {
	return []op.Op{
		{Name: "conversations.list", Method: "GET", Path: "/conversations", Scope: op.ConversationsRead,
			Tool: "list_conversations", Hints: op.Hints{Title: "List conversations", Default: true}, Do: op.Func(s.List),
			Doc: "Lists conversations, latest message first."},
		{Name: "conversations.get", Method: "GET", Path: "/conversations/{id}", Scope: op.ConversationsRead,
			Tool: "get_conversation", Hints: op.Hints{Title: "Get conversation", Default: true}, Do: op.Func(s.Get),
			Doc: "Returns one conversation with its latest messages."},
		{Name: "conversations.messages", Method: "GET", Path: "/conversations/{id}/messages", Scope: op.ConversationsRead, Do: op.Func(s.Messages),
			Doc: "Lists the messages of a conversation in their order, from a seq on."},
		{Name: "conversations.reply", Method: "POST", Path: "/conversations/{id}/reply", Urgent: true, Scope: op.ConversationsReply,
			Tool: "reply_to_conversation", Hints: op.Hints{Title: "Suggest a reply"}, Do: op.Func(s.Reply),
			Doc: "Sends a message to the visitor and takes the conversation over from the agent. From an AI client nothing is sent: the text becomes a note that suggests a reply, for a person to send."},
		{Name: "conversations.note", Method: "POST", Path: "/conversations/{id}/note", Scope: op.ConversationsReply, Do: op.Func(s.Note),
			Doc: "Adds a note for members; the visitor never sees it."},
		{Name: "conversations.setState", Method: "POST", Path: "/conversations/{id}/state", Urgent: true, Scope: op.ConversationsReply,
			Tool: "set_conversation_state", Hints: op.Hints{Title: "Set conversation state", Idempotent: true}, Do: op.Func(s.SetState),
			Refuses: []api.Code{api.CodeInvalidTransition},
			Doc:     "Opens, snoozes or resolves a conversation. An answer being written by the agent is canceled."},
		{Name: "conversations.assign", Method: "POST", Path: "/conversations/{id}/assign", Urgent: true, Scope: op.ConversationsReply, Do: op.Func(s.Assign),
			Doc: "Gives a conversation to a member, or to none."},
		{Name: "conversations.takeOver", Urgent: true, Scope: op.ConversationsReply, Session: op.Operator, Do: op.Func(s.TakeOver),
			Doc: "Assigns a conversation to the signed-in member and stops the agent."},
		{Name: "conversations.returnToBot", Method: "POST", Path: "/conversations/{id}/return-to-bot", Urgent: true, Scope: op.ConversationsReply, Do: op.Func(s.ReturnToBot),
			Refuses: []api.Code{api.CodeInvalidTransition},
			Doc:     "Lets the active agent answer again, also what the visitor wrote last."},
		{Name: "conversations.tag", Method: "POST", Path: "/conversations/{id}/tags", Scope: op.ConversationsReply, Do: op.Func(s.Tag),
			Doc: "Adds and removes tags."},
		{Name: "conversations.rateMessage", Method: "POST", Path: "/conversations/{id}/rate", Scope: op.ConversationsReply, Do: op.Func(s.RateMessage),
			Doc: "Rates an agent's message."},
		{Name: "conversations.markRead", Method: "POST", Path: "/conversations/{id}/read", Urgent: true, Scope: op.ConversationsReply, Do: op.Func(s.MarkRead),
			Doc: "Says that a member has seen all messages."},
		{Name: "conversations.link", Scope: op.ConversationsReply, Session: op.Operator, Do: op.Func(s.Link),
			Doc: "Says which person a conversation is with."},
		{Name: "conversations.typing", Scope: op.ConversationsReply, Session: op.Operator, Do: op.Func(s.Typing),
			Doc: "Tells the visitor that a member is writing."},
		{Name: "conversations.delete", Frees: true, Session: op.Admin, Audit: true, Hints: op.Hints{Destructive: true}, Do: op.Func(s.Delete),
			Doc: "Deletes a conversation and its messages for good."},
	}
}

// Streams are the live views of members.
func (s *Service) Streams() []op.Stream {
	return []op.Stream{
		{Name: "conversations.inbox", Scope: op.ConversationsRead, Do: op.Follow(s.Inbox),
			Doc: "Follows the team's conversations: the latest first, then each as it changes."},
		{Name: "conversations.conversation", Scope: op.ConversationsRead, Do: op.Follow(s.Conversation),
			Doc: "Follows one conversation: its messages from a seq on, answers as they are written, who types and whether the visitor is there."},
	}
}
