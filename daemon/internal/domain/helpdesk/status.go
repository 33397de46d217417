package helpdesk

import (
	"context"
	"net/http"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// settle makes the time of publication agree with the status.
func settle(a *api.Article, now api.Time) {
	switch {
	case a.Status != api.ArticlePublished:
		a.PublishedAt = 0
	case a.PublishedAt == 0:
		a.PublishedAt = now
	}
}

// Publish makes an article public. A published one stays as it is.
func (s *Service) Publish(ctx context.Context, who op.Caller, in api.ArticleRef) (api.Article, error) {
	return s.transition(ctx, who, in, api.ArticlePublished, "")
}

// Unpublish makes a published article a draft.
func (s *Service) Unpublish(ctx context.Context, who op.Caller, in api.ArticleRef) (api.Article, error) {
	return s.transition(ctx, who, in, api.ArticleDraft, api.ArticleArchived)
}

// Archive takes an article out of use.
func (s *Service) Archive(ctx context.Context, who op.Caller, in api.ArticleRef) (api.Article, error) {
	return s.transition(ctx, who, in, api.ArticleArchived, "")
}

// Unarchive makes an archived article a draft.
func (s *Service) Unarchive(ctx context.Context, who op.Caller, in api.ArticleRef) (api.Article, error) {
	return s.transition(ctx, who, in, api.ArticleDraft, api.ArticlePublished)
}

// transition gives an article a status, unless it has the status not.
func (s *Service) transition(ctx context.Context, who op.Caller, ref api.ArticleRef, to, not string) (api.Article, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Article, error) {
		return s.change(tx, who, ref, func(r *record, _ *string) error {
			if not != "" && r.Article.Status == not {
				return invalidTransition(r.Article.Status, to, "An article that is %s cannot become %s this way.", r.Article.Status, to)
			}
			r.Article.Status = to
			return nil
		})
	})
}

func invalidTransition(from, to, format string, args ...any) error {
	e := api.NewError(http.StatusConflict, api.CodeInvalidTransition, format, args...)
	e.From, e.To = from, to
	return e
}

// errArchived refuses a change that an archived article does not take.
func errArchived() error {
	return invalidTransition(api.ArticleArchived, api.ArticleDraft, "The article is archived; unarchive it to change it.")
}

// Delete removes an archived article with its revisions.
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
	if r.Article.Status != api.ArticleArchived {
		return invalidTransition(r.Article.Status, "DELETED", "Only an archived article can be deleted. Archive it first.")
	}
	if err := revisions.Drop(tx, who.Team, in.ID); err != nil {
		return err
	}
	if err := table.Delete(tx, who.Team, in.ID); err != nil {
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
