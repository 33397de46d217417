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
	"edgesvc.dev/svc/cli/internal/postfile"
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
	verbs := []*cobra.Command{list.New(a), texts.NewGet(a), newSearch(a), newCreate(a), newUpdate(a), newEdit(a)}
	verbs = append(verbs, texts.Moves(a)...)
	verbs = append(verbs, texts.NewDelete(a), newRevision(a), newSync(a), newCategory(a), newGap(a))
	return kit.Group("help-article", "Help articles, their categories and the questions without an answer", []string{"help-articles"}, verbs...)
}

// texts are help articles for the verbs that posts have too.
var texts = &writing.Texts[api.Article]{
	Noun: "help-article", Kind: "help article", ID: regexp.MustCompile(`^art_[0-9a-z]{26}$`), View: view, Page: "/help/",
	Service: func(c *sdk.Client) writing.Service[api.Article] { return c.Articles },
	Post:    asPost,
	Newest: func(ctx context.Context, c *sdk.Client) ([]string, error) {
		page, err := c.Articles.List(ctx, api.ArticleQuery{PageQuery: api.PageQuery{Limit: 100}})
		return kit.Each(page, err, func(a *api.Article) string { return a.Slug })
	},
}

// articles passes a team's help articles for posts, so that files are edited and
// synced as those of posts are. An excerpt is their description.
type articles struct {
	desk       *sdk.ArticlesService
	categories *categories // nil where texts do not name theirs
}

func asTexts(c *sdk.Client) postsync.Texts { return articles{desk: c.Articles} }

// inFolders is asTexts of articles whose files name their categories.
func inFolders(c *sdk.Client) postsync.Texts {
	return articles{desk: c.Articles, categories: &categories{service: c.Categories}}
}

// asPost is an article as a post, whose description is its excerpt.
func asPost(a *api.Article) *api.Post {
	return &api.Post{
		ID: a.ID, Title: a.Title, Slug: a.Slug, Content: a.Content, Description: a.Excerpt, Status: a.Status, Tags: a.Tags, Locale: a.Locale,
		PublishedAt: a.PublishedAt, Date: a.Date, Aliases: a.Aliases, Metadata: a.Metadata, Version: a.Version, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt,
	}
}

// orPost is asPost of what an operation answered.
func orPost(a *api.Article, err error) (*api.Post, error) {
	if err != nil {
		return nil, err
	}
	return asPost(a), nil
}

// All implements postsync.Texts.
func (d articles) All(ctx context.Context, q api.PostQuery, options ...sdk.CallOption) iter.Seq2[*api.Post, error] {
	return func(yield func(*api.Post, error) bool) {
		for a, err := range d.desk.All(ctx, api.ArticleQuery{PageQuery: q.PageQuery, Status: q.Status, Tag: q.Tag, Include: q.Include}, options...) {
			if !yield(d.post(ctx, a, err)) {
				return
			}
		}
	}
}

// Source implements postsync.Texts.
func (d articles) Source(ctx context.Context, id string, options ...sdk.CallOption) (*api.Post, error) {
	a, err := d.desk.Source(ctx, id, options...)
	return d.post(ctx, a, err)
}

// Create implements postsync.Texts.
func (d articles) Create(ctx context.Context, in api.PostCreate, options ...sdk.CallOption) (*api.Post, error) {
	category, metadata, err := d.category(ctx, in.Metadata)
	if err != nil {
		return nil, err
	}
	in.Metadata = metadata
	article, err := create(in)
	if err != nil {
		return nil, err
	}
	article.CategoryID = category
	a, err := d.desk.Create(ctx, article, options...)
	return d.post(ctx, a, err)
}

// Update implements postsync.Texts.
func (d articles) Update(ctx context.Context, in api.PostPatch, options ...sdk.CallOption) (*api.Post, error) {
	name := in.Metadata.Value[postfile.CategoryKey]
	if d.categories != nil && name != nil {
		delete(in.Metadata.Value, postfile.CategoryKey)
		in.Metadata.Set = len(in.Metadata.Value) > 0
	}
	patch, err := articlePatch(in)
	if err == nil && d.categories != nil && name != nil {
		var id string
		id, err = d.categories.id(ctx, *name)
		patch.CategoryID = api.Some(id)
	}
	if err != nil {
		return nil, err
	}
	a, err := d.desk.Update(ctx, patch, options...)
	return d.post(ctx, a, err)
}

// Archive implements postsync.Texts.
func (d articles) Archive(ctx context.Context, ref api.PostRef, options ...sdk.CallOption) (*api.Post, error) {
	a, err := d.desk.Archive(ctx, ref, options...)
	return d.post(ctx, a, err)
}

// Lacks implements postsync.Lacking: a folder's articles go without these.
func (articles) Lacks() []string {
	return []string{"publishAt", "image", "canonicalUrl", "author", "category"}
}

var errPostOnly = &kit.Failure{Exit: kit.ExitInvalid, Code: "invalid_file", Message: "publishAt, image, canonicalUrl and author are for posts; help articles have none"}

func create(in api.PostCreate) (api.ArticleCreate, error) {
	if in.PublishAt != 0 || in.FeaturedImage != nil || in.CanonicalURL != "" || in.Author != "" {
		return api.ArticleCreate{}, errPostOnly
	}
	return api.ArticleCreate{
		Title: in.Title, Content: in.Content, Excerpt: in.Description, Slug: in.Slug, Status: in.Status, Tags: in.Tags, Locale: in.Locale,
		PublishedAt: in.PublishedAt, Aliases: in.Aliases, Metadata: in.Metadata,
	}, nil
}

func articlePatch(in api.PostPatch) (patch api.ArticlePatch, err error) {
	if in.PublishAt.Set || in.FeaturedImage.Set || in.CanonicalURL.Set || in.Author.Set {
		return patch, errPostOnly
	}
	patch.ArticleRef = in.PostRef
	patch.Title, patch.Content, patch.Excerpt, patch.Slug = in.Title, in.Content, in.Description, in.Slug
	patch.Status, patch.Tags, patch.Locale = in.Status, in.Tags, in.Locale
	patch.PublishedAt, patch.Aliases, patch.Metadata = in.PublishedAt, in.Aliases, in.Metadata
	return patch, nil
}

// Slugs are those of the latest articles, for completion.
func Slugs(ctx context.Context, a *kit.App) ([]string, error) { return texts.Slugs(ctx, a) }
