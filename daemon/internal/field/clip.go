package field

import (
	"strings"
	"unicode/utf8"
)

// Clip makes one line of a text that nobody has checked, such as a header: valid
// UTF-8 without control characters, of at most that many bytes, never cut inside
// a character.
func Clip(s string, most int) string {
	if plain(s, most) {
		return s
	}
	s = s[:min(len(s), 4*most)] // all that can count
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r // the bytes of no character come as U+FFFD
	}, s)
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

func plain(s string, most int) bool {
	if len(s) > most {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
