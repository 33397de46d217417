package tasks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/status"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// The triggers and modes of a run.
const (
	TriggerTest       = "test"
	TriggerAutomation = "automation"
	TriggerChat       = "chat"

	modeRender = "render"
	modeLive   = "live"
)

// Invocation asks for a run.
type Invocation struct {
	Team, TaskID    string
	Person, Context map[string]any
	Trigger         string    // one of the Trigger constants
	Actor           api.Actor // of the events; the task's agent when zero
}

// job is one run on its way.
type job struct {
	Invocation
	mode  string
	watch func(api.TaskEvent) // of a stream; may be nil

	rec    *record
	run    api.TaskRun
	req    *request // of an API task
	prompt prompt   // of an LLM task
}

// errCanceled is why the context of a canceled run ended.
var errCanceled = errors.New("the run was canceled")

// Run runs a task now and returns the run as it ended, also when that is failed:
// the error is for what is no matter of the task, such as an unknown id. No
// transaction is open while the endpoint or the model is waited for.
func (s *Service) Run(ctx context.Context, in Invocation) (api.TaskRun, error) {
	return s.carryOut(ctx, &job{Invocation: in, mode: modeLive})
}

// TestRun runs a task by hand.
func (s *Service) TestRun(ctx context.Context, who op.Caller, in api.TaskTest) (api.TaskRun, error) {
	j, err := s.test(&who, in)
	if err != nil {
		return api.TaskRun{}, err
	}
	return s.carryOut(ctx, j)
}

// Stream is TestRun, told as it goes. A reader that leaves ends the run.
func (s *Service) Stream(ctx context.Context, who op.Caller, in api.TaskTestLive, emit op.Emit[api.TaskEvent]) error {
	if in.LastEventID != "" {
		return s.resume(ctx, who, in.LastEventID, emit)
	}
	j, err := s.test(&who, in.TaskTest)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	j.watch = func(e api.TaskEvent) {
		id := ""
		if e.Run != nil {
			id = e.Run.ID
		}
		if err := emit(id, e); err != nil {
			cancel(err)
		}
	}
	_, err = s.carryOut(ctx, j)
	return err
}

// resume tells a reader that is back how the run ended.
func (s *Service) resume(ctx context.Context, who op.Caller, id string, emit op.Emit[api.TaskEvent]) error {
	s.mu.Lock()
	l := s.running[id]
	s.mu.Unlock()
	if l != nil {
		select {
		case <-l.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	run, err := s.GetRun(ctx, who, api.TaskRunRef{ID: id})
	if err != nil {
		return err
	}
	return emit(run.ID, api.TaskEvent{Type: "run", Run: &run})
}

func (s *Service) test(who *op.Caller, in api.TaskTest) (*job, error) {
	if in.Mode == modeLive {
		if err := who.Spend(op.ClassAI); err != nil {
			return nil, err
		}
	}
	return &job{
		Invocation: Invocation{Team: who.Team, TaskID: in.ID, Person: in.Person, Context: in.Context, Trigger: TriggerTest, Actor: who.Actor},
		mode:       in.Mode,
	}, nil
}

func (s *Service) carryOut(ctx context.Context, j *job) (api.TaskRun, error) {
	rec, err := s.read(ctx, j.Team, j.TaskID)
	if err != nil {
		return api.TaskRun{}, err
	}
	j.rec = rec
	now := s.Now()
	j.run = api.TaskRun{
		ID: kv.IDAt("run", now), TaskID: j.TaskID, AgentID: rec.Task.AgentID, State: api.RunRunning, Trigger: j.Trigger, Mode: j.mode,
		MissingPlaceholders: []string{}, Warnings: []string{}, CreatedAt: api.TimeOf(now), UpdatedAt: api.TimeOf(now), Version: 1,
	}
	if j.Actor == (api.Actor{}) {
		j.Actor = api.Actor{Type: "agent", ID: rec.Task.AgentID}
	}
	outcome := s.prepare(ctx, j)
	if _, known := errors.AsType[*failure](outcome); outcome != nil && !known {
		return api.TaskRun{}, outcome
	}
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	defer s.register(j.run.ID, abort)()
	if err := s.begin(ctx, j); err != nil {
		return api.TaskRun{}, err
	}
	if outcome == nil && j.mode == modeLive {
		outcome = s.perform(ctx, j)
	}
	j.settle(outcome, s.Now().Sub(now))
	return s.end(context.WithoutCancel(ctx), j)
}

// prepare fills in the task's templates.
func (s *Service) prepare(ctx context.Context, j *job) error {
	name, brand, err := s.Brand(ctx, j.Team)
	if err != nil {
		return fmt.Errorf("read brand: %w", err)
	}
	team, err := s.Team(ctx, j.Team)
	if err != nil {
		return fmt.Errorf("read team: %w", err)
	}
	f := &filler{fence: j.run.ID[len(j.run.ID)-12:], values: map[string]any{
		"person": members(j.Person), "context": members(j.Context), "team": members(team), "brand": brandValues(name, brand),
	}}
	if j.rec.Task.Kind == api.TaskLLM {
		j.prompt, err = write(&j.rec.Task, f, name, brand)
		j.run.Prompt, j.run.Provider = j.prompt.shown(), s.models.ProviderOf(modelOf(&j.rec.Task))
	} else if j.req, err = s.compose(j.Team, j.rec, f); j.req != nil {
		j.run.Request = j.req.shown()
	}
	if len(f.missing) > 0 {
		j.run.MissingPlaceholders = f.missing
		return failed(api.CodeTemplateError, false, "There is no value for %s.", strings.Join(f.missing, ", "))
	}
	return err
}

func members(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func brandValues(name string, b api.Brand) map[string]any {
	facts := make([]any, len(b.Facts))
	for i, f := range b.Facts {
		facts[i] = f
	}
	return map[string]any{
		"name": name, "description": b.Description, "audience": b.Audience, "voice": b.Voice, "facts": facts, "logoUrl": b.LogoURL,
	}
}

// begin stores the run as running, so that it can be seen, canceled, and found
// after a crash.
func (s *Service) begin(ctx context.Context, j *job) error {
	err := s.Quota.Update(ctx, s.store, j.Team, func(tx kv.Tx) error {
		if err := runs.Insert(tx, j.Team, j.run.ID, &runRecord{Run: j.run, Actor: j.Actor}); err != nil {
			return err
		}
		return underway.Insert(tx, j.Team, j.run.ID, &underwayRecord{})
	})
	if err == nil {
		j.tell()
	}
	return err
}

func (j *job) tell() {
	if j.watch != nil {
		run := j.run
		j.watch(api.TaskEvent{Type: "run", Run: &run})
	}
}

// perform makes the request or asks the model, within the task's time.
func (s *Service) perform(ctx context.Context, j *job) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(j.rec.Task.TimeoutMs)*time.Millisecond)
	defer cancel()
	var err error
	if j.req != nil {
		err = s.call(ctx, j.req, &j.run)
	} else {
		err = s.ask(ctx, &j.rec.Task, j.prompt, &j.run, func(text string) {
			if j.watch != nil {
				j.watch(api.TaskEvent{Type: "delta", Text: text})
			}
		})
	}
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) && err != nil {
		return failed(api.CodeProviderTimeout, true, "The task took longer than %d ms.", j.rec.Task.TimeoutMs)
	}
	return err
}

// live is a run of this process.
type live struct {
	abort context.CancelCauseFunc
	done  chan struct{} // closed when the run's end is stored
}

// register makes a run known until the function that it returns is called.
func (s *Service) register(id string, abort context.CancelCauseFunc) (unregister func()) {
	l := &live{abort, make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[id] = l
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, id)
		close(l.done)
	}
}

// settle gives the run its last state.
func (j *job) settle(err error, took time.Duration) {
	j.run.DurationMs = took.Milliseconds()
	f, known := errors.AsType[*failure](err)
	switch {
	case err == nil:
		j.run.State = api.RunCompleted
	case known:
		j.run.State, j.run.Error = api.RunFailed, &f.JobError
	case errors.Is(err, context.Canceled):
		j.run.State = api.RunCanceled
	default:
		slog.Error("task run", "run", j.run.ID, "err", err)
		j.run.State, j.run.Error = api.RunFailed, &api.JobError{Code: string(api.CodeInternal), Message: "The run failed on our side."}
	}
}

// end stores what became of a run, with its event. A run that was ended meanwhile,
// by who canceled it, stays as that left it.
func (s *Service) end(ctx context.Context, j *job) (api.TaskRun, error) {
	var out api.TaskRun
	err := s.store.Update(ctx, func(tx kv.Tx) error {
		stored, err := runs.Get(tx, j.Team, j.run.ID)
		if err != nil {
			return err
		}
		if stored.Run.State != api.RunRunning {
			out = stored.Run
			return nil
		}
		out = j.run
		out.Version, out.UpdatedAt = stored.Run.Version+1, s.now()
		return s.finish(tx, j.Team, &runRecord{Run: out, Actor: j.Actor})
	})
	if err == nil {
		j.run = out
		j.tell()
	}
	return out, err
}

// finish stores a run that is done.
func (s *Service) finish(tx kv.Tx, team string, r *runRecord) error {
	if err := runs.Put(tx, team, r.Run.ID, r); err != nil {
		return err
	}
	if err := underway.Delete(tx, team, r.Run.ID); err != nil {
		return err
	}
	if r.Run.Trigger == TriggerTest || r.Run.State == api.RunCanceled {
		return nil
	}
	kind := taskCompleted
	if r.Run.State == api.RunFailed {
		kind = taskFailed
	}
	told := r.Run
	told.Request, told.Response, told.Prompt = nil, nil, ""
	return event.Append(s.log, tx, op.Caller{Kind: op.System, Team: team, Actor: r.Actor}, kind, &told, nil)
}

// CancelRun stops a run that is not done.
func (s *Service) CancelRun(ctx context.Context, who op.Caller, in api.TaskRunRef) (api.TaskRun, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.TaskRun, error) {
		r, err := runs.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.TaskRun{}, err
		}
		switch r.Run.State {
		case api.RunCanceled:
			return r.Run, nil
		case api.RunCompleted, api.RunFailed:
			return r.Run, status.Refuse(r.Run.State, api.RunCanceled, "A run that is %s cannot be canceled.", r.Run.State)
		}
		r.Run.State, r.Run.Version, r.Run.UpdatedAt = api.RunCanceled, r.Run.Version+1, s.now()
		r.Run.DurationMs = int64(r.Run.UpdatedAt - r.Run.CreatedAt)
		tx.OnCommit(func() { s.abort(in.ID) })
		return r.Run, s.finish(tx, who.Team, r)
	})
}

// abort stops a run in this process, if it is here.
func (s *Service) abort(id string) {
	s.mu.Lock()
	l := s.running[id]
	s.mu.Unlock()
	if l != nil {
		l.abort(errCanceled)
	}
}
