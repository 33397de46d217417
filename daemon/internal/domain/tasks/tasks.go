// Package tasks keeps what agents can do on request: API tasks, which call an
// endpoint, and LLM tasks, which ask a language model. It runs them, tries them
// out, and keeps a log of the runs.
//
// It does not know agents, nor what asks for a run. The endpoint's answer, the
// model's, and all values of placeholders are data of strangers.
package tasks

import (
	"context"
	"sync"
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/outbound"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/daemon/internal/seal"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	maxTasks  = 20 // per agent
	maxRunAge = 30 * 24 * time.Hour
)

// Service is all tasks. The function fields are set once, before it is used.
type Service struct {
	// Agent returns a *kv.NotFoundError unless the team has that agent.
	Agent func(tx kv.Tx, team, agentID string) error
	// Brand returns the name of a team and what may be said about it.
	Brand func(ctx context.Context, team string) (name string, brand api.Brand, err error)
	// Team returns what the placeholders below team stand for.
	Team func(ctx context.Context, team string) (map[string]any, error)
	// Quota holds a team to its share of the store, which runs take, too.
	Quota op.Quota
	// Now is the clock.
	Now func() time.Time

	store  kv.Store
	log    *event.Log
	models *llm.Router
	box    *seal.Box
	client *outbound.Client
	tasks  *resource.Collection[record]

	mu      sync.Mutex       // guards running
	running map[string]*live // by run id
}

// New returns the tasks kept in store, with secrets in box. Models write for LLM
// tasks, client makes the requests of API tasks.
func New(store kv.Store, log *event.Log, models *llm.Router, box *seal.Box, client *outbound.Client) *Service {
	s := &Service{
		Now: time.Now, store: store, log: log, models: models, box: box, client: client,
		running: map[string]*live{},
	}
	s.tasks = s.collection()
	return s
}

// Ops are the operations on tasks, for members; and the one tool for models.
func (s *Service) Ops() []op.Op {
	read := op.Hints{ReadOnly: true}
	return []op.Op{
		{Name: "tasks.list", Session: op.Viewer, Class: op.ClassRead, Hints: read, Do: op.Func(s.List),
			Doc: "Lists tasks, newest first."},
		{Name: "tasks.get", Session: op.Viewer, Class: op.ClassRead, Hints: read, Do: op.Func(s.Get),
			Doc: "Returns one task; its secrets are never shown."},
		{Name: "tasks.create", Session: op.Editor, Audit: true, Do: op.Also(op.Func(s.Create), s.createRules),
			Doc: "Creates a task of an agent: an API task calls an endpoint, an LLM task asks a model."},
		{Name: "tasks.update", Session: op.Editor, Audit: true, Do: op.Func(s.Update),
			Doc: "Changes the members that are sent (JSON merge patch). Another host in url takes the key away."},
		{Name: "tasks.delete", Frees: true, Session: op.Editor, Audit: true, Hints: op.Hints{Destructive: true}, Do: op.Func(s.Delete),
			Doc: "Deletes a task; its runs stay for thirty days."},
		{Name: "tasks.setApiKey", Session: op.Editor, Audit: true, Do: op.Func(s.SetKey),
			Doc: "Stores the key of an API task. It is sent to the host of the task's url and shown to nobody."},
		{Name: "tasks.clearApiKey", Session: op.Editor, Audit: true, Hints: op.Hints{Destructive: true}, Do: op.Func(s.ClearKey),
			Doc: "Forgets the key of an API task."},
		{Name: "tasks.testRun", Session: op.Operator, Do: op.Func(s.TestRun),
			Doc: "Runs a task by hand and answers when it is done: render shows what would be sent, live does it."},
		{Name: "tasks.test", Scope: op.AgentsRun | op.AIUse, Tool: "test_task", Hints: op.Hints{Title: "Test task", OpenWorld: true}, Do: op.Func(s.TestRun),
			Doc: "Runs an agent's task by hand: mode render shows what would be sent, live does it."},
		{Name: "tasks.runs", Session: op.Viewer, Class: op.ClassRead, Hints: read, Do: op.Func(s.Runs),
			Doc: "Lists runs, newest first; they are kept for thirty days."},
		{Name: "tasks.getRun", Session: op.Viewer, Class: op.ClassRead, Hints: read, Do: op.Func(s.GetRun),
			Doc: "Returns one run."},
		{Name: "tasks.cancelRun", Frees: true, Session: op.Operator, Do: op.Func(s.CancelRun),
			Doc: "Stops a run that is not done."},
	}
}

// Streams are the operations that answer as they go.
func (s *Service) Streams() []op.Stream {
	return []op.Stream{
		{Name: "tasks.stream", Session: op.Operator, Do: op.Follow(s.Stream),
			Doc: "Runs a task by hand as testRun does: the run as it begins, a model's text as it is written, the run as it ended."},
	}
}

func (s *Service) now() api.Time { return api.TimeOf(s.Now()) }
