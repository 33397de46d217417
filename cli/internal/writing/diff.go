package writing

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/terminal"
)

// PrintChanges shows each difference as a unified diff. The body is compared
// as Markdown, which people read, unless that hides the difference.
func PrintChanges(a *kit.App, old, new string, changes []postfile.Change) error {
	for _, change := range changes {
		before, after := change.Old, change.New
		if change.Multiline {
			before, after = readable(before, after)
		}
		text := udiff.Unified(old+" "+change.Field, new+" "+change.Field, line(before), line(after))
		if _, err := fmt.Fprint(a.IO.Out, paint(a, text)); err != nil {
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
func paint(a *kit.App, diff string) string {
	style := a.IO.OutStyle()
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
