package sdk

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// HelpdeskService reads and writes help articles, their categories and the
// questions that they do not answer.
type HelpdeskService struct{ t *transport }

// Create stores an article as it is given.
func (s *HelpdeskService) Create(ctx context.Context, in api.ArticleCreate, options ...CallOption) (*api.Article, error) {
	return s.article(ctx, "POST", "/articles", in, options)
}

// Get returns an article with its content, which is safe to show: it is as it
// was sent unless it could run something in a browser.
func (s *HelpdeskService) Get(ctx context.Context, id string, options ...CallOption) (*api.Article, error) {
	return s.article(ctx, "GET", "/articles/{id}", api.ArticleGet{ID: id}, options)
}

// Source returns an article with its content as it was sent, also where it could
// run something in a browser: for editing, never for showing.
func (s *HelpdeskService) Source(ctx context.Context, id string, options ...CallOption) (*api.Article, error) {
	return s.article(ctx, "GET", "/articles/{id}", api.ArticleGet{ID: id, Include: "source"}, options)
}

// GetBySlug returns the article that has the slug now.
func (s *HelpdeskService) GetBySlug(ctx context.Context, slug string, options ...CallOption) (*api.Article, error) {
	return s.article(ctx, "GET", "/articles/by-slug/{slug}", api.ArticleSlug{Slug: slug}, options)
}

// SourceBySlug is Source of the article that has the slug now.
func (s *HelpdeskService) SourceBySlug(ctx context.Context, slug string, options ...CallOption) (*api.Article, error) {
	return s.article(ctx, "GET", "/articles/by-slug/{slug}", api.ArticleSlug{Slug: slug, Include: "source"}, options)
}

// List returns one page of articles, without content unless Include asks for it.
func (s *HelpdeskService) List(ctx context.Context, q api.ArticleQuery, options ...CallOption) (*api.Page[api.Article], error) {
	return helpdesk[api.Page[api.Article]](ctx, s, "GET", "/articles", "data", q, options)
}

// All yields the articles of every page.
func (s *HelpdeskService) All(ctx context.Context, q api.ArticleQuery, options ...CallOption) iter.Seq2[*api.Article, error] {
	return all(q.PageQuery, func(page api.PageQuery) (*api.Page[api.Article], error) {
		q.PageQuery = page
		return s.List(ctx, q, options...)
	})
}

// Update changes the members that are set. With IfMatch it refuses
// (version_conflict) when the article has another version by now.
func (s *HelpdeskService) Update(ctx context.Context, in api.ArticlePatch, options ...CallOption) (*api.Article, error) {
	return s.article(ctx, "PATCH", "/articles/{id}", in, options)
}

// Publish makes an article public.
func (s *HelpdeskService) Publish(ctx context.Context, ref api.ArticleRef, options ...CallOption) (*api.Article, error) {
	return s.article(ctx, "POST", "/articles/{id}/publish", ref, options)
}

// Unpublish makes a public article a draft again.
func (s *HelpdeskService) Unpublish(ctx context.Context, ref api.ArticleRef, options ...CallOption) (*api.Article, error) {
	return s.article(ctx, "POST", "/articles/{id}/unpublish", ref, options)
}

// Archive takes an article out of sight; Unarchive brings it back as a draft.
func (s *HelpdeskService) Archive(ctx context.Context, ref api.ArticleRef, options ...CallOption) (*api.Article, error) {
	return s.article(ctx, "POST", "/articles/{id}/archive", ref, options)
}

// Unarchive makes an archived article a draft.
func (s *HelpdeskService) Unarchive(ctx context.Context, ref api.ArticleRef, options ...CallOption) (*api.Article, error) {
	return s.article(ctx, "POST", "/articles/{id}/unarchive", ref, options)
}

// Delete removes an archived article for good.
func (s *HelpdeskService) Delete(ctx context.Context, ref api.ArticleRef, options ...CallOption) error {
	_, err := helpdesk[api.Deleted](ctx, s, "DELETE", "/articles/{id}", "", ref, options)
	return err
}

// Feedback counts that a reader found a published article helpful, or not.
func (s *HelpdeskService) Feedback(ctx context.Context, in api.ArticleFeedback, options ...CallOption) (*api.Helpful, error) {
	return helpdesk[api.Helpful](ctx, s, "POST", "/articles/{id}/feedback", "yes", in, options)
}

// Revisions returns one page of an article's earlier texts.
func (s *HelpdeskService) Revisions(ctx context.Context, q api.ArticleRevisionQuery, options ...CallOption) (*api.Page[api.ArticleRevision], error) {
	return helpdesk[api.Page[api.ArticleRevision]](ctx, s, "GET", "/articles/{id}/revisions", "data", q, options)
}

// RestoreRevision makes an earlier text the current one, as a new version.
func (s *HelpdeskService) RestoreRevision(ctx context.Context, ref api.ArticleRevisionRef, options ...CallOption) (*api.Article, error) {
	return s.article(ctx, "POST", "/articles/{id}/revisions/{n}/restore", ref, options)
}

// Search finds the articles that answer a question or hold the words of a
// search, the best first.
func (s *HelpdeskService) Search(ctx context.Context, q api.HelpSearch, options ...CallOption) ([]api.HelpHit, error) {
	hits, err := helpdesk[api.HelpHits](ctx, s, "GET", "/search", "data", q, options)
	if err != nil {
		return nil, err
	}
	return hits.Data, nil
}

// Reindex builds the search index anew and returns how many articles it holds.
func (s *HelpdeskService) Reindex(ctx context.Context, options ...CallOption) (int, error) {
	out, err := helpdesk[api.Reindexed](ctx, s, "POST", "/reindex", "articles", struct{}{}, options)
	if err != nil {
		return 0, err
	}
	return out.Articles, nil
}

// CreateCategory stores a category.
func (s *HelpdeskService) CreateCategory(ctx context.Context, in api.CategoryCreate, options ...CallOption) (*api.Category, error) {
	return helpdesk[api.Category](ctx, s, "POST", "/categories", "id", in, options)
}

// GetCategory returns one category.
func (s *HelpdeskService) GetCategory(ctx context.Context, id string, options ...CallOption) (*api.Category, error) {
	return helpdesk[api.Category](ctx, s, "GET", "/categories/{id}", "id", api.Ref{ID: id}, options)
}

// ListCategories returns one page of categories by their position.
func (s *HelpdeskService) ListCategories(ctx context.Context, q api.CategoryQuery, options ...CallOption) (*api.Page[api.Category], error) {
	return helpdesk[api.Page[api.Category]](ctx, s, "GET", "/categories", "data", q, options)
}

// Categories yields all categories by their position.
func (s *HelpdeskService) Categories(ctx context.Context, options ...CallOption) iter.Seq2[*api.Category, error] {
	return all(api.PageQuery{}, func(page api.PageQuery) (*api.Page[api.Category], error) {
		return s.ListCategories(ctx, api.CategoryQuery(page), options...)
	})
}

// UpdateCategory changes the members that are set.
func (s *HelpdeskService) UpdateCategory(ctx context.Context, in api.CategoryPatch, options ...CallOption) (*api.Category, error) {
	return helpdesk[api.Category](ctx, s, "PATCH", "/categories/{id}", "id", in, options)
}

// DeleteCategory removes a category; its articles are left without one.
func (s *HelpdeskService) DeleteCategory(ctx context.Context, ref api.Ref, options ...CallOption) error {
	_, err := helpdesk[api.Deleted](ctx, s, "DELETE", "/categories/{id}", "", ref, options)
	return err
}

// ListGaps returns one page of questions that no article answers.
func (s *HelpdeskService) ListGaps(ctx context.Context, q api.GapQuery, options ...CallOption) (*api.Page[api.Gap], error) {
	return helpdesk[api.Page[api.Gap]](ctx, s, "GET", "/gaps", "data", q, options)
}

// Gaps yields the gaps of every page.
func (s *HelpdeskService) Gaps(ctx context.Context, q api.GapQuery, options ...CallOption) iter.Seq2[*api.Gap, error] {
	return all(q.PageQuery, func(page api.PageQuery) (*api.Page[api.Gap], error) {
		q.PageQuery = page
		return s.ListGaps(ctx, q, options...)
	})
}

// DismissGap sets a gap aside.
func (s *HelpdeskService) DismissGap(ctx context.Context, id string, options ...CallOption) (*api.Gap, error) {
	return helpdesk[api.Gap](ctx, s, "POST", "/gaps/{id}/dismiss", "id", api.GapRef{ID: id}, options)
}

// DraftGap makes a draft article of a gap.
func (s *HelpdeskService) DraftGap(ctx context.Context, id string, options ...CallOption) (*api.Article, error) {
	return s.article(ctx, "POST", "/gaps/{id}/draft", api.GapRef{ID: id}, options)
}

// article calls an operation that answers with an article.
func (s *HelpdeskService) article(ctx context.Context, method, path string, in any, options []CallOption) (*api.Article, error) {
	return helpdesk[api.Article](ctx, s, method, path, "id", in, options)
}

func helpdesk[Out any](ctx context.Context, s *HelpdeskService, method, path, member string, in any, options []CallOption) (*Out, error) {
	return do[Out](ctx, s.t, route{method, v1 + "/helpdesk" + path, member}, in, options)
}
