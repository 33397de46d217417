// Package jobs generates parts of posts with language models: bodies,
// descriptions, tags and covers. A job is durable: it survives a crash, is tried
// again where that can help, and takes effect once.
//
// It does not know how posts are kept; it reads one and hands back changes. The
// text of posts, prompts and sources is data to it, and it tells the model so.
package jobs

import (
	"context"
	"errors"
	"sync"
	"time"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/queue"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const (
	maxAttempts = 3
	maxQueued   = 100 // per team
	jobLimit    = 10 * time.Minute
	stepLimit   = 2 * time.Minute
)

// Service is all jobs. The function fields are set once, before it is used.
type Service struct {
	// Read returns a post with its content.
	Read func(tx kv.Tx, team, id string) (api.Post, error)
	// Generated tells the post what became of its job, and what the job made.
	// It runs in the transaction in which the job reaches that state.
	Generated func(tx kv.Tx, who op.Caller, job *api.Job, changes api.PostChanges) error
	// Brand returns the name of a team and what may be said about it.
	Brand func(ctx context.Context, team string) (name string, brand api.Brand, err error)
	// StoreImage keeps a cover and returns what a post shows of it.
	StoreImage func(tx kv.Tx, who op.Caller, name string, img llm.Image) (api.Image, error)
	// Now is the clock.
	Now func() time.Time

	store   kv.Store
	models  *llm.Router
	queue   *queue.Queue
	workers int
	hub     hub

	mu      sync.Mutex                         // guards running
	running map[string]context.CancelCauseFunc // by job id
}

// Options adjust the work; the zero value of a field is its default.
type Options struct {
	Workers int // jobs at work at once, shared out fairly among teams; 4
	// Delay is the pause after a failed attempt, the first being 1. The default
	// is 5 s, then 30 s.
	Delay func(attempt int) time.Duration
}

// New returns the jobs kept in store, written by models.
func New(store kv.Store, models *llm.Router, o Options) *Service {
	if o.Workers == 0 {
		o.Workers = 4
	}
	if o.Delay == nil {
		o.Delay = func(attempt int) time.Duration {
			return []time.Duration{5 * time.Second, 30 * time.Second}[min(attempt, 2)-1]
		}
	}
	s := &Service{
		Now: time.Now, store: store, models: models, workers: o.Workers,
		running: map[string]context.CancelCauseFunc{},
	}
	s.queue = queue.New(store, "jobs", queue.Options{
		Attempts: maxAttempts, Delay: o.Delay, Dead: s.bury,
		Now: func() time.Time { return s.Now() },
	})
	return s
}

// Ops are the operations on jobs, and the list of models.
func (s *Service) Ops() []op.Op {
	return []op.Op{
		{Name: "jobs.list", Method: "GET", Path: "/posts/jobs", Scope: op.PostsRead, Do: op.Func(s.List),
			Doc: "Lists generation jobs, newest first."},
		{Name: "jobs.get", Method: "GET", Path: "/posts/jobs/{id}", Scope: op.PostsRead,
			Tool: "get_job", Hints: op.Hints{Title: "Get generation job", Default: true}, Do: op.Func(s.Get),
			Doc: "Returns one job; with wait, once it is done or the time is over."},
		{Name: "jobs.cancel", Frees: true, Method: "POST", Path: "/posts/jobs/{id}/cancel", Scope: op.PostsWrite, Do: op.Func(s.Cancel),
			Refuses: []api.Code{api.CodeInvalidTransition},
			Doc:     "Stops a job that is queued or running. Its post stays as it is."},
		{Name: "jobs.retry", Method: "POST", Path: "/posts/jobs/{id}/retry", Scope: op.PostsWrite | op.AIUse, Class: op.ClassAI, Do: op.Func(s.Retry),
			Refuses: []api.Code{api.CodeInvalidTransition, api.CodeQuotaExceeded},
			Doc:     "Queues the steps of a job that has ended again: those that failed, were canceled or skipped."},
		{Name: "models.list", Method: "GET", Path: "/models", Scope: op.PostsRead, Do: op.Func(s.Models),
			Doc: "Lists the language models and who answers for them now."},
	}
}

// Run works on jobs until ctx ends. Jobs under way are then given back, to be
// started again by the next Run.
func (s *Service) Run(ctx context.Context) error {
	s.queue.Run(ctx, s.workers, s.work)
	return nil
}

// Reclaim takes over the work of a process that died; see queue.Reclaim.
func (s *Service) Reclaim(ctx context.Context) error { return s.queue.Reclaim(ctx) }

func (s *Service) now() api.Time { return api.TimeOf(s.Now()) }

// Models lists the four models.
func (s *Service) Models(context.Context, op.Caller, api.None) (api.ModelList, error) {
	var out api.ModelList
	for _, m := range llm.Models() {
		by := s.models.ServingOf(m)
		out.Data = append(out.Data, api.Model{
			ID: m.ID, Name: m.Name, Provider: m.Provider, State: m.State,
			ContextTokens: m.ContextWindow, OutputTokens: m.MaxOutput,
			Configured: by.Provider != llm.ProviderOffline, ServedBy: by.Provider,
			SentAs: by.Name, Address: by.Address, LastAnswer: lastAnswer(by.Last),
		})
	}
	return out, nil
}

func lastAnswer(o *llm.Outcome) *api.ModelAnswer {
	if o == nil {
		return nil
	}
	return &api.ModelAnswer{At: api.TimeOf(o.At), OK: o.OK, Status: o.Status, RequestID: o.RequestID, Problem: string(o.Problem)}
}

func missing(err error) bool {
	_, ok := errors.AsType[*kv.NotFoundError](err)
	return ok
}
