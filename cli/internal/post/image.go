package post

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk/api"
)

type drawing struct {
	following
	write  kit.WriteFlags
	prompt string
}

func newImage(a *kit.App) *cobra.Command {
	o := &drawing{following: following{app: a}}
	cmd := &cobra.Command{
		Use: "image POST", Short: "Have a model draw the featured image of a post", Args: kit.Exactly(aPost),
		Long:    "Starts a job that draws the featured image, and follows it. Ctrl-C or --detach leave the job running.",
		Example: "  svcctl post image why-go --prompt 'A gopher on a bridge, flat colours'",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().StringVar(&o.prompt, "prompt", "", "what the image should show, or @file")
	o.write.Add(cmd)
	o.add(cmd)
	a.CompleteFirst(cmd, texts.Slugs)
	return cmd
}

func (o *drawing) run(ctx context.Context, ref string) error {
	prompt, err := o.app.Text(o.prompt)
	if err != nil {
		return err
	}
	p, err := o.app.Printer()
	if err != nil {
		return err
	}
	c, err := o.app.Writer(o.write)
	if err != nil {
		return err
	}
	id, err := texts.FindID(ctx, c, ref)
	if err != nil {
		return err
	}
	job, err := c.Posts.Image(ctx, api.PostImage{ID: id, Prompt: prompt}, o.write.Options()...)
	if err != nil {
		return err
	}
	return o.follow(ctx, c, job, p)
}
