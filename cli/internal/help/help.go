// Package help is svcctl help-article: help articles, their categories and the
// questions without an answer.
package help

import (
	"context"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/postsync"
	"edgesvc.dev/svc/cli/internal/writing"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var view = output.View[api.Article]{
	ID: func(a *api.Article) string { return a.ID },
	Columns: []output.Column[api.Article]{
		{Name: "slug", Value: func(a *api.Article) string { return a.Slug }, Flex: true},
		{Name: "title", Value: func(a *api.Article) string { return a.Title }, Flex: true},
		{Name: "status", Value: func(a *api.Article) string { return a.Status }},
		kit.When("updated", func(a *api.Article) api.Time { return a.UpdatedAt }),
		{Name: "helpful", Value: func(a *api.Article) string {
			return strconv.Itoa(a.Helpful.Yes) + "/" + strconv.Itoa(a.Helpful.Yes+a.Helpful.No)
		}},
		{Name: "id", Value: func(a *api.Article) string { return a.ID }, Wide: true},
		{Name: "category", Value: func(a *api.Article) string { return a.CategoryID }, Wide: true},
		{Name: "tags", Value: func(a *api.Article) string { return strings.Join(a.Tags, ",") }, Wide: true, Flex: true},
		{Name: "version", Value: func(a *api.Article) string { return strconv.Itoa(a.Version) }, Wide: true},
		{Name: "excerpt", Value: func(a *api.Article) string { return a.Excerpt }, Wide: true, Flex: true},
	},
}

const anArticle = "a help article: its id, slug or address"

// New is the command help-article.
func New(a *kit.App) *cobra.Command {
	move := func(verb, short, done string, do func(*sdk.ArticlesService, context.Context, api.Ref, ...sdk.CallOption) (*api.Article, error)) *cobra.Command {
		return texts.NewMove(a, writing.Move[api.Article]{Verb: verb, Short: short, Done: done, Do: on(do)})
	}
	return kit.Group("help-article", "Help articles, their categories and the questions without an answer", []string{"help-articles"},
		newList(a), newGet(a), newSearch(a), newCreate(a), newUpdate(a), newEdit(a),
		move("publish", "Publish help articles", "published", (*sdk.ArticlesService).Publish),
		move("unpublish", "Make published help articles drafts", "unpublished", (*sdk.ArticlesService).Unpublish),
		move("archive", "Archive help articles: they are no longer shown", "archived", (*sdk.ArticlesService).Archive),
		move("restore", "Bring archived help articles back as drafts", "restored", (*sdk.ArticlesService).Unarchive),
		texts.NewDelete(a), newRevision(a), newSync(a), newCategory(a), newGap(a))
}

// texts are help articles for the verbs that posts have too.
var texts = &writing.Texts[api.Article]{
	Noun: "help-article", Kind: "help article", Wanted: anArticle, View: view, Names: slugs, Find: findArticle, ID: articleIDOf,
	About: func(a *api.Article) writing.About {
		return writing.About{ID: a.ID, Slug: a.Slug, Title: a.Title, Status: a.Status, Published: a.Status == api.ArticlePublished}
	},
	Archive: on((*sdk.ArticlesService).Archive),
	Delete: func(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) error {
		return c.Articles.Delete(ctx, ref, options...)
	},
}

func on(do func(*sdk.ArticlesService, context.Context, api.Ref, ...sdk.CallOption) (*api.Article, error)) func(context.Context, *sdk.Client, api.Ref, ...sdk.CallOption) (*api.Article, error) {
	return func(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) (*api.Article, error) {
		return do(c.Articles, ctx, ref, options...)
	}
}

// slugs are the newest articles', for completion.
func slugs(ctx context.Context, a *kit.App) ([]string, error) {
	c, err := a.Client()
	if err != nil {
		return nil, err
	}
	page, err := c.Articles.List(ctx, api.ArticleQuery{PageQuery: api.PageQuery{Limit: 100}})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(page.Data))
	for i := range page.Data {
		names[i] = page.Data[i].Slug
	}
	return names, nil
}

var articleID = regexp.MustCompile(`^art_[0-9a-z]{26}$`)

// findArticle fetches the article that ref names, its content as it was sent.
func findArticle(ctx context.Context, c *sdk.Client, ref string) (*api.Article, error) {
	name := kit.ParseRef(ref)
	if articleID.MatchString(name) {
		return c.Articles.Source(ctx, name)
	}
	return c.Articles.SourceBySlug(ctx, name)
}

// articleIDOf is findArticle where the id is enough, without a request for an id.
func articleIDOf(ctx context.Context, c *sdk.Client, ref string) (string, error) {
	if name := kit.ParseRef(ref); articleID.MatchString(name) {
		return name, nil
	}
	article, err := findArticle(ctx, c, ref)
	if err != nil {
		return "", err
	}
	return article.ID, nil
}

// openArticle connects and fetches the article that ref names.
func openArticle(ctx context.Context, a *kit.App, w kit.WriteFlags, ref string) (*sdk.Client, *api.Article, error) {
	c, err := a.Writer(w)
	if err != nil {
		return nil, nil, err
	}
	article, err := findArticle(ctx, c, ref)
	return c, article, err
}

// articles passes a team's help articles for posts, so that files are edited and
// synced as those of posts are. An excerpt is their description.
type articles struct{ desk *sdk.ArticlesService }

func asTexts(c *sdk.Client) postsync.Texts { return articles{c.Articles} }

func asPost(a *api.Article, err error) (*api.Post, error) {
	if err != nil {
		return nil, err
	}
	return &api.Post{
		ID: a.ID, Title: a.Title, Slug: a.Slug, Content: a.Content, Description: a.Excerpt, Status: a.Status, Tags: a.Tags, Locale: a.Locale,
		PublishedAt: a.PublishedAt, Version: a.Version, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
	}, nil
}

// All implements postsync.Texts.
func (d articles) All(ctx context.Context, q api.PostQuery, options ...sdk.CallOption) iter.Seq2[*api.Post, error] {
	return func(yield func(*api.Post, error) bool) {
		for a, err := range d.desk.All(ctx, api.ArticleQuery{PageQuery: q.PageQuery, Status: q.Status, Tag: q.Tag, Include: q.Include}, options...) {
			if !yield(asPost(a, err)) {
				return
			}
		}
	}
}

// Source implements postsync.Texts.
func (d articles) Source(ctx context.Context, id string, options ...sdk.CallOption) (*api.Post, error) {
	return asPost(d.desk.Source(ctx, id, options...))
}

// Create implements postsync.Texts.
func (d articles) Create(ctx context.Context, in api.PostCreate, options ...sdk.CallOption) (*api.Post, error) {
	article, err := create(in)
	if err != nil {
		return nil, err
	}
	return asPost(d.desk.Create(ctx, article, options...))
}

// Update implements postsync.Texts.
func (d articles) Update(ctx context.Context, in api.PostPatch, options ...sdk.CallOption) (*api.Post, error) {
	patch, err := articlePatch(in)
	if err != nil {
		return nil, err
	}
	return asPost(d.desk.Update(ctx, patch, options...))
}

// Archive implements postsync.Texts.
func (d articles) Archive(ctx context.Context, ref api.PostRef, options ...sdk.CallOption) (*api.Post, error) {
	return asPost(d.desk.Archive(ctx, ref, options...))
}

var errPostOnly = &kit.Failure{Exit: kit.ExitInvalid, Code: "invalid_file", Message: "publishAt, image, canonicalUrl and metadata are for posts; help articles have none"}

func create(in api.PostCreate) (api.ArticleCreate, error) {
	if in.PublishAt != 0 || in.FeaturedImage != nil || in.CanonicalURL != "" || len(in.Metadata) > 0 {
		return api.ArticleCreate{}, errPostOnly
	}
	return api.ArticleCreate{Title: in.Title, Content: in.Content, Excerpt: in.Description, Slug: in.Slug, Status: in.Status, Tags: in.Tags, Locale: in.Locale}, nil
}

func articlePatch(in api.PostPatch) (patch api.ArticlePatch, err error) {
	if in.PublishAt.Set || in.FeaturedImage.Set || in.CanonicalURL.Set || in.Metadata.Set {
		return patch, errPostOnly
	}
	patch.ArticleRef = in.PostRef
	patch.Title, patch.Content, patch.Excerpt, patch.Slug = in.Title, in.Content, in.Description, in.Slug
	patch.Status, patch.Tags, patch.Locale = in.Status, in.Tags, in.Locale
	return patch, nil
}
