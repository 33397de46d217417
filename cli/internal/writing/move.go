package writing

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// move is a verb that changes the status of texts.
type move[T any] struct {
	verb, short, done string
	// check is asked before each, nil for none.
	check func(a *kit.App, p *api.Post) error
	do    func(s Service[T], ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*T, error)
}

// Moves are the verbs that change the status of texts.
func (t *Texts[T]) Moves(a *kit.App) []*cobra.Command {
	var all []*cobra.Command
	for _, m := range []move[T]{
		{"publish", "Publish " + t.Kind + "s; what is not complete is asked about", "published", finished, Service[T].Publish},
		{"unpublish", "Make published " + t.Kind + "s drafts", "unpublished", nil, Service[T].Unpublish},
		{"archive", "Archive " + t.Kind + "s: they are no longer shown", "archived", nil, Service[T].Archive},
		{"restore", "Bring archived " + t.Kind + "s back as drafts", "restored", nil, Service[T].Unarchive},
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
		Use: m.verb + " " + argument(t.Kind) + "...", Short: m.short, Args: kit.AtLeast(t.wanted()),
		Long:    m.short + ". - reads the " + t.Kind + "s from standard input, one a line.",
		Example: "  svcctl " + t.Noun + " " + m.verb + " why-go how-go\n  svcctl " + t.Noun + " list --status draft -o ids | svcctl " + t.Noun + " " + m.verb + " -",
		RunE:    func(cmd *cobra.Command, args []string) error { return t.move(cmd.Context(), a, m, w, args) },
	}
	w.Add(cmd)
	a.CompleteArgs(cmd, t.Slugs)
	return cmd
}

func (t *Texts[T]) move(ctx context.Context, a *kit.App, m move[T], w kit.WriteFlags, args []string) error {
	version, err := w.Version()
	if err != nil {
		return err
	}
	refs, err := a.References(args)
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
		text, err := t.moveOne(ctx, a, c, m, w, ref, version)
		switch {
		case kit.IsDryRun(err):
		case err != nil && failed != nil:
			a.Report(kit.Explain(ctx, err))
		case err != nil:
			failed = err
		default:
			if p := t.Post(text); p.Held != "" {
				SayHeld(a, p)
			} else {
				a.IO.Say("%s %s", m.done, p.Slug)
			}
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

func (t *Texts[T]) moveOne(ctx context.Context, a *kit.App, c *sdk.Client, m move[T], w kit.WriteFlags, ref string, version int) (*T, error) {
	id, err := t.FindID(ctx, c, ref)
	if err == nil && m.check != nil && !w.DryRun {
		var text *T
		if text, err = t.Find(ctx, c, id); err == nil {
			err = m.check(a, t.Post(text))
		}
	}
	if err != nil {
		return nil, err
	}
	return m.do(t.Service(c), ctx, api.Ref{ID: id, IfMatch: version}, w.Options()...)
}

// toComplete is what the daemon writes where it would have to invent something.
const toComplete = "[to complete]"

// SayHeld says that a published post is not public yet, and why; nothing of another.
func SayHeld(a *kit.App, p *api.Post) {
	why := map[string]string{
		"":                 "",
		api.HeldGenerating: "its text is still being generated",
		api.HeldFailed:     "the generation of its text failed",
		api.HeldEmpty:      "it has no text",
		api.HeldUnfinished: kit.Count(max(1, strings.Count(p.Content, toComplete)), "place") + " marked " + toComplete + " remain",
	}[p.Held]
	if why != "" {
		a.IO.Say("%s is held back and not public yet: %s. It becomes public by itself with a complete text.", terminal.Line(p.Slug), why)
	}
}

// finished has a person agree before a text is published that has places left to
// complete.
func finished(a *kit.App, p *api.Post) error {
	n := strings.Count(p.Content, toComplete)
	if n == 0 {
		return nil
	}
	return a.Confirm(fmt.Sprintf("publishing %s with %s marked %s", terminal.Line(p.Slug), kit.Count(n, "place"), toComplete), p.Slug)
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
