package terminal

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Clean makes text from elsewhere safe to show: escape sequences and control
// characters (C0 but newline and tab, C1, DEL) go, and so do the characters
// that reorder what is read (Unicode bidirectional controls).
func Clean(s string) string {
	if plain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if Unsafe(r) {
			return -1
		}
		return r
	}, ansi.Strip(strings.ToValidUTF8(s, "\uFFFD")))
}

// Line is Clean on one line.
func Line(s string) string {
	return strings.Join(strings.FieldsFunc(Clean(s), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// Unsafe reports a character that Clean removes.
func Unsafe(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || reorders(r)
}

// reorders: the embedding, override and isolate controls and the marks, which
// make text read otherwise than it is stored (CVE-2021-42574).
func reorders(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 ||
		r == 0x200E || r == 0x200F || r == 0x061C || r == 0x2028 || r == 0x2029
}

// Width is the columns that s takes.
func Width(s string) int { return ansi.StringWidth(s) }

// Cut shortens s to n columns, ending in … when something is lost.
func Cut(s string, n int) string {
	if n <= 0 {
		return ""
	}
	return ansi.Truncate(s, n, "…")
}

// Pad fills s with spaces up to n columns.
func Pad(s string, n int) string {
	if missing := n - Width(s); missing > 0 {
		return s + strings.Repeat(" ", missing)
	}
	return s
}
