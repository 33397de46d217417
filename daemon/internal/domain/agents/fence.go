package agents

import (
	"strings"
	"unicode/utf8"
)

// fence marks texts that others wrote. Its marks carry a nonce of the one call,
// which nobody who wrote such a text can know.
type fence struct{ nonce string }

func (f fence) open() string  { return "<<<" + f.nonce }
func (f fence) close() string { return f.nonce + ">>>" }

// neutral keeps a text from looking like a mark.
var neutral = strings.NewReplacer("<<<", "‹‹‹", ">>>", "›››")

// wrap puts a text between the marks, of at most limit bytes.
func (f fence) wrap(text string, limit int) string {
	text = neutral.Replace(strings.ReplaceAll(clip(text, limit), f.nonce, ""))
	return f.open() + "\n" + text + "\n" + f.close()
}

// clip cuts at a character so that at most n bytes are left.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
