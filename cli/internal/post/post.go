// Package post is svcctl post.
package post

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/postsync"
	"edgesvc.dev/svc/cli/internal/writing"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var view = output.View[api.Post]{
	ID: func(p *api.Post) string { return p.ID },
	Columns: []output.Column[api.Post]{
		{Name: "slug", Value: func(p *api.Post) string { return p.Slug }, Flex: true},
		{Name: "title", Value: func(p *api.Post) string { return p.Title }, Flex: true},
		{Name: "status", Value: status},
		kit.When("updated", func(p *api.Post) api.Time { return p.UpdatedAt }),
		{Name: "tags", Value: func(p *api.Post) string { return strings.Join(p.Tags, ",") }, Flex: true},
		{Name: "id", Value: func(p *api.Post) string { return p.ID }, Wide: true},
		{Name: "words", Value: func(p *api.Post) string { return strconv.Itoa(p.WordCount) }, Wide: true},
		{Name: "version", Value: func(p *api.Post) string { return strconv.Itoa(p.Version) }, Wide: true},
		{Name: "description", Value: func(p *api.Post) string { return p.Description }, Wide: true, Flex: true},
		{Name: "created", Value: func(p *api.Post) string { return p.CreatedAt.String() }, Wide: true},
		{Name: "published", Value: func(p *api.Post) string { return p.PublishedAt.String() }, Wide: true},
		{Name: "publish at", Value: func(p *api.Post) string { return p.PublishAt.String() }, Wide: true},
		{Name: "model", Value: func(p *api.Post) string { return p.Model }, Wide: true},
		{Name: "image", Value: image, Wide: true, Flex: true},
		{Name: "job", Value: postJob, Wide: true},
	},
}

func status(p *api.Post) string {
	if p.Generation != nil && (p.Generation.State == api.JobQueued || p.Generation.State == api.JobRunning) {
		return p.Status + " (generating)"
	}
	return p.Status
}

func image(p *api.Post) string {
	if p.FeaturedImage == nil {
		return ""
	}
	return p.FeaturedImage.URL
}

func postJob(p *api.Post) string {
	if p.Generation == nil {
		return ""
	}
	return p.Generation.JobID + " " + p.Generation.State
}

const aPost = "a post: its id, slug or address"

// New is the command post.
func New(a *kit.App) *cobra.Command {
	move := func(verb, short, done string, do func(*sdk.PostsService, context.Context, api.Ref, ...sdk.CallOption) (*api.Post, error)) *cobra.Command {
		return texts.NewMove(a, writing.Move[api.Post]{Verb: verb, Short: short, Done: done, Do: on(do)})
	}
	return kit.Group("post", "Posts", []string{"posts"},
		newList(a), newGet(a), newCreate(a), newUpdate(a), newEdit(a), newGenerate(a),
		move("publish", "Publish posts", "published", (*sdk.PostsService).Publish),
		move("unpublish", "Make published posts drafts", "unpublished", (*sdk.PostsService).Unpublish),
		move("archive", "Archive posts: they are no longer shown", "archived", (*sdk.PostsService).Archive),
		move("restore", "Bring archived posts back as drafts", "restored", (*sdk.PostsService).Unarchive),
		texts.NewDelete(a), newRevision(a), newDiff(a), newPreview(a), newImport(a), newExport(a), newSync(a))
}

// texts are posts for the verbs that help articles have too.
var texts = &writing.Texts[api.Post]{
	Noun: "post", Kind: "post", Wanted: aPost, View: view, Names: slugs, Find: findPost, ID: findPostID,
	About: func(p *api.Post) writing.About {
		return writing.About{ID: p.ID, Slug: p.Slug, Title: p.Title, Status: p.Status, Published: p.Status == api.PostPublished}
	},
	Archive: on((*sdk.PostsService).Archive),
	Delete: func(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) error {
		return c.Posts.Delete(ctx, ref, options...)
	},
}

func on(do func(*sdk.PostsService, context.Context, api.Ref, ...sdk.CallOption) (*api.Post, error)) func(context.Context, *sdk.Client, api.Ref, ...sdk.CallOption) (*api.Post, error) {
	return func(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) (*api.Post, error) {
		return do(c.Posts, ctx, ref, options...)
	}
}

// slugs are the newest posts', for completion.
func slugs(ctx context.Context, a *kit.App) ([]string, error) {
	c, err := a.Client()
	if err != nil {
		return nil, err
	}
	page, err := c.Posts.List(ctx, api.PostQuery{PageQuery: api.PageQuery{Limit: 100}})
	if err != nil {
		return nil, err
	}
	names := make([]string, len(page.Data))
	for i := range page.Data {
		names[i] = page.Data[i].Slug
	}
	return names, nil
}

func newRevision(a *kit.App) *cobra.Command {
	list := crud.Lister[api.Revision, api.RevisionQuery]{
		Path: "post revision", Plural: "the earlier texts of a post, newest first", Argument: "POST", Wanted: aPost, Of: "id", Flags: map[string]string{"include": "-"},
		Columns: crud.Columns[api.Revision]("number title~ age=createdAt by=actorId +tags~ +description~"), IDMember: "number",
		Refs:    map[string]crud.Lookup{"id": {Find: crud.ByKey(findPostID), Names: slugs}},
		Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.Revision, api.RevisionQuery] { return c.Posts.Revisions }),
	}
	restore := func(ctx context.Context, c *sdk.Client, ref string, n int, options []sdk.CallOption) error {
		id, err := findPostID(ctx, c, ref)
		if err != nil {
			return err
		}
		p, err := c.Posts.RestoreRevision(ctx, api.RevisionRef{ID: id, N: n}, options...)
		if err != nil {
			return err
		}
		a.IO.Say("restored revision %s of %s (version %d)", strconv.Itoa(n), p.Slug, p.Version)
		return result(a, p)
	}
	return kit.Group("revision", "Earlier texts of posts", []string{"revisions"}, list.New(a), writing.NewRestore(a, "post", "post", aPost, slugs, restore))
}

var postID = regexp.MustCompile(`^post_[0-9a-z]{26}$`)

// findPost fetches the post that ref names, its content as it was sent.
func findPost(ctx context.Context, c *sdk.Client, ref string) (*api.Post, error) {
	name := kit.ParseRef(ref)
	if postID.MatchString(name) {
		return c.Posts.Source(ctx, name)
	}
	return c.Posts.SourceBySlug(ctx, name)
}

// openPost connects and fetches the post that ref names.
func openPost(ctx context.Context, a *kit.App, w kit.WriteFlags, ref string) (*sdk.Client, *api.Post, error) {
	c, err := a.Writer(w)
	if err != nil {
		return nil, nil, err
	}
	p, err := findPost(ctx, c, ref)
	return c, p, err
}

// findPostID is findPost where the id is enough, without a request for an id.
func findPostID(ctx context.Context, c *sdk.Client, ref string) (string, error) {
	if name := kit.ParseRef(ref); postID.MatchString(name) {
		return name, nil
	}
	p, err := findPost(ctx, c, ref)
	if err != nil {
		return "", err
	}
	return p.ID, nil
}

func newEdit(a *kit.App) *cobra.Command { return writing.NewEdit(Editor(a), "edit POST", "post") }

// Editor is what edits the posts of a team.
func Editor(a *kit.App) *writing.Editor {
	return &writing.Editor{App: a, Find: findPost, Texts: func(c *sdk.Client) postsync.Texts { return c.Posts }}
}

func newSync(a *kit.App) *cobra.Command {
	return writing.NewSync(&writing.Syncer{App: a, Noun: "post", Texts: func(c *sdk.Client) postsync.Texts { return c.Posts }}, "post")
}
