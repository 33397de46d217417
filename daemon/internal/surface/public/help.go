package public

import (
	"fmt"
	"html/template"
	"strconv"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

const (
	perGroup     = 6 // articles of a category on the first page; its own page shows all
	relatedShown = 5
)

// help serves the pages below /help; path is what follows that.
func (p *Pages) help(ctx *fasthttp.RequestCtx, s site, path []string) error {
	switch {
	case len(path) == 0:
		if q := asked(ctx); q != "" {
			return p.helpSearch(ctx, s, q)
		}
		return p.helpIndex(ctx, s, "")
	case len(path) == 2 && path[0] == "category":
		return p.helpIndex(ctx, s, path[1])
	case len(path) == 1:
		return p.helpArticle(ctx, s, path[0])
	case len(path) == 2 && path[1] == "feedback":
		return p.vote(ctx, s, path[0])
	}
	return errNotFound
}

// helpCard is an article as lists show it.
type helpCard struct {
	Site site
	api.Article
}

func (c helpCard) Path() string { return c.Site.HelpArticle(c.Slug) }
func (c helpCard) Dir() string  { return direction(c.Locale) }

// helpGroup is a category with its articles.
type helpGroup struct {
	Name     string // empty for the articles without a category
	Path     string
	Slug     string
	Articles []helpCard
}

// Count says how many articles there are where not all are shown.
func (g helpGroup) Count() string { return strconv.Itoa(len(g.Articles)) }

// Shown are the articles that the first page shows.
func (g helpGroup) Shown() []helpCard { return g.Articles[:min(len(g.Articles), perGroup)] }

// grouped sorts articles into their categories; empty ones are left out, and
// articles without one come last.
func grouped(s site, articles []api.Article, categories []api.Category) []helpGroup {
	byID := map[string][]helpCard{}
	known := map[string]bool{}
	for _, c := range categories {
		known[c.ID] = true
	}
	for _, a := range articles {
		in := a.CategoryID
		if !known[in] {
			in = ""
		}
		byID[in] = append(byID[in], helpCard{s, a})
	}
	var groups []helpGroup
	for _, c := range categories {
		if found := byID[c.ID]; len(found) > 0 {
			groups = append(groups, helpGroup{Name: c.Name, Slug: c.Slug, Path: s.HelpCategory(c.Slug), Articles: found})
		}
	}
	if found := byID[""]; len(found) > 0 {
		groups = append(groups, helpGroup{Articles: found})
	}
	return groups
}

// helpPage is the body of the first page, of a category's and of a search.
type helpPage struct {
	Site   site
	Q      string
	Hits   []hit
	Group  *helpGroup // a category's page
	Groups []helpGroup
}

// helpIndex shows all categories, or the one with that slug.
func (p *Pages) helpIndex(ctx *fasthttp.RequestCtx, s site, category string) error {
	articles, categories, err := p.source.Help(ctx, s.Team.ID)
	if err != nil {
		return fmt.Errorf("list help articles: %w", err)
	}
	groups := grouped(s, articles, categories)
	body := helpPage{Site: s, Groups: groups}
	v := view{Site: s, Help: true, Title: "Help", Description: "Answers from " + s.Name(), Path: s.Help(), Canonical: s.Abs(s.Help())}
	if category != "" {
		if body.Group = groupOf(groups, category); body.Group == nil {
			return errNotFound
		}
		v.Title, v.Description, v.Canonical = body.Group.Name, "Help with "+body.Group.Name, s.Abs(body.Group.Path)
	}
	v.Body, v.Data = body, helpData(s, body.Group)
	f := p.fingerprint("help", s)
	f.add(category)
	modified := s.Team.UpdatedAt
	for _, g := range groups {
		f.add(g.Name, g.Slug)
		for _, a := range g.Articles {
			f.article(&a.Article)
			modified = max(modified, a.UpdatedAt)
		}
	}
	return p.send(ctx, document{
		contentType: typeHTML, etag: f.etag(), modified: modified.Time(),
		render: func() ([]byte, error) { return p.html("help", v) },
	})
}

func groupOf(groups []helpGroup, slug string) *helpGroup {
	for i := range groups {
		if groups[i].Name != "" && groups[i].Slug == slug {
			return &groups[i]
		}
	}
	return nil
}

// helpSearch answers a search.
func (p *Pages) helpSearch(ctx *fasthttp.RequestCtx, s site, q string) error {
	return p.search(ctx, "help", func(q string) (view, error) {
		hits, err := p.source.HelpSearch(ctx, s.Team.ID, q, maxHits)
		if err != nil {
			return view{}, fmt.Errorf("search help articles: %w", err)
		}
		body := helpPage{Site: s, Q: q}
		for i := range hits {
			body.Hits = append(body.Hits, hit{Path: s.HelpArticle(hits[i].Slug), FoundText: hits[i].FoundText})
		}
		return view{Site: s, Help: true, Title: "Search: " + q, Path: s.Help(), Body: body}, nil
	}, q)
}

// articlePage is the body of an article's page.
type articlePage struct {
	helpCard
	Content template.HTML
	Group   *helpGroup // its category, nil for none
	Related []helpCard
	Thanks  bool // the reader has answered
}

func (p *Pages) helpArticle(ctx *fasthttp.RequestCtx, s site, slug string) error {
	a, found, err := p.source.HelpArticle(ctx, s.Team.ID, slug)
	if err != nil {
		return fmt.Errorf("read help article: %w", err)
	}
	if !found || a.Status != api.ArticlePublished {
		return moved(ctx, s, slug, p.source.HelpAddress, s.HelpArticle)
	}
	articles, categories, err := p.source.Help(ctx, s.Team.ID)
	if err != nil {
		return fmt.Errorf("list help articles: %w", err)
	}
	body := articlePage{helpCard: helpCard{s, a}, Thanks: ctx.QueryArgs().Has("thanks")}
	body.place(grouped(s, articles, categories))
	f := p.fingerprint("article", s)
	f.article(&a)
	f.add(strconv.FormatBool(body.Thanks))
	if body.Group != nil {
		f.add(body.Group.Name, body.Group.Path)
	}
	modified := max(s.Team.UpdatedAt, a.UpdatedAt)
	for _, r := range body.Related {
		f.article(&r.Article)
		modified = max(modified, r.UpdatedAt)
	}
	return p.send(ctx, document{
		contentType: typeHTML, etag: f.etag(), modified: modified.Time(),
		render: func() ([]byte, error) {
			body.Content = shown(a.Content)
			return p.html("article", articleView(s, body))
		},
	})
}

// place finds the article's category and what else is in it.
func (a *articlePage) place(groups []helpGroup) {
	for i, g := range groups {
		for _, other := range g.Articles {
			if other.ID != a.ID {
				continue
			}
			if g.Name != "" {
				a.Group = &groups[i]
			}
			for _, r := range g.Articles {
				if r.ID != a.ID && len(a.Related) < relatedShown {
					a.Related = append(a.Related, r)
				}
			}
		}
	}
}

func articleView(s site, body articlePage) view {
	a := &body.Article
	return view{
		Site: s, Help: true, Lang: a.Locale, Title: a.Title, Description: a.Excerpt, Path: s.Help(), Canonical: s.Abs(body.Path()),
		NoIndex: body.Thanks, Article: true, Published: a.PublishedAt, Modified: a.UpdatedAt, Tags: a.Tags, Data: articleData(s, body), Body: body,
	}
}

// article adds what a list shows of a help article; its version covers it.
func (f fingerprint) article(a *api.Article) { f.add(a.ID, strconv.Itoa(a.Version)) }
