package writing

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// move is a verb that changes the status of texts.
type move[T any] struct {
	verb, short, done string
	do                func(s Service[T], ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*T, error)
}

// Moves are the verbs that change the status of texts.
func (t *Texts[T]) Moves(a *kit.App) []*cobra.Command {
	var all []*cobra.Command
	for _, m := range []move[T]{
		{"publish", "Publish " + t.Kind + "s", "published", Service[T].Publish},
		{"unpublish", "Make published " + t.Kind + "s drafts", "unpublished", Service[T].Unpublish},
		{"archive", "Archive " + t.Kind + "s: they are no longer shown", "archived", Service[T].Archive},
		{"restore", "Bring archived " + t.Kind + "s back as drafts", "restored", Service[T].Unarchive},
	} {
		all = append(all, t.newMove(a, m))
	}
	return all
}

// newMove is the verb. It takes several texts, goes on after one that is refused,
// and fails with the first refusal.
func (t *Texts[T]) newMove(a *kit.App, m move[T]) *cobra.Command {
	w := kit.WriteFlags{Versioned: true}
	cmd := &cobra.Command{
		Use: m.verb + " " + argument(t.Kind) + "...", Short: m.short, Args: kit.AtLeast(t.wanted()), Example: "  svcctl " + t.Noun + " " + m.verb + " why-go how-go",
		RunE: func(cmd *cobra.Command, args []string) error { return t.move(cmd.Context(), a, m, w, args) },
	}
	w.Add(cmd)
	a.CompleteArgs(cmd, t.Slugs)
	return cmd
}

func (t *Texts[T]) move(ctx context.Context, a *kit.App, m move[T], w kit.WriteFlags, refs []string) error {
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
		id, err := t.FindID(ctx, c, ref)
		var text *T
		if err == nil {
			text, err = m.do(t.Service(c), ctx, api.Ref{ID: id, IfMatch: version}, w.Options()...)
		}
		switch {
		case kit.IsDryRun(err):
		case err != nil && failed != nil:
			a.Report(kit.Explain(ctx, err))
		case err != nil:
			failed = err
		default:
			a.IO.Say("%s %s", m.done, t.Post(text).Slug)
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
		Use: "delete " + argument(t.Kind), Short: "Delete a draft or an archived " + t.Kind + " for good", Aliases: []string{"rm"}, Args: kit.Exactly(t.wanted()),
		Example: "  svcctl " + t.Noun + " delete why-go --archive",
		RunE:    func(cmd *cobra.Command, args []string) error { return t.delete(cmd.Context(), a, w, args[0], archive) },
	}
	w.Add(cmd)
	cmd.Flags().BoolVar(&archive, "archive", false, "archive it first if it is published")
	a.CompleteFirst(cmd, t.Slugs)
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
	it := t.Post(text)
	if published(it) && !archive {
		return &kit.Failure{Exit: kit.ExitConflict, Code: "invalid_transition", Message: it.Slug + " is published, and a published " + t.Kind + " cannot be deleted",
			Hint: "svcctl " + t.Noun + " archive " + it.Slug + ", or --archive"}
	}
	if !w.DryRun {
		if err := a.Confirm("deleting "+terminal.Line(it.Title)+" for good", it.Slug); err != nil {
			return err
		}
	}
	if published(it) {
		archived, err := t.Service(c).Archive(ctx, api.Ref{ID: it.ID, IfMatch: version})
		if err != nil {
			return err
		}
		it, version = t.Post(archived), 0 // the version that was asked for is past
	}
	if err := t.Service(c).Delete(ctx, api.Ref{ID: it.ID, IfMatch: version}, w.Options()...); err != nil {
		return err
	}
	a.IO.Say("deleted %s (%s)", it.Slug, it.ID)
	return nil
}

func published(p *api.Post) bool { return p.Status == api.PostPublished }
