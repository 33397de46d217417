package writing

import (
	"context"
	"fmt"
	"regexp"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Texts is a kind of text, posts or help articles, for the verbs that both have.
type Texts[T any] struct {
	Noun string // as it is typed, such as help-article
	Kind string // in sentences
	ID   *regexp.Regexp
	View output.View[T]

	Service func(*sdk.Client) Service[T]
	// Post is the text as a post: what both have.
	Post func(*T) *api.Post
	// Newest are the newest texts' slugs, for completion.
	Newest func(ctx context.Context, c *sdk.Client) ([]string, error)
	// Page is the path of the public page below the team's.
	Page string
}

// Service is what the SDK offers for a kind of text.
type Service[T any] interface {
	Source(ctx context.Context, id string, options ...sdk.CallOption) (*T, error)
	SourceBySlug(ctx context.Context, slug string, options ...sdk.CallOption) (*T, error)
	Publish(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*T, error)
	Unpublish(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*T, error)
	Archive(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*T, error)
	Unarchive(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*T, error)
	Delete(ctx context.Context, ref api.Ref, options ...sdk.CallOption) error
}

func (t *Texts[T]) wanted() string { return "a " + t.Kind + ": its id, slug or address" }

// Slugs are the newest texts', for completion.
func (t *Texts[T]) Slugs(ctx context.Context, a *kit.App) ([]string, error) {
	c, err := a.Client()
	if err != nil {
		return nil, err
	}
	return t.Newest(ctx, c)
}

// Find fetches the text that ref names, its content as it was sent.
func (t *Texts[T]) Find(ctx context.Context, c *sdk.Client, ref string) (*T, error) {
	name := kit.ParseRef(ref)
	if t.ID.MatchString(name) {
		return t.Service(c).Source(ctx, name)
	}
	return t.Service(c).SourceBySlug(ctx, name)
}

// FindID is Find where the id is enough, without a request for an id.
func (t *Texts[T]) FindID(ctx context.Context, c *sdk.Client, ref string) (string, error) {
	if name := kit.ParseRef(ref); t.ID.MatchString(name) {
		return name, nil
	}
	v, err := t.Find(ctx, c, ref)
	if err != nil {
		return "", err
	}
	return t.Post(v).ID, nil
}

// Open connects and fetches the text that ref names.
func (t *Texts[T]) Open(ctx context.Context, a *kit.App, w kit.WriteFlags, ref string) (*sdk.Client, *T, error) {
	c, err := a.Writer(w)
	if err != nil {
		return nil, nil, err
	}
	v, err := t.Find(ctx, c, ref)
	return c, v, err
}

// Result prints a text that a command changed: its id where no format was asked
// for, so that it can be used in the next command.
func (t *Texts[T]) Result(a *kit.App, v *T) error {
	printer, err := a.Printer()
	if err != nil {
		return err
	}
	if printer.Structured() || printer.Format != "" {
		return kit.ShowOne(a, t.View, v)
	}
	return a.PrintText(t.Post(v).ID + "\n")
}

type get[T any] struct {
	*Texts[T]
	app           *kit.App
	md, html, web bool
}

// NewGet is the verb get.
func (t *Texts[T]) NewGet(a *kit.App) *cobra.Command {
	o := &get[T]{Texts: t, app: a}
	cmd := &cobra.Command{
		Use: "get " + argument(t.Kind), Short: "Show a " + t.Kind, Aliases: []string{"show"}, Args: kit.Exactly(t.wanted()),
		Example: "  svcctl " + t.Noun + " get why-go --md",
		RunE:    func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().BoolVar(&o.md, "md", false, "print Markdown with front matter")
	cmd.Flags().BoolVar(&o.html, "html", false, "print the HTML as it is stored")
	cmd.Flags().BoolVar(&o.web, "web", false, "open the public page in the browser")
	cmd.MarkFlagsMutuallyExclusive("md", "html", "web")
	a.CompleteFirst(cmd, t.Slugs)
	return cmd
}

func (o *get[T]) run(ctx context.Context, ref string) error {
	c, v, err := o.Open(ctx, o.app, kit.WriteFlags{}, ref)
	if err != nil {
		return err
	}
	p := o.Post(v)
	switch {
	case o.html:
		return o.app.PrintText(p.Content + "\n")
	case o.md:
		b, err := FileText(p, false)
		if err != nil {
			return err
		}
		return o.app.PrintText(string(b))
	case o.web:
		me, err := c.Me(ctx)
		if err != nil {
			return err
		}
		return o.app.Open(o.app.Settings.URL + "/" + me.Team.Slug + o.Page + p.Slug)
	}
	return o.Show(o.app, v)
}

// Show prints a text: for a person its members, and then what it says.
func (t *Texts[T]) Show(a *kit.App, v *T) error {
	printer, err := a.Printer()
	if err != nil {
		return err
	}
	content := t.Post(v).Content
	if err := kit.ShowOne(a, t.View, v); err != nil || printer.Structured() || printer.Format == "ids" || printer.Format == "csv" || content == "" {
		return err
	}
	md, err := postfile.Markdown(content)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(a.IO.Out, "\n"+terminal.Clean(md))
	return err
}
