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

// Create stores an article. Those that an AI client makes are drafts, whatever
// it asks for.
func (s *Service) Create(ctx context.Context, who op.Caller, in api.ArticleCreate) (api.Article, error) {
	if text.ByAI(who) {
		in.Status, in.PublishedAt = api.ArticleDraft, 0
	}
	r, content, err := s.compose(who, &in)
	if err != nil {
		return api.Article{}, err
	}
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Article, error) {
		return s.add(tx, who, r, content, in.Slug == "")
	})
}

// compose makes the article of the input.
func (s *Service) compose(who op.Caller, in *api.ArticleCreate) (record, string, error) {
	now := s.Now()
	a := asked(in)
	a.ID, a.CreatedAt, a.UpdatedAt, a.Version = kv.IDAt("art", now), api.TimeOf(now), api.TimeOf(now), 1
	a.Provenance = api.Provenance{Source: who.Source, ActorID: who.Actor.ID}
	if a.Status == "" {
		a.Status = api.ArticleDraft
	}
	if err := check(&a); err != nil {
		return record{}, "", err
	}
	if err := text.CheckDate(a.Date, a.CreatedAt); err != nil {
		return record{}, "", err
	}
	if a.Slug == "" {
		a.Slug = articleSlugs.Of(a.Title)
	}
	settle(&a, a.CreatedAt)
	r := record{Editor: who.Actor.ID, Active: safehtml.Active(a.Content), Excerpted: a.Excerpt != ""}
	if !r.Excerpted {
		a.Excerpt, _ = safehtml.Summarize(a.Content)
	}
	content := a.Content
	a.Content = ""
	r.Article = a
	return r, content, nil
}

// asking sets the members of a new article.
var asking = resource.Copier[api.Article, api.ArticleCreate]("publishedAt")

func asked(in *api.ArticleCreate) (a api.Article) {
	asking(&a, in)
	a.Date = in.PublishedAt
	return a
}

// add stores a new article and tells of it. A derived slug that is taken gives
// way to a numbered one; one that was asked for is refused.
func (s *Service) add(tx kv.Tx, who op.Caller, r record, content string, derived bool) (api.Article, error) {
	if err := checkCategory(tx, who.Team, r.Article.CategoryID); err != nil {
		return api.Article{}, err
	}
	id := r.Article.ID
	var err error
	if r.Turn, err = search.Changed(tx, kind, who.Team); err != nil {
		return api.Article{}, err
	}
	_, err = slug.Insert(tx, articleSlugs, table, who.Team, id, &r, derived, func(r *record, free string) (*record, error) {
		r.Article.Slug = free
		return r, nil
	})
	if err != nil {
		return api.Article{}, err
	}
	if err := texts.Addresses.Claim(tx, who.Team, id, nil, r.Article.Aliases); err != nil {
		return api.Article{}, err
	}
	if err := table.PutBody(tx, who.Team, id, []byte(content)); err != nil {
		return api.Article{}, err
	}
	kinds := []event.Kind[api.Article]{created}
	if r.Article.PublishedAt != 0 {
		kinds = append(kinds, published)
	}
	if err := s.announce(tx, who, r.show(), nil, kinds...); err != nil {
		return api.Article{}, err
	}
	return r.with(content, false), nil
}

// createRules and patchRules are check for an input alone; see op.Also.
func createRules(in api.ArticleCreate) []api.FieldError {
	a := asked(&in)
	return field.Errors(check(&a))
}

func patchRules(in api.ArticlePatch) []api.FieldError {
	a := api.Article{Title: "any", Slug: "any"}
	apply(&a, &in.ArticleChanges)
	return field.Errors(check(&a))
}

// check holds an article to the rules that its schema cannot say, and brings its
// text into the form in which it is kept.
func check(a *api.Article) error {
	if err := field.CheckHTML(a.Content); err != nil {
		return err
	}
	var f field.Failures
	f.Title("/title", &a.Title)
	f.Content(a.Content)
	f.Line("/excerpt", &a.Excerpt)
	if code, message := articleSlugs.Check(a.Slug); code != "" {
		f.Add("/slug", code, "%s", message)
	}
	a.Tags = f.Tags(a.Tags)
	a.Aliases = text.CheckAliases(&f, a.Aliases)
	f.Metadata(a.Metadata)
	f.Locale(a.Locale)
	return f.Err()
}

// checkCategory refuses a category that the team has not.
func checkCategory(tx kv.Tx, team, id string) error {
	if id == "" {
		return nil
	}
	known, err := categories.Exists(tx, team, id)
	if err == nil && !known {
		return api.Invalid("/categoryId", "not_found", "is not a category of this team")
	}
	return err
}
