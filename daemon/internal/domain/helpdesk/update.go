package helpdesk

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/daemon/internal/slug"
	"edgesvc.dev/svc/daemon/internal/text"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Update changes the members that are present. When nothing differs afterwards
// nothing happens: same version, no event.
func (s *Service) Update(ctx context.Context, who op.Caller, in api.ArticlePatch) (api.Article, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Article, error) {
		return s.change(tx, who, in.ArticleRef, func(r *record) error { return s.patch(tx, who, r, &in.ArticleChanges) })
	})
}

// patched sets the members of a patch that have the article's own form.
var patched = resource.Copier[api.Article, api.ArticleChanges]("metadata", "publishedAt")

func apply(a *api.Article, in *api.ArticleChanges) {
	patched(a, in)
	a.Metadata = field.Merged(a.Metadata, in.Metadata)
	text.Redate(fieldsOf(a), in.PublishedAt)
}

func (s *Service) patch(tx kv.Tx, who op.Caller, r *record, in *api.ArticleChanges) error {
	was := r.Article
	a := &r.Article
	apply(a, in)
	if text.ByAI(who) && a.Status == api.ArticlePublished && was.Status != api.ArticlePublished {
		return api.Invalid("/status", "not_allowed", "cannot become PUBLISHED this way: an AI client's text is a draft until it is published")
	}
	if was.Status == api.ArticleArchived && a.Status == api.ArticleArchived {
		return texts.ErrArchived()
	}
	if err := check(a); err != nil {
		return err
	}
	if err := text.CheckDate(in.PublishedAt.Value, s.now()); err != nil {
		return err
	}
	if in.Excerpt.Set {
		r.Excerpted = a.Excerpt != ""
	}
	if in.CategoryID.Set && a.CategoryID != was.CategoryID {
		return checkCategory(tx, who.Team, a.CategoryID)
	}
	return nil
}

// change lets edit alter an article, which has its content then, and stores what
// came of it, with everything that follows: times, version, revision and events.
// edit replaces members and never writes into the lists that it finds.
func (s *Service) change(tx kv.Tx, who op.Caller, ref api.ArticleRef, edit func(r *record) error) (api.Article, error) {
	r, err := table.Get(tx, who.Team, ref.ID)
	if err != nil {
		return api.Article{}, err
	}
	if err := op.CheckVersion(ref.IfMatch, r.Article.Version); err != nil {
		return api.Article{}, err
	}
	body, err := table.Body(tx, who.Team, ref.ID)
	if err != nil {
		return api.Article{}, err
	}
	r.Article.Content = string(body)
	was := *r
	if err := edit(r); err != nil {
		return api.Article{}, err
	}
	if err := s.save(tx, who, &was, r); err != nil {
		return api.Article{}, err
	}
	return r.with(r.Article.Content, false), nil
}

// save stores r in place of was.
func (s *Service) save(tx kv.Tx, who op.Caller, was, r *record) error {
	now := s.now()
	settle(&r.Article, now)
	if !r.Excerpted {
		r.Article.Excerpt, _ = safehtml.Summarize(r.Article.Content)
	}
	c := texts.Compare(&was.Article, &r.Article)
	if c.None() {
		return nil
	}
	kept := r.kept()
	if err := c.Next(tx, who, now, &kept); err != nil {
		return err
	}
	r.Revisions, r.Editor, r.Active = kept.Revisions, kept.Editor, kept.Active
	var err error
	if r.Turn, err = search.Changed(tx, kind, who.Team); err != nil {
		return err
	}
	stored := *r
	stored.Article.Content = "" // it is the record's body
	if err := table.Put(tx, who.Team, r.Article.ID, &stored); err != nil {
		return slug.Refuse(tx, articleSlugs, table, who.Team, err)
	}
	if c.Rewritten {
		if err := table.PutBody(tx, who.Team, r.Article.ID, []byte(r.Article.Content)); err != nil {
			return err
		}
	}
	return s.announce(tx, who, r.show(), c.Previous, c.Events(nil)...)
}

// announce appends events about an article, without its content.
func (s *Service) announce(tx kv.Tx, who op.Caller, a api.Article, previous map[string]any, kinds ...event.Kind[api.Article]) error {
	for _, k := range kinds {
		if err := event.Append(s.log, tx, who, k, &a, previous); err != nil {
			return err
		}
	}
	return nil
}
