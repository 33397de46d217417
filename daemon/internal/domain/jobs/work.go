package jobs

import (
	"context"
	"errors"
	"fmt"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/queue"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// task is one attempt at a job.
type task struct {
	claim queue.Claim
	who   op.Caller
	rec   *record
	post  api.Post // as it was when the attempt began
	facts facts
	made  api.PostChanges
	image *llm.Image
	// failure is why the first failed step failed.
	failure *api.JobError
}

// work makes one attempt. The model is called outside any transaction; what it
// wrote is stored with the job's end in one, which the claim guards.
func (s *Service) work(ctx context.Context, c queue.Claim) error {
	stopping := ctx
	ctx, cancel := context.WithTimeout(ctx, jobLimit)
	defer cancel()
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	s.register(c.ID, abort)
	defer s.unregister(c.ID)
	defer s.hub.write(c.ID, "")

	t, err := s.begin(ctx, c)
	if err != nil || t == nil {
		return err
	}
	for i := 0; i < len(t.rec.Job.Steps) && err == nil; i++ {
		err = s.step(ctx, t, i)
	}
	switch {
	case stopping.Err() != nil:
		return errors.Join(stopping.Err(), s.park(context.WithoutCancel(ctx), t))
	case errors.Is(context.Cause(ctx), queue.ErrLost):
		return queue.ErrLost
	case err != nil && ctx.Err() == nil:
		return err
	}
	return s.finish(context.WithoutCancel(ctx), t)
}

func (s *Service) register(id string, abort context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[id] = abort
}

func (s *Service) unregister(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.running, id)
}

// begin marks the job as running and reads what it works on. The task is nil
// when the post is gone.
func (s *Service) begin(ctx context.Context, c queue.Claim) (*task, error) {
	name, brand, err := s.Brand(ctx, c.Team)
	if err != nil {
		return nil, fmt.Errorf("read brand: %w", err)
	}
	var t *task
	err = s.store.Update(ctx, func(tx kv.Tx) error {
		t = nil
		if err := s.queue.Check(tx, c); err != nil {
			return err
		}
		r, err := table.Get(tx, c.Team, c.ID)
		if err != nil {
			return err
		}
		who := r.caller(c.Team)
		post, err := s.Read(tx, c.Team, r.Job.PostID)
		if missing(err) {
			return s.orphan(tx, c, who, r)
		}
		if err != nil {
			return err
		}
		r.start(c.Attempt, s.now())
		if err := s.put(tx, c.Team, r); err != nil {
			return err
		}
		f := facts{team: name, brand: brand, brief: r.Brief, fence: c.ID}
		if f.sources, err = s.sources(tx, c.Team, r.Brief.Sources); err != nil {
			return err
		}
		t = &task{claim: c, who: who, rec: r, post: post, facts: f}
		return s.Generated(tx, who, &r.Job, api.PostChanges{})
	})
	return t, err
}

func (r *record) start(attempt int, now api.Time) {
	r.reset()
	r.Job.State, r.Job.Attempt = api.JobRunning, attempt
	if r.Job.StartedAt == 0 {
		r.Job.StartedAt = now
	}
}

// orphan ends a job whose post is gone.
func (s *Service) orphan(tx kv.Tx, c queue.Claim, who op.Caller, r *record) error {
	r.Job.Warnings = append(r.Job.Warnings, "The post was deleted.")
	if err := s.end(tx, who, r, api.JobCanceled, api.PostChanges{}); err != nil {
		return err
	}
	return s.queue.Finish(tx, c)
}

// sources reads the posts to draw from. One that was deleted meanwhile is left
// out.
func (s *Service) sources(tx kv.Tx, team string, ids []string) ([]llm.Source, error) {
	var out []llm.Source
	for _, id := range ids {
		p, err := s.Read(tx, team, id)
		if missing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, llm.Source{Title: p.Title, Text: p.Content, URL: p.CanonicalURL})
	}
	return out, nil
}

// step does one step and keeps its outcome in the task. An error means that
// there is no use in going on.
func (s *Service) step(ctx context.Context, t *task, i int) error {
	st := &t.rec.Job.Steps[i]
	if st.State == api.JobCompleted { // before a retry
		return nil
	}
	if t.rec.lacksBody(st.Name) {
		st.State, st.Warning = api.JobSkipped, "There is no body to make it from."
		return nil
	}
	st.State, st.StartedAt = api.JobRunning, s.now()
	t.rec.Job.Progress = 100 * i / len(t.rec.Job.Steps)
	if err := s.checkpoint(ctx, t); err != nil {
		return err
	}
	s.hub.write(t.claim.ID, st.Name)
	limited, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	err := s.perform(limited, t, st)
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return ctx.Err()
	}
	st.State, st.FinishedAt = api.JobCompleted, s.now()
	if err != nil {
		e := failureOf(err)
		st.State, st.Error = api.JobFailed, e.Message
		if t.failure == nil {
			t.failure = e
		}
	}
	if st.Warning != "" {
		t.warn(st.Warning)
	}
	return ctx.Err()
}

// lacksBody reports a step that is made from the body, where writing that failed.
func (r *record) lacksBody(step string) bool {
	content := r.step(stepContent)
	return (step == stepDescription || step == stepTags) && content != nil && content.State == api.JobFailed
}

func (t *task) warn(text string) { t.rec.Job.Warnings = append(t.rec.Job.Warnings, text) }

// checkpoint stores how far the job is.
func (s *Service) checkpoint(ctx context.Context, t *task) error {
	var stored *record
	err := s.store.Update(ctx, func(tx kv.Tx) error {
		if err := s.queue.Check(tx, t.claim); err != nil {
			return err
		}
		stored = t.rec.clone()
		return s.put(tx, t.claim.Team, stored)
	})
	if err == nil {
		t.rec.Job.Version, t.rec.Job.UpdatedAt = stored.Job.Version, stored.Job.UpdatedAt
	}
	return err
}

// park makes the job look queued while the daemon is down.
func (s *Service) park(ctx context.Context, t *task) error {
	t.rec.reset()
	return s.checkpoint(ctx, t)
}

func failureOf(err error) *api.JobError {
	e, ok := errors.AsType[*llm.Error](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &api.JobError{Code: string(api.CodeProviderTimeout), Message: "The model took too long.", Retryable: true}
	case !ok:
		return &api.JobError{Code: string(api.CodeProviderError), Message: err.Error()}
	}
	code := api.CodeProviderError
	switch e.Kind {
	case llm.KindRateLimited:
		code = api.CodeRateLimited
	case llm.KindTimeout:
		code = api.CodeProviderTimeout
	}
	return &api.JobError{Code: string(code), Message: e.Provider + ": " + e.Message, Retryable: e.Retryable}
}
