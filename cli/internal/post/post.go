// Package post is svcctl post.
package post

import (
	"context"
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

// New is the command post.
func New(a *kit.App) *cobra.Command {
	return kit.Group("post", "Posts", []string{"posts"},
		newList(a), newGet(a), newCreate(a), newPatch(a), newEdit(a), newGenerate(a),
		newPublish(a), newUnpublish(a), newArchive(a), newRestore(a), newDelete(a),
		newDiff(a), newPreview(a), newImport(a), newExport(a), newSync(a))
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
