package cli

import (
	"context"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

var postView = output.View[api.Post]{
	ID: func(p *api.Post) string { return p.ID },
	Columns: []output.Column[api.Post]{
		{Name: "slug", Value: func(p *api.Post) string { return p.Slug }, Flex: true},
		{Name: "title", Value: func(p *api.Post) string { return p.Title }, Flex: true},
		{Name: "status", Value: postStatus},
		when("updated", func(p *api.Post) api.Time { return p.UpdatedAt }),
		{Name: "tags", Value: func(p *api.Post) string { return strings.Join(p.Tags, ",") }, Flex: true},
		{Name: "id", Value: func(p *api.Post) string { return p.ID }, Wide: true},
		{Name: "words", Value: func(p *api.Post) string { return strconv.Itoa(p.WordCount) }, Wide: true},
		{Name: "version", Value: func(p *api.Post) string { return strconv.Itoa(p.Version) }, Wide: true},
		{Name: "description", Value: func(p *api.Post) string { return p.Description }, Wide: true, Flex: true},
		{Name: "created", Value: func(p *api.Post) string { return p.CreatedAt.String() }, Wide: true},
		{Name: "published", Value: func(p *api.Post) string { return p.PublishedAt.String() }, Wide: true},
		{Name: "publish at", Value: func(p *api.Post) string { return p.PublishAt.String() }, Wide: true},
		{Name: "model", Value: func(p *api.Post) string { return p.Model }, Wide: true},
		{Name: "image", Value: postImage, Wide: true, Flex: true},
		{Name: "job", Value: postJob, Wide: true},
	},
}

func postStatus(p *api.Post) string {
	if p.Generation != nil && (p.Generation.State == api.JobQueued || p.Generation.State == api.JobRunning) {
		return p.Status + " (generating)"
	}
	return p.Status
}

func postImage(p *api.Post) string {
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

func newPost(a *app) *cobra.Command {
	return group("post", "Posts", []string{"posts"},
		newPostList(a), newPostGet(a), newPostCreate(a), newPostPatch(a), newPostEdit(a), newPostGenerate(a),
		newPostPublish(a), newPostUnpublish(a), newPostArchive(a), newPostRestore(a), newPostDelete(a),
		newPostDiff(a), newPostPreview(a), newPostImport(a), newPostExport(a), newPostSync(a))
}

var postID = regexp.MustCompile(`^post_[0-9a-z]{26}$`)

// parseRef finds the id or the slug in what names a post: either, or the
// address of a page or of the API that ends in it.
func parseRef(ref string) string {
	u, err := url.Parse(ref)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ref
	}
	return path.Base(u.Path)
}

// findPost fetches the post that ref names, its content as it was sent.
func findPost(ctx context.Context, c *sdk.Client, ref string) (*api.Post, error) {
	name := parseRef(ref)
	if postID.MatchString(name) {
		return c.Posts.Source(ctx, name)
	}
	return c.Posts.SourceBySlug(ctx, name)
}

// openPost connects and fetches the post that ref names.
func (a *app) openPost(ctx context.Context, w writeFlags, ref string) (*sdk.Client, *api.Post, error) {
	c, err := a.writer(w)
	if err != nil {
		return nil, nil, err
	}
	p, err := findPost(ctx, c, ref)
	return c, p, err
}

// findPostID is findPost where the id is enough, without a request for an id.
func findPostID(ctx context.Context, c *sdk.Client, ref string) (string, error) {
	if name := parseRef(ref); postID.MatchString(name) {
		return name, nil
	}
	p, err := findPost(ctx, c, ref)
	if err != nil {
		return "", err
	}
	return p.ID, nil
}
