package part

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/cli/tui/internal/part/plain"
	"edgesvc.dev/svc/sdk/api"
)

// Clean makes text from elsewhere safe to show and measurable.
func Clean(s string) string { return plain.Text(s) }

// Line is Clean on one line.
func Line(s string) string {
	return strings.Join(strings.Fields(Clean(s)), " ")
}

// Fit cuts or pads s to w columns.
func Fit(s string, w int) string {
	if w <= 0 {
		return ""
	}
	return terminal.Pad(terminal.Cut(s, w), w)
}

// Spread puts left and right at the edges of w columns; right is dropped where
// both do not fit.
func Spread(left, right string, w int) string {
	gap := w - ansi.StringWidth(left) - ansi.StringWidth(right)
	if right == "" || gap < 1 {
		if room := w - ansi.StringWidth(right) - 1; right != "" && room >= w/2 {
			return Fit(left, room) + " " + right
		}
		return Fit(left, w)
	}
	return left + strings.Repeat(" ", gap) + right
}

// Wrap breaks text into lines of at most w columns.
func Wrap(s string, w int) []string {
	return strings.Split(ansi.Wrap(s, max(w, 1), " -"), "\n")
}

// Ago is how long before now t was, in one or two characters and a unit.
func Ago(now time.Time, t api.Time) string {
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

// Clock is a span as minutes and seconds.
func Clock(d time.Duration) string {
	s := int(max(d, 0) / time.Second)
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// Grouped is a number with commas.
func Grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural is a number of things.
func Plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Grouped(n) + " " + thing
}

// Or is a, or b where a is empty.
func Or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// Quote makes s one word of a shell.
func Quote(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@,%+", r))
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
