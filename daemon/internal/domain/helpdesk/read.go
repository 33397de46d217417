package helpdesk

import (
	"context"
	"strings"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/revision"
	"edgesvc.dev/svc/daemon/internal/text"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Get returns an article with its content.
func (s *Service) Get(ctx context.Context, who op.Caller, in api.TextGet) (out api.Article, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		r, err := table.Get(tx, who.Team, in.ID)
		if err != nil {
			return err
		}
		out, err = r.whole(tx, who.Team, in.Include == text.Source)
		return err
	})
	return out, err
}

// GetBySlug returns the article with that slug.
func (s *Service) GetBySlug(ctx context.Context, who op.Caller, in api.TextSlug) (out api.Article, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		_, r, err := table.Find(tx, who.Team, "slug", kv.Key(in.Slug))
		if err != nil {
			return err
		}
		out, err = r.whole(tx, who.Team, in.Include == text.Source)
		return err
	})
	return out, err
}

// List returns a page of articles in the order of their creation.
func (s *Service) List(ctx context.Context, who op.Caller, in api.ArticleQuery) (page api.Page[api.Article], err error) {
	p := pageOf(&in)
	scope := strings.Join([]string{in.Status, in.CategoryID, in.Tag}, "\x00")
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, table, who.Team, scope, in.PageQuery, p, func(_ string, r *record) (api.Article, error) {
			if in.Include == "" {
				return r.show(), nil
			}
			return r.whole(tx, who.Team, in.Include == text.Source)
		})
		return err
	})
	return page, err
}

// pageOf picks the index that holds the fewest records of what is asked for;
// the other filters drop records as they are read.
func pageOf(in *api.ArticleQuery) kv.Page[record] {
	p := kv.Page[record]{Index: "status"}
	for _, status := range []string{api.ArticleDraft, api.ArticlePublished, api.ArticleArchived} {
		if in.Status == "" || in.Status == status {
			p.Prefixes = append(p.Prefixes, kv.Key(status))
		}
	}
	switch {
	case in.Tag != "":
		p.Index, p.Prefixes = "tag", [][]byte{kv.Key(field.FoldTag(in.Tag))}
	case in.CategoryID != "":
		p.Index, p.Prefixes = "cat", [][]byte{kv.Key(in.CategoryID)}
	default:
		return p
	}
	p.Keep = func(r *record) bool {
		a := &r.Article
		return (in.Status == "" || a.Status == in.Status) && (in.CategoryID == "" || a.CategoryID == in.CategoryID)
	}
	return p
}

// Revisions lists the earlier texts of an article.
func (s *Service) Revisions(ctx context.Context, who op.Caller, in api.RevisionQuery) (page api.Page[api.ArticleRevision], err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		if _, err := table.Get(tx, who.Team, in.ID); err != nil {
			return err
		}
		page, err = revision.Page(tx, revisions, who.Team, in.ID, in.Include, in.PageQuery, showRevision)
		return err
	})
	return page, err
}

func showRevision(r *revision.Text, content string) api.ArticleRevision {
	return api.ArticleRevision{
		ArticleID: r.Of, Number: r.Number, Title: r.Title, Content: content, ActorID: r.Editor, CreatedAt: r.At,
	}
}

// RestoreRevision gives the article the text of a revision.
func (s *Service) RestoreRevision(ctx context.Context, who op.Caller, in api.RevisionRef) (api.Article, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Article, error) {
		return s.change(tx, who, api.ArticleRef{ID: in.ID}, func(r *record) error {
			if r.Article.Status == api.ArticleArchived {
				return texts.ErrArchived()
			}
			earlier, content, err := revisions.Read(tx, who.Team, in.ID, in.N)
			if err != nil {
				return err
			}
			r.Article.Title, r.Article.Tags, r.Article.Content = earlier.Title, earlier.Tags, content
			return nil
		})
	})
}
