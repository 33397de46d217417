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
	if p.Status == api.PostDraft && p.PublishAt != 0 {
		return p.Status + " (scheduled " + kit.Ago(p.PublishAt) + ")"
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
	verbs := []*cobra.Command{newList(a), texts.NewGet(a), newCreate(a), newUpdate(a), newEdit(a), newGenerate(a), newImage(a), newBatch(a)}
	verbs = append(verbs, texts.Moves(a)...)
	verbs = append(verbs, texts.NewDelete(a), newRevision(a), newDiff(a), newPreview(a), newImport(a), newExport(a), newSync(a))
	return kit.Group("post", "Posts", []string{"posts"}, verbs...)
}

// texts are posts for the verbs that help articles have too.
var texts = &writing.Texts[api.Post]{
	Noun: "post", Kind: "post", ID: regexp.MustCompile(`^post_[0-9a-z]{26}$`), View: view, Page: "/",
	Service: func(c *sdk.Client) writing.Service[api.Post] { return c.Posts },
	Post:    func(p *api.Post) *api.Post { return p },
	Newest: func(ctx context.Context, c *sdk.Client) ([]string, error) {
		page, err := c.Posts.List(ctx, api.PostQuery{PageQuery: api.PageQuery{Limit: 100}})
		return kit.Each(page, err, func(p *api.Post) string { return p.Slug })
	},
}

var revisions = crud.Lister[api.Revision, api.RevisionQuery]{
	Path: "post revision", Plural: "the earlier texts of a post, newest first", Argument: "POST", Wanted: aPost, Of: "id", Flags: map[string]string{"include": "-"},
	Columns: crud.Columns[api.Revision]("number title~ age=createdAt by=actorId +tags~ +description~"), IDMember: "number",
	Refs:    map[string]crud.Lookup{"id": {Find: crud.ByKey(texts.FindID), Names: texts.Slugs}},
	Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.Revision, api.RevisionQuery] { return c.Posts.Revisions }),
}

func newRevision(a *kit.App) *cobra.Command {
	return kit.Group("revision", "Earlier texts of posts", []string{"revisions"}, revisions.New(a), texts.NewRestore(a, restore))
}

func newEdit(a *kit.App) *cobra.Command { return writing.NewEdit(Editor(a), "edit POST", "post") }

// Editor is what edits the posts of a team.
func Editor(a *kit.App) *writing.Editor {
	return &writing.Editor{App: a, Find: texts.Find, Texts: func(c *sdk.Client) postsync.Texts { return c.Posts }}
}

func newSync(a *kit.App) *cobra.Command {
	return writing.NewSync(syncer(a))
}

func syncer(a *kit.App) *writing.Syncer {
	return &writing.Syncer{App: a, Page: "/", Noun: "post", Group: "post", Texts: func(c *sdk.Client) postsync.Texts { return c.Posts }}
}

func restore(ctx context.Context, c *sdk.Client, id string, n int, options ...sdk.CallOption) (*api.Post, error) {
	return c.Posts.RestoreRevision(ctx, api.RevisionRef{ID: id, N: n}, options...)
}

// Slugs are those of the latest posts, for completion.
func Slugs(ctx context.Context, a *kit.App) ([]string, error) { return texts.Slugs(ctx, a) }
