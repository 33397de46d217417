package sdk

import (
	"context"

	"edgesvc.dev/svc/sdk/api"
)

// Texts is the access to objects T that are written as drafts, published, and kept
// in earlier states R: posts and help articles. Get returns one with its content,
// which is safe to show; List leaves the content out unless Include asks for it.
type Texts[T, C, P, Q, R any] struct{ Resource[T, C, P, Q] }

func texts[T, C, P, Q, R any](t *transport, noun string) Texts[T, C, P, Q, R] {
	return Texts[T, C, P, Q, R]{resource[T, C, P, Q](t, noun)}
}

// Source returns an object with its content as it was sent, also where it could run
// something in a browser: for editing, never for showing.
func (r Texts[T, C, P, Q, R]) Source(ctx context.Context, id string, options ...CallOption) (*T, error) {
	return r.one(ctx, "get", api.TextGet{ID: id, Include: "source"}, options)
}

// GetBySlug returns the object that has the slug now.
func (r Texts[T, C, P, Q, R]) GetBySlug(ctx context.Context, slug string, options ...CallOption) (*T, error) {
	return r.one(ctx, "getBySlug", api.TextSlug{Slug: slug}, options)
}

// SourceBySlug is Source of the object that has the slug now.
func (r Texts[T, C, P, Q, R]) SourceBySlug(ctx context.Context, slug string, options ...CallOption) (*T, error) {
	return r.one(ctx, "getBySlug", api.TextSlug{Slug: slug, Include: "source"}, options)
}

// Publish makes an object public.
func (r Texts[T, C, P, Q, R]) Publish(ctx context.Context, ref api.Ref, options ...CallOption) (*T, error) {
	return r.one(ctx, "publish", ref, options)
}

// Unpublish makes a public object a draft again.
func (r Texts[T, C, P, Q, R]) Unpublish(ctx context.Context, ref api.Ref, options ...CallOption) (*T, error) {
	return r.one(ctx, "unpublish", ref, options)
}

// Archive takes an object out of sight; Unarchive brings it back as a draft.
func (r Texts[T, C, P, Q, R]) Archive(ctx context.Context, ref api.Ref, options ...CallOption) (*T, error) {
	return r.one(ctx, "archive", ref, options)
}

// Unarchive makes an archived object a draft.
func (r Texts[T, C, P, Q, R]) Unarchive(ctx context.Context, ref api.Ref, options ...CallOption) (*T, error) {
	return r.one(ctx, "unarchive", ref, options)
}

// Revisions returns one page of an object's earlier states.
func (r Texts[T, C, P, Q, R]) Revisions(ctx context.Context, q api.RevisionQuery, options ...CallOption) (*api.Page[R], error) {
	return do[api.Page[R]](ctx, r.t, r.name("revisions"), q, options)
}

// RestoreRevision makes an earlier state the current one, as a new version.
func (r Texts[T, C, P, Q, R]) RestoreRevision(ctx context.Context, ref api.RevisionRef, options ...CallOption) (*T, error) {
	return r.one(ctx, "restoreRevision", ref, options)
}
