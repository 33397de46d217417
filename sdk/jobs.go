package sdk

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// longPoll is how many seconds the daemon may hold an answer back.
const longPoll = 25

// JobsService follows generation jobs.
type JobsService struct {
	Lister[api.Job, api.JobQuery]
}

func newJobs(t *transport) *JobsService {
	return &JobsService{Lister[api.Job, api.JobQuery]{rows{t, "jobs"}}}
}

// Get returns a job as it is now.
func (s *JobsService) Get(ctx context.Context, id string, options ...CallOption) (*api.Job, error) {
	return s.one(ctx, "get", api.JobRef{ID: id}, options)
}

// Wait returns the job when it is done, whatever its outcome: see Job.State.
func (s *JobsService) Wait(ctx context.Context, id string, options ...CallOption) (*api.Job, error) {
	for {
		job, err := s.one(ctx, "get", api.JobRef{ID: id, Wait: longPoll}, options)
		if err != nil || job.Done() {
			return job, err
		}
	}
}

// Cancel stops a job that is not done.
func (s *JobsService) Cancel(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Job, error) {
	return s.one(ctx, "cancel", ref, options)
}

// Retry queues a failed job again.
func (s *JobsService) Retry(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Job, error) {
	return s.one(ctx, "retry", ref, options)
}

// Handle follows a job that was started elsewhere.
func (s *JobsService) Handle(id string) *JobHandle { return &JobHandle{ID: id, jobs: s} }

func (s *JobsService) one(ctx context.Context, verb string, in any, options []CallOption) (*api.Job, error) {
	return do[api.Job](ctx, s.t, s.name(verb), in, options)
}

// JobHandle is a job that was started.
type JobHandle struct {
	ID     string
	PostID string // empty when the handle was made from the job's id
	jobs   *JobsService
}

// Watch yields the job each time it changes, the last time when it is done.
func (h *JobHandle) Watch(ctx context.Context) iter.Seq2[*api.Job, error] {
	return func(yield func(*api.Job, error) bool) {
		for event, err := range h.jobs.Watch(ctx, h.ID) {
			if err != nil {
				yield(nil, err)
				return
			}
			if event.Job != nil && !yield(event.Job, nil) {
				return
			}
		}
	}
}

// Wait returns the job when it is done, whatever its outcome.
func (h *JobHandle) Wait(ctx context.Context) (*api.Job, error) { return h.jobs.Wait(ctx, h.ID) }
