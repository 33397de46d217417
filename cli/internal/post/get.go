package post

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk/api"
)

type get struct {
	app           *kit.App
	md, html, web bool
}

func newGet(a *kit.App) *cobra.Command {
	o := &get{app: a}
	cmd := &cobra.Command{
		Use: "get POST", Short: "Show a post", Aliases: []string{"show"}, Args: kit.Exactly("a post: its id, slug or address"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().BoolVar(&o.md, "md", false, "print Markdown with front matter")
	cmd.Flags().BoolVar(&o.html, "html", false, "print the HTML as it is stored")
	cmd.Flags().BoolVar(&o.web, "web", false, "open the public page in the browser")
	cmd.MarkFlagsMutuallyExclusive("md", "html", "web")
	a.CompleteFirst(cmd, slugs)
	return cmd
}

func (o *get) run(ctx context.Context, ref string) error {
	c, p, err := openPost(ctx, o.app, kit.WriteFlags{}, ref)
	if err != nil {
		return err
	}
	switch {
	case o.html:
		return o.app.PrintText(p.Content + "\n")
	case o.md:
		f, err := postfile.FromPost(p, false)
		if err != nil {
			return err
		}
		b, err := f.Bytes()
		if err != nil {
			return err
		}
		return o.app.PrintText(string(b))
	case o.web:
		me, err := c.Me(ctx)
		if err != nil {
			return err
		}
		return o.app.Open(o.app.Settings.URL + "/" + me.Team.Slug + "/" + p.Slug)
	}
	return showPost(o.app, p)
}

// showPost prints a post: for a person its members, and then the text.
func showPost(a *kit.App, p *api.Post) error {
	printer, err := a.Printer()
	if err != nil {
		return err
	}
	if err := kit.ShowOne(a, view, p); err != nil || printer.Structured() || printer.Format == "ids" || printer.Format == "csv" || p.Content == "" {
		return err
	}
	md, err := postfile.Markdown(p.Content)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(a.IO.Out, "\n"+terminal.Clean(md))
	return err
}
