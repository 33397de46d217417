package sdk

import (
	"context"
	"errors"

	"edgesvc.dev/svc/sdk/api"
)

// PostsService reads and writes posts. Get returns a post with its content, which
// is safe to show: it is as it was sent unless it could run something in a
// browser. List leaves the content out unless Include asks for it. Delete removes
// a post that is not public.
type PostsService struct {
	Texts[api.Post, api.PostCreate, api.PostPatch, api.PostQuery, api.Revision]
}

// Create stores a post as it is given. For a post that is to be written by a
// model use Generate: without Content, Create sends nothing and returns an
// error.
func (s *PostsService) Create(ctx context.Context, in api.PostCreate, options ...CallOption) (*api.Post, error) {
	if in.Content == "" && in.Generates() {
		return nil, errors.New("posts without content are written by a job: use Generate")
	}
	created, err := s.create(ctx, in, options)
	if err != nil {
		return nil, err
	}
	return created.Post, nil
}

// Generate starts a job that writes the parts whose Generate flags are set.
func (s *PostsService) Generate(ctx context.Context, in api.PostCreate, options ...CallOption) (*JobHandle, error) {
	created, err := s.create(ctx, in, options)
	if err != nil {
		return nil, err
	}
	switch {
	case created.Job != nil:
		return s.job(created.Job.JobID, created.Job.PostID), nil
	case created.Post.Generation != nil:
		return s.job(created.Post.Generation.JobID, created.Post.ID), nil
	}
	return nil, errors.New("the daemon created the post and started no job")
}

func (s *PostsService) create(ctx context.Context, in api.PostCreate, options []CallOption) (*api.PostCreated, error) {
	return do[api.PostCreated](ctx, s.t, "posts.create", in, options)
}

func (s *PostsService) job(id, postID string) *JobHandle {
	return &JobHandle{ID: id, PostID: postID, jobs: newJobs(s.t)}
}

// Search finds the posts that answer a question or hold the words of a search,
// the best first.
func (s *PostsService) Search(ctx context.Context, q api.PostSearch, options ...CallOption) ([]api.PostHit, error) {
	hits, err := do[api.PostHits](ctx, s.t, "posts.search", q, options)
	if err != nil {
		return nil, err
	}
	return hits.Data, nil
}

// Batch makes up to 100 changes, each on its own. The outcomes are in the order
// of the items, and a failed item is not an error of the call.
func (s *PostsService) Batch(ctx context.Context, in api.PostBatch, options ...CallOption) ([]api.PostBatchOutcome, error) {
	out, err := do[api.PostBatchResult](ctx, s.t, "posts.batch", in, options)
	if err != nil {
		return nil, err
	}
	return out.Results, nil
}

// Image starts a job that makes a featured image.
func (s *PostsService) Image(ctx context.Context, in api.PostImage, options ...CallOption) (*JobHandle, error) {
	job, err := do[api.JobStarted](ctx, s.t, "posts.image", in, options)
	if err != nil {
		return nil, err
	}
	return s.job(job.JobID, job.PostID), nil
}
