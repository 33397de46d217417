package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

// Keywords are the words of a text in a language that carry its meaning, as stems:
// what two texts about the same thing have in common.
func Keywords(text string, lang *words.Language) map[string]bool {
	return vocabulary{lang}.stems(text)
}

// vocabulary tells which words of a language carry meaning.
type vocabulary struct{ lang *words.Language }

// vocabularyOf is the vocabulary of the language that a text is in.
func vocabularyOf(text string) vocabulary {
	return vocabulary{words.Detect(text, words.Languages()[0])}
}

// weak words of English say nothing as a tag, though they are no stop words.
const weak = " also use used using uses make makes made making get gets new one two three way ways thing things like just " +
	"need needs want wants can't don't many much really every still even well back first last next day days year years " +
	"time times good best better great part lot say says said see go goes going come comes take takes let post article read reader "

// stem is the key under which forms of a word are the same; empty for a word that
// is not a keyword.
func (v vocabulary) stem(word string) string {
	word = strings.Trim(word, "-'’")
	word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
	n := utf8.RuneCountInString(word)
	if n < 2 || n > 30 || !strings.ContainsFunc(word, unicode.IsLetter) {
		return ""
	}
	folded := words.Fold(word)
	if folded == "" || v.lang.Stop(folded) || strings.Contains(weak, " "+word+" ") || v.lang.Code != "en" && v.lang.Weak(folded) {
		return ""
	}
	return v.lang.Stem(folded)
}

func (v vocabulary) stems(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range wordsOf(text) {
		if s := v.stem(w); s != "" {
			out[s] = true
		}
	}
	return out
}

// overlap counts the keywords of text, each once, that are wanted.
func (v vocabulary) overlap(wanted map[string]bool, text string) int {
	n := 0
	for s := range v.stems(text) {
		if wanted[s] {
			n++
		}
	}
	return n
}
