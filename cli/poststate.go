package cli

import (
	"context"

	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

// postMove is a verb that changes the status of posts.
type postMove struct {
	app     *app
	write   writeFlags
	ifMatch string
	done    string
	move    func(*sdk.PostsService, context.Context, api.PostRef, ...sdk.CallOption) (*api.Post, error)
}

func newPostPublish(a *app) *cobra.Command {
	return newPostMove("publish", "Publish posts", &postMove{app: a, done: "published", move: (*sdk.PostsService).Publish})
}

func newPostUnpublish(a *app) *cobra.Command {
	return newPostMove("unpublish", "Make published posts drafts", &postMove{app: a, done: "unpublished", move: (*sdk.PostsService).Unpublish})
}

func newPostArchive(a *app) *cobra.Command {
	return newPostMove("archive", "Take posts out of sight", &postMove{app: a, done: "archived", move: (*sdk.PostsService).Archive})
}

func newPostRestore(a *app) *cobra.Command {
	return newPostMove("restore", "Bring archived posts back as drafts", &postMove{app: a, done: "restored", move: (*sdk.PostsService).Unarchive})
}

func newPostMove(verb, short string, o *postMove) *cobra.Command {
	cmd := &cobra.Command{
		Use: verb + " POST...", Short: short, Args: atLeast("a post: its id, slug or address"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	o.write.add(cmd)
	cmd.Flags().StringVar(&o.ifMatch, "if-match", "", "only when the post has this version")
	return cmd
}

// run goes on after a post that refuses, and fails with the first refusal.
func (o *postMove) run(ctx context.Context, refs []string) error {
	version, err := parseVersion(o.ifMatch)
	if err != nil {
		return err
	}
	if version > 0 && len(refs) > 1 {
		return usage("--if-match goes with one post")
	}
	c, err := o.app.writer(o.write)
	if err != nil {
		return err
	}
	var moved []api.Post
	var failed error
	for _, ref := range refs {
		p, err := o.one(ctx, c, ref, version)
		if isDryRun(err) {
			continue
		}
		if err != nil {
			if failed != nil {
				o.app.report(explain(ctx, failed))
			}
			failed = err
			continue
		}
		o.app.io.Say("%s %s", o.done, p.Slug)
		moved = append(moved, *p)
	}
	printer, err := o.app.printer()
	if err == nil && printer.Format != "" && len(moved) > 0 {
		err = showList(o.app, listFlags{all: true}, postView, list(moved))
	}
	if failed != nil {
		return failed
	}
	return err
}

func (o *postMove) one(ctx context.Context, c *sdk.Client, ref string, version int) (*api.Post, error) {
	id, err := findPostID(ctx, c, ref)
	if err != nil {
		return nil, err
	}
	return o.move(c.Posts, ctx, api.PostRef{ID: id, IfMatch: version}, o.write.options()...)
}

type postDelete struct {
	app     *app
	write   writeFlags
	archive bool
}

func newPostDelete(a *app) *cobra.Command {
	o := &postDelete{app: a}
	cmd := &cobra.Command{
		Use: "delete POST", Short: "Delete an archived post for good", Aliases: []string{"rm"}, Args: exactly("a post: its id, slug or address"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.write.add(cmd)
	cmd.Flags().BoolVar(&o.archive, "archive", false, "archive it first if it is not")
	return cmd
}

func (o *postDelete) run(ctx context.Context, ref string) error {
	c, p, err := o.app.openPost(ctx, o.write, ref)
	if err != nil {
		return err
	}
	if p.Status != api.PostArchived && !o.archive {
		return &failure{Exit: exitConflict, Code: "invalid_transition", Message: "only archived posts can be deleted; " + p.Slug + " is " + p.Status, Hint: "svcctl post archive " + p.Slug + ", or --archive"}
	}
	if !o.write.dryRun {
		if err := o.app.confirm("deleting "+terminal.Line(p.Title)+" for good", p.Slug); err != nil {
			return err
		}
	}
	if p.Status != api.PostArchived {
		if _, err := c.Posts.Archive(ctx, api.PostRef{ID: p.ID}); err != nil {
			return err
		}
	}
	if err := c.Posts.Delete(ctx, api.PostRef{ID: p.ID}, o.write.options()...); err != nil {
		return err
	}
	o.app.io.Say("deleted %s (%s)", p.Slug, p.ID)
	return nil
}
