package tuitest

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Jobs replays Events of a job, or streams Live.
type Jobs struct {
	Page   api.Page[api.Job]
	Events map[string][]api.JobEvent
	// live, when set, is the stream of every job.
	Live chan api.JobEvent
	All  chan api.JobEvent // the stream of all jobs; nil has none
	// Changes replays the stream of all jobs, where All is nil.
	Changes []api.JobEvent
	Feeds   int // that were opened
	Calls   []string
}

// List answers as the daemon would.
func (f *Jobs) List(context.Context, api.JobQuery, ...sdk.CallOption) (*api.Page[api.Job], error) {
	page := f.Page
	return &page, nil
}

// Watch answers as the daemon would.
func (f *Jobs) Watch(ctx context.Context, id string) iter.Seq2[api.JobEvent, error] {
	if f.Live != nil {
		return Received(ctx, f.Live)
	}
	return Replayed(f.Events[id])
}

// Feed answers as the daemon would.
func (f *Jobs) Feed(ctx context.Context) iter.Seq2[api.JobEvent, error] {
	f.Feeds++
	if f.All == nil {
		return Replayed(f.Changes)
	}
	return Received(ctx, f.All)
}

// Cancel answers as the daemon would.
func (f *Jobs) Cancel(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Job, error) {
	f.Calls = append(f.Calls, "cancel "+ref.ID)
	return &api.Job{ID: ref.ID, State: api.JobCanceled, Version: 100}, nil
}

// Retry answers as the daemon would.
func (f *Jobs) Retry(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Job, error) {
	f.Calls = append(f.Calls, "retry "+ref.ID)
	return &api.Job{ID: ref.ID, State: api.JobQueued, Version: 100}, nil
}

// Replayed is a stream that ends after what was recorded.
func Replayed[T any](values []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range values {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// Received is a stream of what the test sends.
func Received[T any](ctx context.Context, values <-chan T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			select {
			case <-ctx.Done():
				return
			case v, ok := <-values:
				if !ok || !yield(v, nil) {
					return
				}
			}
		}
	}
}
