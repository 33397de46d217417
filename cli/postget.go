package cli

import (
	"context"
	"fmt"

	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

type postGet struct {
	app           *app
	md, html, web bool
}

func newPostGet(a *app) *cobra.Command {
	o := &postGet{app: a}
	cmd := &cobra.Command{
		Use: "get POST", Short: "Show a post", Aliases: []string{"show"}, Args: exactly("a post: its id, slug or address"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().BoolVar(&o.md, "md", false, "print Markdown with front matter")
	cmd.Flags().BoolVar(&o.html, "html", false, "print the HTML as it is stored")
	cmd.Flags().BoolVar(&o.web, "web", false, "open the public page in the browser")
	cmd.MarkFlagsMutuallyExclusive("md", "html", "web")
	return cmd
}

func (o *postGet) run(ctx context.Context, ref string) error {
	c, p, err := o.app.openPost(ctx, writeFlags{}, ref)
	if err != nil {
		return err
	}
	switch {
	case o.html:
		return o.app.printText(p.Content + "\n")
	case o.md:
		f, err := postfile.FromPost(p, false)
		if err != nil {
			return err
		}
		b, err := f.Bytes()
		if err != nil {
			return err
		}
		return o.app.printText(string(b))
	case o.web:
		me, err := c.Me(ctx)
		if err != nil {
			return err
		}
		return o.app.open(o.app.settings.URL + "/" + me.Team.Slug + "/" + p.Slug)
	}
	return o.app.showPost(p)
}

// showPost prints a post: for a person its members, and then the text.
func (a *app) showPost(p *api.Post) error {
	printer, err := a.printer()
	if err != nil {
		return err
	}
	if err := showOne(a, postView, p); err != nil || printer.Structured() || printer.Format == "ids" || printer.Format == "csv" || p.Content == "" {
		return err
	}
	md, err := postfile.Markdown(p.Content)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(a.io.Out, "\n"+terminal.Clean(md))
	return err
}
