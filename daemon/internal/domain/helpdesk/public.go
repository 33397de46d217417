package helpdesk

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// What the help pages show of a team at most.
const (
	maxPublished  = 1000
	maxCategories = 200
)

// Published lists what the public may see: the categories by their position, and
// the articles in the order of their creation, without content.
func (s *Service) Published(ctx context.Context, team string) (articles []api.Article, groups []api.Category, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		articles, groups = nil, nil
		found, err := table.List(tx, team, kv.Page[record]{
			Index: "status", Prefixes: [][]byte{kv.Key(api.ArticlePublished)}, Ascending: true, Limit: maxPublished, Budget: maxPublished + 1,
			Skip: op.Unreadable,
		})
		if err != nil {
			return err
		}
		for _, r := range found.Records {
			articles = append(articles, r.show())
		}
		all, err := categories.List(tx, team, kv.Page[api.Category]{Index: "pos", Ascending: true, Limit: maxCategories, Skip: op.Unreadable})
		if err != nil {
			return err
		}
		for _, c := range all.Records {
			groups = append(groups, *c)
		}
		return nil
	})
	return articles, groups, err
}

// AnyPublished reports whether the public may see any article.
func (s *Service) AnyPublished(ctx context.Context, team string) (any bool, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		found, err := table.List(tx, team, kv.Page[record]{Index: "status", Prefixes: [][]byte{kv.Key(api.ArticlePublished)}, Limit: 1, Skip: op.Unreadable})
		any = len(found.IDs) > 0
		return err
	})
	return any, err
}

// PublishedArticle returns the public article with that slug; found is false for
// a draft as for one that does not exist. Its content is not safe to show.
func (s *Service) PublishedArticle(ctx context.Context, team, slug string) (a api.Article, found bool, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		_, r, err := table.Find(tx, team, "slug", kv.Key(slug))
		if missing(err) || err == nil && r.Article.Status != api.ArticlePublished {
			return nil
		}
		if err != nil {
			return err
		}
		found = true
		a, err = r.whole(tx, team, true)
		return err
	})
	return a, found, err
}

// PublicAddress finds what was public under a slug; see text.Kind.Now.
func (s *Service) PublicAddress(ctx context.Context, team, slug string) (now string, gone bool, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) (err error) {
		now, gone, err = texts.Now(tx, team, slug, func(id string) (*api.Article, error) {
			r, err := table.Get(tx, team, id)
			if err != nil {
				return nil, err
			}
			return &r.Article, nil
		})
		return err
	})
	return now, gone, err
}

// Rate counts what a visitor says of a published article.
func (s *Service) Rate(ctx context.Context, team, id string, helpful bool) error {
	_, err := s.Feedback(ctx, op.Caller{Kind: op.System, Team: team}, api.ArticleFeedback{ID: id, Helpful: helpful})
	return err
}
