package words

import (
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/spanish"
)

// Language is what is known of a language. There is one of each, so that they can
// be compared.
type Language struct {
	Code string // of ISO 639-1; "" for every language without lists and a stemmer

	stem func(*snowballstem.Env) bool
	stop map[string]bool // with dressing
	pure map[string]bool // without
	weak map[string]bool
}

// Stop reports a word that says nothing about a subject.
func (l *Language) Stop(word string) bool { return l.stop[word] || len(word) == 1 && word[0] > '9' }

// Function reports a word that has no meaning of its own: Stop but for the words in
// which people dress a question.
func (l *Language) Function(word string) bool { return l.pure[word] }

// Weak reports a word that is in sentences of any subject. It says a little,
// and is often rare in a small collection of texts all the same.
func (l *Language) Weak(word string) bool { return l.weak[word] }

// Stem is what the forms of a folded word have in common.
func (l *Language) Stem(word string) string {
	if l.stem == nil || word[0] <= '9' && digits(word) {
		return word
	}
	env := snowballstem.NewEnv(word)
	l.stem(env)
	if env.Current() == "" {
		return word
	}
	return env.Current()
}

func digits(word string) bool {
	for i := range len(word) {
		if classes[word[i]&0x7f] != digit {
			return false
		}
	}
	return true
}

// Languages are those with lists and a stemmer, English first.
func Languages() []*Language { return known().list }

// Other is every other language.
func Other() *Language { return known().other }

// Of is the language with that code or of a locale such as de-AT; Other when
// nothing is known of it, nil when the locale is empty.
func Of(locale string) *Language {
	if locale == "" {
		return nil
	}
	code, _, _ := strings.Cut(strings.ToLower(locale), "-")
	for _, l := range Languages() {
		if l.Code == code {
			return l
		}
	}
	return Other()
}

var known = sync.OnceValue(func() (all struct {
	list   []*Language
	other  *Language
	common map[string]uint16 // a bit for each of list that has the word among its stop words or weak words
}) {
	for _, l := range []struct {
		code string
		stem func(*snowballstem.Env) bool
	}{
		{"en", english.Stem}, {"de", german.Stem}, {"fr", french.Stem}, {"es", spanish.Stem},
		{"it", italian.Stem}, {"nl", dutch.Stem}, {"pt", portuguese.Stem},
	} {
		all.list = append(all.list, &Language{Code: l.code, stem: l.stem, stop: Set(stopLists[l.code] + " " + dressing[l.code]), pure: Set(stopLists[l.code]), weak: Set(weakLists[l.code])})
	}
	all.list = slices.Clip(all.list)
	all.other = &Language{}
	all.common = map[string]uint16{}
	for i, l := range all.list {
		for _, set := range []map[string]bool{l.stop, l.weak} {
			for w := range set {
				all.common[w] |= 1 << i
			}
		}
	}
	return all
})

// Set is the words of a text, folded.
func Set(text string) map[string]bool {
	set := map[string]bool{}
	Each(text, func(t Token) { set[t.Word] = true })
	return set
}

const (
	sample    = 200 // words that tell the language of a text
	clearly   = 1.5 // times as many common words as of the expected language
	minCommon = 3   // of them, in a text
)

// Detect is the language of a text, by its common words; expected unless they
// speak clearly for another.
func Detect(text string, expected *Language) *Language {
	return mostCommon(text, expected, func(best, of int) bool {
		return best >= minCommon && float64(best) >= clearly*float64(of)
	})
}

// DetectShort is Detect for a line such as a question: the language of most of its
// common words, expected where others have no more.
func DetectShort(text string, expected *Language) *Language {
	return mostCommon(text, expected, func(best, of int) bool { return best > of })
}

// mostCommon is the language of most of the common words of a text, when so many,
// compared with those of the expected language, are enough.
func mostCommon(text string, expected *Language, enough func(best, of int) bool) *Language {
	all, n := known(), 0
	var count [16]int
	reader := tokenizer{text: clip(text, sample*10)}
	reader.f = func(t Token) {
		if n++; n >= sample {
			reader.stop = true
		}
		if n > sample || t.Whole || len(t.Word) == 1 {
			return
		}
		for in := all.common[t.Word]; in != 0; in &= in - 1 {
			count[bits.TrailingZeros16(in)]++
		}
	}
	reader.each()
	best, most, of := expected, -1, 0
	for i, l := range all.list {
		if l == expected {
			of = count[i]
		}
		if count[i] > most {
			best, most = l, count[i]
		}
	}
	if best != expected && enough(most, of) {
		return best
	}
	return expected
}
