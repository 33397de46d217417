// Package plain makes text from elsewhere fit for a screen: nothing in it steers
// the terminal, and every terminal gives it the same width. It knows no screen.
package plain

import (
	"strings"
	"unicode"

	"edgesvc.dev/svc/cli/internal/terminal"
)

// joiner glues emoji into one picture, which terminals draw in as many columns
// as they like.
const joiner = '\u200d'

// maxMarks is how many combining marks a letter keeps.
const maxMarks = 2

// Text keeps lines apart with newlines; tabs become spaces.
func Text(s string) string {
	s = strings.ReplaceAll(terminal.Clean(s), "\t", "    ")
	if ascii(s) {
		return s
	}
	var b strings.Builder
	marks, joined := 0, false
	for _, r := range s {
		switch {
		case r == joiner:
			joined = true
			continue
		case invisible(r):
			continue
		case joined && unicode.Is(unicode.So, r):
			continue // the rest of a picture that its first part stands for
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks > maxMarks {
				continue
			}
		default:
			marks = 0
		}
		joined = false
		b.WriteRune(r)
	}
	return b.String()
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// invisible: what changes how the characters beside it are drawn or takes no
// room, on some terminals.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || r >= 0xFE00 && r <= 0xFE0F || // format characters, variation selectors
		r >= 0x1F3FB && r <= 0x1F3FF || // skin tones
		r >= 0xE0000 && r <= 0xE0FFF || r == 0x115F || r == 0x1160 || r == 0x3164
}
