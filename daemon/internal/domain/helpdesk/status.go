package helpdesk

import (
	"cmp"
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// settle makes the time of publication agree with the status.
func settle(a *api.Article, now api.Time) {
	switch {
	case a.Status != api.ArticlePublished:
		a.PublishedAt = 0
	case a.PublishedAt == 0:
		a.PublishedAt = cmp.Or(a.Date, now)
	}
}

// moved is the operation of a verb that changes the status.
func (s *Service) moved(verb string) op.Do {
	return op.Func(func(ctx context.Context, who op.Caller, in api.ArticleRef) (api.Article, error) {
		return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Article, error) {
			return s.change(tx, who, in, func(r *record) error { return texts.Status.Apply(&r.Article, verb) })
		})
	})
}

// Delete removes a draft or an archived article, with its revisions.
func (s *Service) Delete(ctx context.Context, who op.Caller, in api.ArticleRef) (api.Deleted, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Deleted, error) {
		return api.Deleted{ID: in.ID, Deleted: true}, s.remove(tx, who, in)
	})
}

func (s *Service) remove(tx kv.Tx, who op.Caller, in api.ArticleRef) error {
	r, err := table.Get(tx, who.Team, in.ID)
	if err != nil {
		return err
	}
	if err := op.CheckVersion(in.IfMatch, r.Article.Version); err != nil {
		return err
	}
	if err := texts.CheckDelete(&r.Article); err != nil {
		return err
	}
	kv.UseReserve(tx)
	if err := revisions.Drop(tx, who.Team, in.ID); err != nil {
		return err
	}
	if err := texts.Addresses.Drop(tx, who.Team, r.Article.Aliases); err != nil {
		return err
	}
	if err := table.Delete(tx, who.Team, in.ID); err != nil {
		return err
	}
	if err := search.Deleted(tx, kind, who.Team); err != nil {
		return err
	}
	return s.announce(tx, who, r.show(), nil, deleted)
}

// Feedback counts what a reader says of a published article. It is no change of
// the article: the version stays, so that an editor's If-Match holds.
func (s *Service) Feedback(ctx context.Context, who op.Caller, in api.ArticleFeedback) (api.Helpful, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Helpful, error) {
		r, err := table.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Helpful{}, err
		}
		if r.Article.Status != api.ArticlePublished {
			return api.Helpful{}, &kv.NotFoundError{Table: table.Name(), ID: in.ID}
		}
		if in.Helpful {
			r.Article.Helpful.Yes++
		} else {
			r.Article.Helpful.No++
		}
		return r.Article.Helpful, table.Put(tx, who.Team, in.ID, r)
	})
}
