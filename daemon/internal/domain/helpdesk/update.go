package helpdesk

import (
	"context"
	"slices"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/revision"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/daemon/internal/slug"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Update changes the members that are present. When nothing differs afterwards
// nothing happens: same version, no event.
func (s *Service) Update(ctx context.Context, who op.Caller, in api.ArticlePatch) (api.Article, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Article, error) {
		return s.change(tx, who, in.ArticleRef, func(r *record, content *string) error {
			return patch(tx, who, r, content, &in.ArticleChanges)
		})
	})
}

func patch(tx kv.Tx, who op.Caller, r *record, content *string, in *api.ArticleChanges) error {
	a := r.Article
	a.Content = *content
	apply(&a, in)
	if byAI(who) && a.Status == api.ArticlePublished && r.Article.Status != api.ArticlePublished {
		return api.Invalid("/status", "not_allowed", "cannot become PUBLISHED this way: an AI client's text is a draft until it is published")
	}
	if r.Article.Status == api.ArticleArchived && a.Status == api.ArticleArchived {
		return errArchived()
	}
	if err := check(&a); err != nil {
		return err
	}
	if in.CategoryID.Set && a.CategoryID != r.Article.CategoryID {
		if err := checkCategory(tx, who.Team, a.CategoryID); err != nil {
			return err
		}
	}
	if in.Excerpt.Set {
		r.Excerpted = a.Excerpt != ""
	}
	*content, a.Content = a.Content, ""
	r.Article = a
	return nil
}

func apply(a *api.Article, in *api.ArticleChanges) {
	in.Title.Apply(&a.Title)
	in.Content.Apply(&a.Content)
	in.Excerpt.Apply(&a.Excerpt)
	in.Slug.Apply(&a.Slug)
	in.Status.Apply(&a.Status)
	in.CategoryID.Apply(&a.CategoryID)
	in.Tags.Apply(&a.Tags)
	in.Locale.Apply(&a.Locale)
}

// change lets edit alter the article and its content, and stores what came of
// it, with everything that follows: times, version, revision and events. edit
// replaces members and never writes into the lists that it finds.
func (s *Service) change(tx kv.Tx, who op.Caller, ref api.ArticleRef, edit func(r *record, content *string) error) (api.Article, error) {
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
	was, before := *r, string(body)
	content := before
	if err := edit(r, &content); err != nil {
		return api.Article{}, err
	}
	if err := s.save(tx, who, &was, r, before, content); err != nil {
		return api.Article{}, err
	}
	return r.whole(tx, who.Team, false)
}

// save stores r in place of was.
func (s *Service) save(tx kv.Tx, who op.Caller, was, r *record, before, content string) error {
	now := s.now()
	settle(&r.Article, now)
	if before != content {
		r.Active = safehtml.Active(content)
	}
	if !r.Excerpted {
		r.Article.Excerpt, _ = safehtml.Summarize(content)
	}
	previous := differences(&was.Article, &r.Article)
	if len(previous) == 0 && before == content {
		return nil
	}
	r.Article.Version, r.Article.UpdatedAt = was.Article.Version+1, now
	if before != content || previous["title"] != nil || previous["tags"] != nil {
		if err := keepRevision(tx, who.Team, was, before, &r.Revisions); err != nil {
			return err
		}
		r.Editor = who.Actor.ID
	}
	if err := table.Put(tx, who.Team, r.Article.ID, r); err != nil {
		return slug.Refuse(tx, articleSlugs, table, who.Team, err)
	}
	if before != content {
		if err := table.PutBody(tx, who.Team, r.Article.ID, []byte(content)); err != nil {
			return err
		}
	}
	return s.announce(tx, who, r.show(), previous, eventKinds(&was.Article, &r.Article, previous, before != content)...)
}

func keepRevision(tx kv.Tx, team string, r *record, content string, count *int) error {
	return revisions.Keep(tx, team, revision.Text{
		Of: r.Article.ID, Number: r.Article.Version, Title: r.Article.Title, Tags: r.Article.Tags,
		Editor: r.Editor, At: r.Article.UpdatedAt,
	}, content, count)
}

// differences holds the earlier value of each member that differs, but of the
// content, which may be large.
func differences(a, b *api.Article) map[string]any {
	d := map[string]any{}
	for _, m := range []struct{ name, was, is string }{
		{"title", a.Title, b.Title}, {"slug", a.Slug, b.Slug}, {"excerpt", a.Excerpt, b.Excerpt},
		{"status", a.Status, b.Status}, {"categoryId", a.CategoryID, b.CategoryID}, {"locale", a.Locale, b.Locale},
	} {
		if m.was != m.is {
			d[m.name] = m.was
		}
	}
	if a.PublishedAt != b.PublishedAt {
		d["publishedAt"] = a.PublishedAt
	}
	if !slices.Equal(a.Tags, b.Tags) {
		d["tags"] = a.Tags
	}
	return d
}

// eventKinds says what a change was. What no other event tells of is an update.
func eventKinds(before, after *api.Article, previous map[string]any, rewritten bool) []event.Kind[api.Article] {
	var kinds []event.Kind[api.Article]
	edited := rewritten
	for name := range previous {
		edited = edited || name != "status" && name != "publishedAt"
	}
	if edited {
		kinds = append(kinds, updated)
	}
	switch {
	case before.PublishedAt == 0 && after.PublishedAt != 0:
		kinds = append(kinds, published)
	case before.PublishedAt != 0 && after.Status == api.ArticleDraft:
		kinds = append(kinds, unpublished)
	}
	if before.Status != api.ArticleArchived && after.Status == api.ArticleArchived {
		kinds = append(kinds, archived)
	}
	if len(kinds) == 0 {
		kinds = append(kinds, updated)
	}
	return kinds
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
