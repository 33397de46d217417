package post

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// move is a verb that changes the status of posts.
type move struct {
	app     *kit.App
	write   kit.WriteFlags
	ifMatch string
	done    string
	move    func(*sdk.PostsService, context.Context, api.PostRef, ...sdk.CallOption) (*api.Post, error)
}

func newPublish(a *kit.App) *cobra.Command {
	return newMove("publish", "Publish posts", &move{app: a, done: "published", move: (*sdk.PostsService).Publish})
}

func newUnpublish(a *kit.App) *cobra.Command {
	return newMove("unpublish", "Make published posts drafts", &move{app: a, done: "unpublished", move: (*sdk.PostsService).Unpublish})
}

func newArchive(a *kit.App) *cobra.Command {
	return newMove("archive", "Take posts out of sight", &move{app: a, done: "archived", move: (*sdk.PostsService).Archive})
}

func newRestore(a *kit.App) *cobra.Command {
	return newMove("restore", "Bring archived posts back as drafts", &move{app: a, done: "restored", move: (*sdk.PostsService).Unarchive})
}

func newMove(verb, short string, o *move) *cobra.Command {
	cmd := &cobra.Command{
		Use: verb + " POST...", Short: short, Args: kit.AtLeast("a post: its id, slug or address"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args) },
	}
	o.write.Add(cmd)
	cmd.Flags().StringVar(&o.ifMatch, "if-match", "", "only when the post has this version")
	return cmd
}

// run goes on after a post that refuses, and fails with the first refusal.
func (o *move) run(ctx context.Context, refs []string) error {
	version, err := kit.ParseVersion(o.ifMatch)
	if err != nil {
		return err
	}
	if version > 0 && len(refs) > 1 {
		return kit.Usage("--if-match goes with one post")
	}
	c, err := o.app.Writer(o.write)
	if err != nil {
		return err
	}
	var moved []api.Post
	var failed error
	for _, ref := range refs {
		p, err := o.one(ctx, c, ref, version)
		if kit.IsDryRun(err) {
			continue
		}
		if err != nil {
			if failed != nil {
				o.app.Report(kit.Explain(ctx, failed))
			}
			failed = err
			continue
		}
		o.app.IO.Say("%s %s", o.done, p.Slug)
		moved = append(moved, *p)
	}
	printer, err := o.app.Printer()
	if err == nil && printer.Format != "" && len(moved) > 0 {
		err = kit.ShowList(o.app, kit.ListFlags{All: true}, view, kit.List(moved))
	}
	if failed != nil {
		return failed
	}
	return err
}

func (o *move) one(ctx context.Context, c *sdk.Client, ref string, version int) (*api.Post, error) {
	id, err := findPostID(ctx, c, ref)
	if err != nil {
		return nil, err
	}
	return o.move(c.Posts, ctx, api.PostRef{ID: id, IfMatch: version}, o.write.Options()...)
}

type postDelete struct {
	app     *kit.App
	write   kit.WriteFlags
	archive bool
}

func newDelete(a *kit.App) *cobra.Command {
	o := &postDelete{app: a}
	cmd := &cobra.Command{
		Use: "delete POST", Short: "Delete an archived post for good", Aliases: []string{"rm"}, Args: kit.Exactly("a post: its id, slug or address"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	o.write.Add(cmd)
	cmd.Flags().BoolVar(&o.archive, "archive", false, "archive it first if it is not")
	return cmd
}

func (o *postDelete) run(ctx context.Context, ref string) error {
	c, p, err := openPost(ctx, o.app, o.write, ref)
	if err != nil {
		return err
	}
	if p.Status != api.PostArchived && !o.archive {
		return &kit.Failure{Exit: kit.ExitConflict, Code: "invalid_transition", Message: "only archived posts can be deleted; " + p.Slug + " is " + p.Status, Hint: "svcctl post archive " + p.Slug + ", or --archive"}
	}
	if !o.write.DryRun {
		if err := o.app.Confirm("deleting "+terminal.Line(p.Title)+" for good", p.Slug); err != nil {
			return err
		}
	}
	if p.Status != api.PostArchived {
		if _, err := c.Posts.Archive(ctx, api.PostRef{ID: p.ID}); err != nil {
			return err
		}
	}
	if err := c.Posts.Delete(ctx, api.PostRef{ID: p.ID}, o.write.Options()...); err != nil {
		return err
	}
	o.app.IO.Say("deleted %s (%s)", p.Slug, p.ID)
	return nil
}
