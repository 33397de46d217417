package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ToSentence ends a text that was cut off where its last sentence ends, or its
// last line. A text without either ends at a word, with an ellipsis.
func ToSentence(text string) string {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	if end := SentenceEnd(text); end > 0 {
		return strings.TrimRightFunc(text[:end], unicode.IsSpace)
	}
	if i := strings.LastIndexFunc(text, unicode.IsSpace); i > 0 {
		text = text[:i]
	}
	text = strings.TrimRight(text, " ,;:–—-.")
	if text == "" {
		return ""
	}
	return text + "…"
}

// closing are the marks that may follow the end of a sentence and belong to it.
const closing = "\"'”’»)]*_`"

// SentenceEnd is where the last sentence or line of a text ends; 0 for nowhere.
// The number of a list item ends nothing.
func SentenceEnd(text string) int {
	end, line := 0, 0
	for i, r := range text {
		at := i + utf8.RuneLen(r)
		switch r {
		case '\n':
			end, line = i, at
		case '。', '！', '？':
			end = at
		case '.', '!', '?', '…':
			if strings.Trim(text[line:i], " \t0123456789") == "" {
				continue
			}
			rest := strings.TrimLeft(text[at:], closing)
			if rest == "" || unicode.IsSpace(firstRune(rest)) {
				end = len(text) - len(rest)
			}
		}
	}
	return end
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
