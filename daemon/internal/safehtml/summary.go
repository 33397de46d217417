package safehtml

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// ExcerptLength is the most characters of an excerpt made by Summarize.
const ExcerptLength = 240

const wordsPerMinute = 200

// Summarize reads src once and returns the opening of its running text, at most
// ExcerptLength characters on one line, and its number of words. Headings, code
// blocks and tables count as words; the excerpt has them only when there is
// nothing else.
func Summarize(src string) (excerpt string, words int) {
	return summarize(src, ExcerptLength)
}

// Excerpt is the opening of the running text of src, at most n characters on
// one line. An excerpt that was cut ends with an ellipsis.
func Excerpt(src string, n int) string {
	excerpt, _ := summarize(src, n)
	return excerpt
}

// WordCount is the number of words in the text of src. In Chinese and Japanese,
// which write no spaces, two characters count as a word.
func WordCount(src string) int {
	_, words := summarize(src, 0)
	return words
}

// ReadingMinutes is how long a person reads so many words, rounded up; at least
// one minute unless there is nothing to read.
func ReadingMinutes(words int) int {
	return (words + wordsPerMinute - 1) / wordsPerMinute
}

func summarize(src string, length int) (string, int) {
	s := summary{excerpt: clip{limit: length}}
	scan(src, &s)
	if length > 0 && len(s.excerpt.text) == 0 && s.words+s.ideographs > 0 {
		s.excerpt = clip{limit: length}
		scan(src, everything{&s.excerpt})
	}
	return s.excerpt.String(), s.words + (s.ideographs+1)/2
}

// summary counts words while it collects the excerpt.
type summary struct {
	words      int
	ideographs int
	word       bool // inside a run that has counted as a word
	aside      int  // depth of elements that the excerpt leaves out
	excerpt    clip
}

func (s *summary) tag(a atom.Atom, opens bool) {
	if !isBlock(a) && a != atom.Br {
		return
	}
	s.word = false
	s.excerpt.space()
	if isHeading(a) || a == atom.Pre || a == atom.Table || a == atom.Figcaption {
		if opens {
			s.aside++
		} else if s.aside > 0 {
			s.aside--
		}
	}
}

func (s *summary) text(t string) {
	if s.aside == 0 {
		s.excerpt.add(t)
	}
	for i := 0; i < len(t); {
		if t[i] < utf8.RuneSelf {
			i += s.ascii(t[i:])
			continue
		}
		r, size := utf8.DecodeRuneInString(t[i:])
		i += size
		s.rune(r)
	}
}

// ascii reads what t begins with that is ASCII and returns its length. It has no
// branch for each byte: every post is counted when it is written, and where words
// end cannot be predicted.
func (s *summary) ascii(t string) (n int) {
	var word uint8
	if s.word {
		word = 1
	}
	words := 0
	for ; n < len(t) && t[n] < utf8.RuneSelf; n++ {
		begins := beginsWord[t[n]]
		words += int(begins &^ word)
		word = (word | begins) &^ endsWord[t[n]]
	}
	s.word = word == 1
	s.words += words
	return n
}

// beginsWord is 1 for letters and digits, endsWord for spaces.
var beginsWord, endsWord = wordBytes()

func wordBytes() (begins, ends [utf8.RuneSelf]uint8) {
	for c := range byte(utf8.RuneSelf) {
		switch {
		case isSpace(c):
			ends[c] = 1
		case isLetter(c) || '0' <= c && c <= '9':
			begins[c] = 1
		}
	}
	return begins, ends
}

func (s *summary) rune(r rune) {
	switch {
	case isIdeograph(r):
		s.ideographs++
		s.word = false
	case unicode.IsSpace(r):
		s.word = false
	case !s.word && (unicode.IsLetter(r) || unicode.IsDigit(r)):
		s.word = true
		s.words++
	}
}

// isIdeograph reports kana and Han characters.
func isIdeograph(r rune) bool {
	return r >= 0x3041 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff
}
