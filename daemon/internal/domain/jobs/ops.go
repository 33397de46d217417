package jobs

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/queue"
	"edgesvc.dev/svc/daemon/internal/status"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Start queues the job that the flags of in ask for, in a transaction of the
// caller's. The rest of in is the post as it is now.
func (s *Service) Start(tx kv.Tx, who op.Caller, postID string, in api.PostCreate) (api.JobStarted, error) {
	r, err := s.compose(tx, who, postID, &in)
	if err != nil {
		return api.JobStarted{}, err
	}
	if err := s.enqueue(tx, who.Team, r); err != nil {
		return api.JobStarted{}, err
	}
	if err := table.Insert(tx, who.Team, r.Job.ID, r); err != nil {
		return api.JobStarted{}, err
	}
	s.publish(tx, who.Team, r)
	return api.JobStarted{JobID: r.Job.ID, ID: r.Job.ID, PostID: postID, State: r.Job.State}, nil
}

func (s *Service) compose(tx kv.Tx, who op.Caller, postID string, in *api.PostCreate) (*record, error) {
	now := s.Now()
	job := api.Job{
		ID: kv.IDAt("job", now), PostID: postID, Title: in.Title, State: api.JobQueued, Warnings: []string{},
		CreatedAt: api.TimeOf(now), UpdatedAt: api.TimeOf(now), Version: 1,
	}
	writes := false
	for _, step := range []struct {
		name string
		on   bool
	}{{stepContent, in.GenerateContent}, {stepDescription, in.GenerateDescription}, {stepTags, in.GenerateTags}, {stepImage, in.GenerateImage}} {
		if step.on {
			job.Steps = append(job.Steps, api.JobStep{Name: step.name, State: api.JobQueued})
			writes = writes || step.name != stepImage
		}
	}
	if writes {
		job.Model = in.Model
		if job.Model == "" {
			job.Model = llm.Models()[0].ID
		}
		if err := llm.CheckModel(job.Model); err != nil {
			return nil, err
		}
		job.Provider = s.models.ProviderOf(job.Model)
	}
	for i, id := range in.Sources {
		if _, err := s.Read(tx, who.Team, id); missing(err) {
			return nil, api.Invalid(fmt.Sprintf("/sources/%d", i), "not_found", "there is no such post")
		} else if err != nil {
			return nil, err
		}
	}
	return &record{
		Job: job, Actor: who.Actor, Source: who.Source,
		Brief: brief{Prompt: in.Prompt, Audience: in.Audience, Tone: in.Tone, Length: in.Length, Sources: in.Sources},
		Base:  baseOf(in.Content, in.Description, in.Tags, in.FeaturedImage),
	}, nil
}

// enqueue makes the job due, within the team's quota.
func (s *Service) enqueue(tx kv.Tx, team string, r *record) error {
	queued, err := table.List(tx, team, kv.Page[record]{Index: "state", Prefixes: [][]byte{kv.Key(api.JobQueued)}, Limit: maxQueued, Skip: op.Unreadable})
	if err != nil {
		return err
	}
	if len(queued.IDs) == maxQueued {
		return api.NewError(http.StatusConflict, api.CodeQuotaExceeded, "The team has %d jobs waiting; let some finish first.", maxQueued)
	}
	return s.queue.Add(tx, queue.Item{ID: r.Job.ID, Team: team}, s.Now())
}

// List lists jobs in the order of their creation.
func (s *Service) List(ctx context.Context, who op.Caller, in api.JobQuery) (page api.Page[api.Job], err error) {
	p := kv.Page[record]{Index: "state"}
	for _, state := range []string{api.JobQueued, api.JobRunning, api.JobCompleted, api.JobFailed, api.JobCanceled} {
		if in.State == "" || in.State == state {
			p.Prefixes = append(p.Prefixes, kv.Key(state))
		}
	}
	if in.PostID != "" {
		p = kv.Page[record]{Index: "post", Prefixes: [][]byte{kv.Key(in.PostID)}}
		p.Keep = func(r *record) bool { return in.State == "" || r.Job.State == in.State }
	}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, table, who.Team, in.State+"\x00"+in.PostID, in.PageQuery, p,
			func(_ string, r *record) (api.Job, error) { return r.Job, nil })
		return err
	})
	return page, err
}

// Get returns a job. With in.Wait it answers when the job is done, or with the
// job as it then is when that many seconds are over.
func (s *Service) Get(ctx context.Context, who op.Caller, in api.JobRef) (api.Job, error) {
	if in.Wait == 0 {
		return s.read(ctx, who.Team, in.ID)
	}
	w, err := s.Watch(ctx, who.Team, in.ID)
	if err != nil {
		return api.Job{}, err
	}
	defer w.Close()
	waiting, cancel := context.WithTimeout(ctx, time.Duration(in.Wait)*time.Second)
	defer cancel()
	if err := w.Follow(waiting, func(api.JobEvent) error { return nil }); err != nil && waiting.Err() == nil {
		return api.Job{}, err
	}
	return s.read(ctx, who.Team, in.ID)
}

func (s *Service) read(ctx context.Context, team, id string) (job api.Job, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		r, err := table.Get(tx, team, id)
		if err == nil {
			job = r.Job
		}
		return err
	})
	return job, err
}

// Cancel ends a job that is not done yet, and the call to the model with it.
func (s *Service) Cancel(ctx context.Context, who op.Caller, in api.JobRef) (api.Job, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Job, error) {
		r, err := table.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Job{}, err
		}
		if r.Job.State == api.JobCanceled {
			return r.Job, nil
		}
		if r.Job.Done() {
			return r.Job, status.Refuse(r.Job.State, api.JobCanceled, "A job that is %s cannot become %s.", r.Job.State, api.JobCanceled)
		}
		if err := s.queue.Remove(tx, in.ID); err != nil {
			return r.Job, err
		}
		tx.OnCommit(func() { s.abort(in.ID) })
		return r.Job, s.end(tx, who, r, api.JobCanceled, api.PostChanges{})
	})
}

// Retry queues the steps of a job that has ended again, of those that it was asked
// for and did not make, against the post as it is now.
func (s *Service) Retry(ctx context.Context, who op.Caller, in api.JobRef) (api.Job, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Job, error) {
		r, err := table.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Job{}, err
		}
		if !r.Job.Done() {
			return r.Job, status.Refuse(r.Job.State, api.JobQueued, "A job that is %s cannot become %s.", r.Job.State, api.JobQueued)
		}
		if r.Done = r.made(); len(r.Done) == len(r.Job.Steps) {
			return r.Job, status.Refuse(r.Job.State, api.JobQueued, "The job has made all that it was asked for.")
		}
		p, err := s.Read(tx, who.Team, r.Job.PostID)
		if err != nil {
			return r.Job, err
		}
		if g := p.Generation; g != nil && g.JobID != in.ID && (g.State == api.JobQueued || g.State == api.JobRunning) {
			e := status.Refuse(r.Job.State, api.JobQueued, "The job %s of this post is still at work.", g.JobID)
			e.ExistingID = g.JobID
			return r.Job, e
		}
		r.Base = baseOf(p.Content, p.Description, p.Tags, p.FeaturedImage)
		r.reset()
		r.Job.Attempt, r.Job.StartedAt = 0, 0
		if err := s.enqueue(tx, who.Team, r); err != nil {
			return r.Job, err
		}
		if err := s.put(tx, who.Team, r); err != nil {
			return r.Job, err
		}
		return r.Job, s.Generated(tx, who, &r.Job, api.PostChanges{})
	})
}

// made are the steps that succeeded.
func (r *record) made() (out []api.JobStep) {
	for _, st := range r.Job.Steps {
		if st.State == api.JobCompleted {
			out = append(out, st)
		}
	}
	return out
}

// wasDone reports a step that an earlier run has made.
func (r *record) wasDone(step string) bool {
	return slices.ContainsFunc(r.Done, func(st api.JobStep) bool { return st.Name == step })
}

// reset makes the job look as before its first step, but for those that are not
// to be done again.
func (r *record) reset() {
	r.Job.State, r.Job.Progress, r.Job.Error, r.Job.CompletedAt = api.JobQueued, 0, nil, 0
	r.Job.Warnings = []string{}
	for i, step := range r.Job.Steps {
		r.Job.Steps[i] = api.JobStep{Name: step.Name, State: api.JobQueued}
	}
	for _, done := range r.Done {
		*r.step(done.Name) = done
	}
}

// end writes the last state of a job and tells its post.
func (s *Service) end(tx kv.Tx, who op.Caller, r *record, state string, changes api.PostChanges) error {
	r.Job.State, r.Job.CompletedAt = state, s.now()
	for i := range r.Job.Steps {
		if step := &r.Job.Steps[i]; step.State == api.JobQueued || step.State == api.JobRunning {
			step.State, step.FinishedAt = api.JobCanceled, r.Job.CompletedAt
		}
	}
	if state == api.JobCompleted {
		r.Job.Progress = 100
	}
	if err := s.put(tx, who.Team, r); err != nil {
		return err
	}
	err := s.Generated(tx, who, &r.Job, changes)
	if missing(err) { // the post is gone, and with it the wish
		return nil
	}
	return err
}

// bury fails a job whose every attempt ended without an outcome, such as by a
// crash.
func (s *Service) bury(tx kv.Tx, it queue.Item, reason string) error {
	r, err := table.Get(tx, it.Team, it.ID)
	if missing(err) || err == nil && r.Job.Done() {
		return nil
	}
	if err != nil {
		return err
	}
	r.Job.Error = &api.JobError{Code: string(api.CodeInternal), Message: "The job was given up: " + reason + ".", Retryable: true}
	return s.end(tx, r.caller(it.Team), r, api.JobFailed, api.PostChanges{})
}

// abort stops the work on a job in this process, if it is here.
func (s *Service) abort(id string) {
	s.mu.Lock()
	stop := s.running[id]
	s.mu.Unlock()
	if stop != nil {
		stop(queue.ErrLost)
	}
}
