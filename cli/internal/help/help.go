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
	return kit.Group("help-article", "Help articles, their categories and the questions without an answer", []string{"help-articles"},
		newList(a), newGet(a), newSearch(a), newCreate(a), newEdit(a),
		newMove(a, "publish", "Publish help articles", "published", (*sdk.ArticlesService).Publish),
		newMove(a, "unpublish", "Make published help articles drafts", "unpublished", (*sdk.ArticlesService).Unpublish),
		newMove(a, "archive", "Take help articles out of sight", "archived", (*sdk.ArticlesService).Archive),
		newMove(a, "restore", "Bring archived help articles back as drafts", "restored", (*sdk.ArticlesService).Unarchive),
		newDelete(a), newSync(a), newCategory(a), newGap(a))
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

func texts(c *sdk.Client) postsync.Texts { return articles{c.Articles} }

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
	if in.PublishAt.Set || in.FeaturedImage.Set || in.CanonicalURL.Set || in.Metadata.Set {
		return nil, errPostOnly
	}
	patch := api.ArticlePatch{ArticleRef: api.ArticleRef(in.PostRef)}
	patch.Title, patch.Content, patch.Excerpt, patch.Slug = in.Title, in.Content, in.Description, in.Slug
	patch.Status, patch.Tags, patch.Locale = in.Status, in.Tags, in.Locale
	return asPost(d.desk.Update(ctx, patch, options...))
}

// Archive implements postsync.Texts.
func (d articles) Archive(ctx context.Context, ref api.PostRef, options ...sdk.CallOption) (*api.Post, error) {
	return asPost(d.desk.Archive(ctx, api.ArticleRef(ref), options...))
}

var errPostOnly = &kit.Failure{Exit: kit.ExitInvalid, Code: "invalid_file", Message: "publishAt, image, canonicalUrl and metadata are for posts; help articles have none"}

func create(in api.PostCreate) (api.ArticleCreate, error) {
	if in.PublishAt != 0 || in.FeaturedImage != nil || in.CanonicalURL != "" || len(in.Metadata) > 0 {
		return api.ArticleCreate{}, errPostOnly
	}
	return api.ArticleCreate{Title: in.Title, Content: in.Content, Excerpt: in.Description, Slug: in.Slug, Status: in.Status, Tags: in.Tags, Locale: in.Locale}, nil
}
