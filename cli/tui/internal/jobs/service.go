// Package jobs is the screen of the generation jobs, live.
package jobs

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Service is what the screen does with generation jobs; *sdk.JobsService is one.
type Service interface {
	List(ctx context.Context, q api.JobQuery, options ...sdk.CallOption) (*api.Page[api.Job], error)
	Watch(ctx context.Context, id string) iter.Seq2[api.JobEvent, error]
	Cancel(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Job, error)
	Retry(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Job, error)
}

// Feed yields the jobs that are not done, then each of the team's jobs as it
// changes; JobsService.Feed of the SDK is one.
type Feed func(ctx context.Context) iter.Seq2[api.JobEvent, error]
