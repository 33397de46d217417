package sdk

import (
	"context"

	"edgesvc.dev/svc/sdk/api"
)

// ArticlesService reads and writes help articles. Get returns an article with its
// content, which is safe to show. List leaves the content out unless Include asks
// for it. Delete removes an article that is not public.
type ArticlesService struct {
	Resource[api.Article, api.ArticleCreate, api.ArticlePatch, api.ArticleQuery]
}

// Source returns an article with its content as it was sent, also where it could
// run something in a browser: for editing, never for showing.
func (s *ArticlesService) Source(ctx context.Context, id string, options ...CallOption) (*api.Article, error) {
	return s.one(ctx, "get", api.ArticleGet{ID: id, Include: "source"}, options)
}

// GetBySlug returns the article that has the slug now.
func (s *ArticlesService) GetBySlug(ctx context.Context, slug string, options ...CallOption) (*api.Article, error) {
	return s.one(ctx, "getBySlug", api.ArticleSlug{Slug: slug}, options)
}

// SourceBySlug is Source of the article that has the slug now.
func (s *ArticlesService) SourceBySlug(ctx context.Context, slug string, options ...CallOption) (*api.Article, error) {
	return s.one(ctx, "getBySlug", api.ArticleSlug{Slug: slug, Include: "source"}, options)
}

// Publish makes an article public.
func (s *ArticlesService) Publish(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Article, error) {
	return s.one(ctx, "publish", ref, options)
}

// Unpublish makes a public article a draft again.
func (s *ArticlesService) Unpublish(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Article, error) {
	return s.one(ctx, "unpublish", ref, options)
}

// Archive takes an article out of sight; Unarchive brings it back as a draft.
func (s *ArticlesService) Archive(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Article, error) {
	return s.one(ctx, "archive", ref, options)
}

// Unarchive makes an archived article a draft.
func (s *ArticlesService) Unarchive(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Article, error) {
	return s.one(ctx, "unarchive", ref, options)
}

// Feedback counts that a reader found a published article helpful, or not.
func (s *ArticlesService) Feedback(ctx context.Context, in api.ArticleFeedback, options ...CallOption) (*api.Helpful, error) {
	return do[api.Helpful](ctx, s.t, s.name("feedback"), in, options)
}

// Revisions returns one page of an article's earlier texts.
func (s *ArticlesService) Revisions(ctx context.Context, q api.ArticleRevisionQuery, options ...CallOption) (*api.Page[api.ArticleRevision], error) {
	return do[api.Page[api.ArticleRevision]](ctx, s.t, s.name("revisions"), q, options)
}

// RestoreRevision makes an earlier text the current one, as a new version.
func (s *ArticlesService) RestoreRevision(ctx context.Context, ref api.ArticleRevisionRef, options ...CallOption) (*api.Article, error) {
	return s.one(ctx, "restoreRevision", ref, options)
}

// CategoriesService groups help articles. Deleting a category leaves its articles
// without one.
type CategoriesService struct {
	Resource[api.Category, api.CategoryCreate, api.CategoryPatch, api.CategoryQuery]
}

// GapsService lists the questions that no article answers.
type GapsService struct {
	Lister[api.Gap, api.GapQuery]
}

// Dismiss dismisses a gap. Repeated questions are still counted; it does not
// reopen.
func (s *GapsService) Dismiss(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Gap, error) {
	return do[api.Gap](ctx, s.t, s.name("dismiss"), ref, options)
}

// Draft makes a draft article of a gap.
func (s *GapsService) Draft(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Article, error) {
	return do[api.Article](ctx, s.t, s.name("draft"), ref, options)
}

// HelpdeskService searches the help centre.
type HelpdeskService struct{ rows }

// Search finds the articles that answer a question or hold the words of a
// search, the best first.
func (s *HelpdeskService) Search(ctx context.Context, q api.HelpSearch, options ...CallOption) ([]api.HelpHit, error) {
	hits, err := do[api.HelpHits](ctx, s.t, "helpdesk.search", q, options)
	if err != nil {
		return nil, err
	}
	return hits.Data, nil
}

// Reindex builds the search index again and returns how many articles it holds.
func (s *HelpdeskService) Reindex(ctx context.Context, options ...CallOption) (int, error) {
	out, err := do[api.Reindexed](ctx, s.t, "helpdesk.reindex", nil, options)
	if err != nil {
		return 0, err
	}
	return out.Articles, nil
}
