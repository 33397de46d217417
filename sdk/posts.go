package sdk

import (
	"context"
	"errors"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// PostsService reads and writes posts.
type PostsService struct{ t *transport }

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
	jobs := &JobsService{t: s.t}
	switch {
	case created.Job != nil:
		return &JobHandle{ID: created.Job.JobID, PostID: created.Job.PostID, jobs: jobs}, nil
	case created.Post.Generation != nil:
		return &JobHandle{ID: created.Post.Generation.JobID, PostID: created.Post.ID, jobs: jobs}, nil
	}
	return nil, errors.New("the daemon created the post and started no job")
}

func (s *PostsService) create(ctx context.Context, in api.PostCreate, options []CallOption) (*api.PostCreated, error) {
	return do[api.PostCreated](ctx, s.t, route{"POST", v1 + "/posts", "id"}, in, options)
}

// Get returns a post with its content, which is safe to show: it is as it was
// sent unless it could run something in a browser.
func (s *PostsService) Get(ctx context.Context, id string, options ...CallOption) (*api.Post, error) {
	return s.one(ctx, "GET", "/posts/{id}", api.PostGet{ID: id}, options)
}

// Source returns a post with its content as it was sent, also where it could run
// something in a browser: for editing, never for showing.
func (s *PostsService) Source(ctx context.Context, id string, options ...CallOption) (*api.Post, error) {
	return s.one(ctx, "GET", "/posts/{id}", api.PostGet{ID: id, Include: "source"}, options)
}

// GetBySlug returns the post that has the slug now.
func (s *PostsService) GetBySlug(ctx context.Context, slug string, options ...CallOption) (*api.Post, error) {
	return s.one(ctx, "GET", "/posts/by-slug/{slug}", api.PostSlug{Slug: slug}, options)
}

// SourceBySlug is Source of the post that has the slug now.
func (s *PostsService) SourceBySlug(ctx context.Context, slug string, options ...CallOption) (*api.Post, error) {
	return s.one(ctx, "GET", "/posts/by-slug/{slug}", api.PostSlug{Slug: slug, Include: "source"}, options)
}

// List returns one page of posts, without content unless Include asks for it.
func (s *PostsService) List(ctx context.Context, q api.PostQuery, options ...CallOption) (*api.Page[api.Post], error) {
	return do[api.Page[api.Post]](ctx, s.t, route{"GET", v1 + "/posts", "data"}, q, options)
}

// All yields the posts of every page.
func (s *PostsService) All(ctx context.Context, q api.PostQuery, options ...CallOption) iter.Seq2[*api.Post, error] {
	return all(q.PageQuery, func(page api.PageQuery) (*api.Page[api.Post], error) {
		q.PageQuery = page
		return s.List(ctx, q, options...)
	})
}

// Update changes the members that are set. With IfMatch it refuses
// (version_conflict) when the post has another version by now.
func (s *PostsService) Update(ctx context.Context, in api.PostPatch, options ...CallOption) (*api.Post, error) {
	return s.one(ctx, "PATCH", "/posts/{id}", in, options)
}

// Publish makes a post public.
func (s *PostsService) Publish(ctx context.Context, ref api.PostRef, options ...CallOption) (*api.Post, error) {
	return s.one(ctx, "POST", "/posts/{id}/publish", ref, options)
}

// Unpublish makes a public post a draft again.
func (s *PostsService) Unpublish(ctx context.Context, ref api.PostRef, options ...CallOption) (*api.Post, error) {
	return s.one(ctx, "POST", "/posts/{id}/unpublish", ref, options)
}

// Archive takes a post out of sight; Unarchive brings it back as a draft.
func (s *PostsService) Archive(ctx context.Context, ref api.PostRef, options ...CallOption) (*api.Post, error) {
	return s.one(ctx, "POST", "/posts/{id}/archive", ref, options)
}

// Unarchive makes an archived post a draft.
func (s *PostsService) Unarchive(ctx context.Context, ref api.PostRef, options ...CallOption) (*api.Post, error) {
	return s.one(ctx, "POST", "/posts/{id}/unarchive", ref, options)
}

// Delete removes an archived post for good.
func (s *PostsService) Delete(ctx context.Context, ref api.PostRef, options ...CallOption) error {
	_, err := do[api.Deleted](ctx, s.t, route{"DELETE", v1 + "/posts/{id}", ""}, ref, options)
	return err
}

// Batch makes up to 100 changes, each on its own; the outcomes stand in the
// order of the items, and a failed item is no error of the call.
func (s *PostsService) Batch(ctx context.Context, in api.PostBatch, options ...CallOption) ([]api.PostBatchOutcome, error) {
	out, err := do[api.PostBatchResult](ctx, s.t, route{"POST", v1 + "/posts/batch", "results"}, in, options)
	if err != nil {
		return nil, err
	}
	return out.Results, nil
}

// Revisions returns one page of a post's earlier states.
func (s *PostsService) Revisions(ctx context.Context, q api.RevisionQuery, options ...CallOption) (*api.Page[api.Revision], error) {
	return do[api.Page[api.Revision]](ctx, s.t, route{"GET", v1 + "/posts/{id}/revisions", "data"}, q, options)
}

// RestoreRevision makes an earlier state the current one, as a new version.
func (s *PostsService) RestoreRevision(ctx context.Context, ref api.RevisionRef, options ...CallOption) (*api.Post, error) {
	return s.one(ctx, "POST", "/posts/{id}/revisions/{n}/restore", ref, options)
}

// Image starts a job that makes a featured image.
func (s *PostsService) Image(ctx context.Context, in api.PostImage, options ...CallOption) (*JobHandle, error) {
	job, err := do[api.JobStarted](ctx, s.t, route{"POST", v1 + "/posts/{id}/image", "jobId"}, in, options)
	if err != nil {
		return nil, err
	}
	return &JobHandle{ID: job.JobID, PostID: job.PostID, jobs: &JobsService{t: s.t}}, nil
}

// one calls an operation that answers with a post.
func (s *PostsService) one(ctx context.Context, method, path string, in any, options []CallOption) (*api.Post, error) {
	return do[api.Post](ctx, s.t, route{method, v1 + path, "id"}, in, options)
}
