package cli

import (
	"context"
	"fmt"
	"strings"

	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/terminal"
	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"
)

type postDiff struct {
	app      *app
	exitCode bool
}

func newPostDiff(a *app) *cobra.Command {
	o := &postDiff{app: a}
	cmd := &cobra.Command{
		Use: "diff POST FILE", Short: "Show how a file differs from a post", Args: exactly("a post: its id, slug or address", "a file"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0], args[1]) },
	}
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit 10 when they differ")
	return cmd
}

func (o *postDiff) run(ctx context.Context, ref, file string) error {
	f, _, err := o.app.readPostFile(file, false)
	if err != nil {
		return err
	}
	_, p, err := o.app.openPost(ctx, writeFlags{}, ref)
	if err != nil {
		return err
	}
	html, _, err := f.Render(func(path string) (string, error) { return path, nil })
	if err != nil {
		return err
	}
	_, changes, err := f.Patch(p, &html)
	if err != nil {
		return err
	}
	if err := o.app.printChanges(p.Slug, file, changes); err != nil {
		return err
	}
	if o.exitCode && len(changes) > 0 {
		return &failure{Exit: exitDifferences}
	}
	return nil
}

// printChanges shows each difference as a unified diff. The body is compared
// as Markdown, which people read, unless that hides the difference.
func (a *app) printChanges(old, new string, changes []postfile.Change) error {
	for _, change := range changes {
		before, after := change.Old, change.New
		if change.Multiline {
			before, after = readable(before, after)
		}
		text := udiff.Unified(old+" "+change.Field, new+" "+change.Field, line(before), line(after))
		if _, err := fmt.Fprint(a.io.Out, a.paint(text)); err != nil {
			return err
		}
	}
	return nil
}

func readable(before, after string) (string, string) {
	b, berr := postfile.Markdown(before)
	a, aerr := postfile.Markdown(after)
	if berr != nil || aerr != nil || a == b {
		return before, after
	}
	return b, a
}

func line(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// paint colours a unified diff.
func (a *app) paint(diff string) string {
	style := a.io.OutStyle()
	var b strings.Builder
	for text := range strings.Lines(diff) {
		text = strings.TrimSuffix(terminal.Clean(text), "\n")
		switch {
		case strings.HasPrefix(text, "+++"), strings.HasPrefix(text, "---"):
			text = style.Bold(text)
		case strings.HasPrefix(text, "+"):
			text = style.Green(text)
		case strings.HasPrefix(text, "-"):
			text = style.Red(text)
		case strings.HasPrefix(text, "@@"):
			text = style.Cyan(text)
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}
