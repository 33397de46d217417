package sdk

import (
	"context"

	"edgesvc.dev/svc/sdk/api"
)

// ArticlesService reads and writes help articles. Get returns an article with its
// content, which is safe to show. List leaves the content out unless Include asks
// for it. Delete removes an article that is not public.
type ArticlesService struct {
	Texts[api.Article, api.ArticleCreate, api.ArticlePatch, api.ArticleQuery, api.ArticleRevision]
}

// Feedback counts that a reader found a published article helpful, or not.
func (s *ArticlesService) Feedback(ctx context.Context, in api.ArticleFeedback, options ...CallOption) (*api.Helpful, error) {
	return do[api.Helpful](ctx, s.t, s.name("feedback"), in, options)
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
