package tui

import (
	"fmt"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/cli/tui/internal/plain"
	"edgesvc.dev/svc/sdk/api"
	"github.com/charmbracelet/x/ansi"
)

// clean makes text from elsewhere safe to show and measurable.
func clean(s string) string { return plain.Text(s) }

// line is clean on one line.
func line(s string) string {
	return strings.Join(strings.Fields(clean(s)), " ")
}

// fit cuts or pads s to w columns.
func fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return terminal.Pad(terminal.Cut(s, w), w)
}

// spread puts left and right at the edges of w columns; right is dropped where
// both do not fit.
func spread(left, right string, w int) string {
	gap := w - ansi.StringWidth(left) - ansi.StringWidth(right)
	if right == "" || gap < 1 {
		if room := w - ansi.StringWidth(right) - 1; right != "" && room >= w/2 {
			return fit(left, room) + " " + right
		}
		return fit(left, w)
	}
	return left + strings.Repeat(" ", gap) + right
}

// wrap breaks text into lines of at most w columns.
func wrap(s string, w int) []string {
	return strings.Split(ansi.Wrap(s, max(w, 1), " -"), "\n")
}

// ago is how long before now t was, in one or two characters and a unit.
func ago(now time.Time, t api.Time) string {
	if t == 0 {
		return ""
	}
	d := now.Sub(t.Time())
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d < 365*24*time.Hour:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	return fmt.Sprintf("%dy", d/(365*24*time.Hour))
}

// clock is a span as minutes and seconds.
func clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// grouped is a number with commas.
func grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is a number of things.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return grouped(n) + " " + thing
}

// or is a, or b where a is empty.
func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
