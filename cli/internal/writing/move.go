package writing

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Texts is a kind of text, posts or help articles, for the verbs that change
// what state one is in.
type Texts[T any] struct {
	Noun   string // as it is typed, such as help-article
	Kind   string // in sentences
	Wanted string // what the argument has to be
	View   output.View[T]

	// ID is the id of the text that ref names, Find the text.
	ID    func(ctx context.Context, c *sdk.Client, ref string) (string, error)
	Find  func(ctx context.Context, c *sdk.Client, ref string) (*T, error)
	Names kit.Names
	// About is what people need to know of one.
	About   func(*T) About
	Archive func(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) (*T, error)
	Delete  func(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) error
}

// About is what is told of a text.
type About struct {
	ID, Slug, Title, Status string
	Published               bool
}

// Move is a verb that changes the status of texts.
type Move[T any] struct {
	Verb, Short, Done string
	Do                func(ctx context.Context, c *sdk.Client, ref api.Ref, options ...sdk.CallOption) (*T, error)
}

// NewMove is the verb. It takes several texts, goes on after one that is refused,
// and fails with the first refusal.
func (t *Texts[T]) NewMove(a *kit.App, m Move[T]) *cobra.Command {
	w := kit.WriteFlags{Versioned: true}
	cmd := &cobra.Command{
		Use: m.Verb + " " + argument(t.Kind) + "...", Short: m.Short, Args: kit.AtLeast(t.Wanted), Example: "  svcctl " + t.Noun + " " + m.Verb + " why-go how-go",
		RunE: func(cmd *cobra.Command, args []string) error { return t.move(cmd.Context(), a, m, w, args) },
	}
	w.Add(cmd)
	a.CompleteArgs(cmd, t.Names)
	return cmd
}

func (t *Texts[T]) move(ctx context.Context, a *kit.App, m Move[T], w kit.WriteFlags, refs []string) error {
	version, err := w.Version()
	if err != nil {
		return err
	}
	if version > 0 && len(refs) > 1 {
		return kit.Usage("--if-match goes with one %s", t.Kind)
	}
	c, err := a.Writer(w)
	if err != nil {
		return err
	}
	var moved []T
	var failed error
	for _, ref := range refs {
		id, err := t.ID(ctx, c, ref)
		var text *T
		if err == nil {
			text, err = m.Do(ctx, c, api.Ref{ID: id, IfMatch: version}, w.Options()...)
		}
		switch {
		case kit.IsDryRun(err):
		case err != nil && failed != nil:
			a.Report(kit.Explain(ctx, err))
		case err != nil:
			failed = err
		default:
			a.IO.Say("%s %s", m.Done, t.About(text).Slug)
			moved = append(moved, *text)
		}
	}
	printer, err := a.Printer()
	if err == nil && printer.Format != "" && len(moved) > 0 {
		err = kit.ShowList(a, kit.ListFlags{All: true}, t.View, kit.List(moved))
	}
	if failed != nil {
		return failed
	}
	return err
}

// NewDelete is the verb delete: a draft or an archived text is deleted, a
// published one is not, and its slug is typed, or --yes given.
func (t *Texts[T]) NewDelete(a *kit.App) *cobra.Command {
	w, archive := kit.WriteFlags{Versioned: true}, false
	cmd := &cobra.Command{
		Use: "delete " + argument(t.Kind), Short: "Delete a draft or an archived " + t.Kind + " for good", Aliases: []string{"rm"}, Args: kit.Exactly(t.Wanted),
		Example: "  svcctl " + t.Noun + " delete why-go --archive",
		RunE:    func(cmd *cobra.Command, args []string) error { return t.delete(cmd.Context(), a, w, args[0], archive) },
	}
	w.Add(cmd)
	cmd.Flags().BoolVar(&archive, "archive", false, "archive it first if it is published")
	a.CompleteFirst(cmd, t.Names)
	return cmd
}

func (t *Texts[T]) delete(ctx context.Context, a *kit.App, w kit.WriteFlags, ref string, archive bool) error {
	version, err := w.Version()
	if err != nil {
		return err
	}
	c, err := a.Writer(w)
	if err != nil {
		return err
	}
	text, err := t.Find(ctx, c, ref)
	if err != nil {
		return err
	}
	it := t.About(text)
	if it.Published && !archive {
		return &kit.Failure{Exit: kit.ExitConflict, Code: "invalid_transition", Message: it.Slug + " is published, and a published " + t.Kind + " cannot be deleted",
			Hint: "svcctl " + t.Noun + " archive " + it.Slug + ", or --archive"}
	}
	if !w.DryRun {
		if err := a.Confirm("deleting "+terminal.Line(it.Title)+" for good", it.Slug); err != nil {
			return err
		}
	}
	if it.Published {
		archived, err := t.Archive(ctx, c, api.Ref{ID: it.ID, IfMatch: version})
		if err != nil {
			return err
		}
		it, version = t.About(archived), 0 // the version that was asked for is past
	}
	if err := t.Delete(ctx, c, api.Ref{ID: it.ID, IfMatch: version}, w.Options()...); err != nil {
		return err
	}
	a.IO.Say("deleted %s (%s)", it.Slug, it.ID)
	return nil
}
