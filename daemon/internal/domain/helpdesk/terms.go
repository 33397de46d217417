package helpdesk

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// stopWords say nothing about a subject: the words of every sentence, and those
// with which people dress a question.
var stopWords = wordSet(`a about above after again against all also am an and any anybody anyone anything are aren't as at
	be because been before being below between both but by can cannot can't could couldn't d did didn't do does
	doesn't doing don't down during each ever every few for from further get gets getting go going got had hadn't has
	hasn't have haven't having he hello her here hers herself hey hi him himself his how i i'd i'll i'm i've if in into
	is isn't it it's its itself just know let let's like ll m many may me might mine more most much must my myself need needs no
	nor not now of off ok okay on once one only or other ought our ours ourselves out over own please possible re s
	same shall she should shouldn't so some somebody someone something still such t tell than thank thanks that
	that's the their theirs them themselves then there these they they're this those through thing things to too
	under until up us use ve very want wanted wants was wasn't we we're well were weren't what what's when where
	which while who whom whose why will with won't work works would wouldn't yes you you'd you'll you're you've your
	yours yourself`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// terms are the words of a text that say something, folded and stemmed, in
// order. Scripts without spaces give pairs of neighbouring characters.
func terms(text string) []string {
	var out []string
	eachTerm(text, stem, func(term string) { out = append(out, term) })
	return out
}

// eachTerm is terms with a stemmer of the caller's.
func eachTerm(text string, stem func(string) string, f func(term string)) {
	eachFolded(text, f, func(word string) {
		if root := root(word); root != "" {
			f(stem(root))
		}
	})
}

// eachFolded calls pair or word for what stands in a text, folded but not yet
// stemmed, in order.
func eachFolded(text string, pair, word func(string)) {
	eachWord(strings.ReplaceAll(fold(text), "e-mail", "email"), func(found string) {
		if r, _ := utf8.DecodeRuneInString(found); !unspaced(r) {
			word(found)
			return
		}
		for _, p := range pairs(found) {
			pair(p)
		}
	})
}

// root is what is to be stemmed of a word, nothing of one that says nothing.
func root(word string) string {
	if word = strings.Trim(word, "'"); stopWords[word] {
		return ""
	}
	return strings.TrimSuffix(word, "'s")
}

func stem(word string) string { return english.Stem(word, false) }

// What is remembered of stems: words of help articles, a few MB of them.
const (
	maxKnown = 20_000
	maxWord  = 40
)

// stems remembers the stems of the words that it has met: stemming is most of
// what reading a text costs. It is safe for concurrent use.
type stems struct {
	mu    sync.RWMutex // guards known
	known map[string]string
}

func (s *stems) of(word string) string {
	s.mu.RLock()
	stemmed, ok := s.known[word]
	s.mu.RUnlock()
	if ok {
		return stemmed
	}
	stemmed = stem(word)
	if len(word) > maxWord {
		return stemmed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxKnown {
		s.known = map[string]string{}
	}
	s.known[strings.Clone(word)] = stemmed
	return stemmed
}

// distinct drops the repetitions.
func distinct(words []string) []string {
	seen := make(map[string]bool, len(words))
	kept := words[:0:0]
	for _, w := range words {
		if !seen[w] {
			seen[w] = true
			kept = append(kept, w)
		}
	}
	return kept
}

// fold takes case, width and accents away.
func fold(text string) string {
	plain := true
	for i := 0; i < len(text) && plain; i++ {
		plain = text[i] < utf8.RuneSelf
	}
	if plain {
		return strings.ToLower(text)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == '’' || r == 'ʼ':
			return '\''
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
}

// eachWord calls f for runs of letters, digits and inner apostrophes; a run ends
// where the kind of script changes.
func eachWord(text string, f func(string)) {
	begin, dense := -1, false
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		inside, packed := plainLetter(text[i]), false
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
			inside, packed = unicode.IsLetter(r) || unicode.IsDigit(r), unspaced(r)
		}
		inside = inside || r == '\'' && begin >= 0
		if begin >= 0 && (!inside || packed != dense) {
			f(text[begin:i])
			begin = -1
		}
		if inside && begin < 0 {
			begin, dense = i, packed
		}
		i += size
	}
	if begin >= 0 {
		f(text[begin:])
	}
}

// plainLetter is for most of most texts, of which the tables of all scripts need
// not be asked.
func plainLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z'
}

const firstUnspaced = 0x0e00 // Thai is the first of them

// unspaced reports scripts that write no spaces between words.
func unspaced(r rune) bool {
	return r >= firstUnspaced && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}

func pairs(word string) []string {
	runes := []rune(word)
	if len(runes) == 1 {
		return []string{word}
	}
	out := make([]string, 0, len(runes)-1)
	for i := range len(runes) - 1 {
		out = append(out, string(runes[i:i+2]))
	}
	return out
}

// Words of fewer letters must be written as they are; and one letter in place of
// another makes short words other words, such as ship of shop.
const (
	minTypo        = 4
	minReplacement = 6
)

// same reports whether a word of a text is a word of the question, perhaps with
// one letter missing, added, replaced or changed with its neighbour, not the
// first.
func same(asked, found string) bool {
	if asked == found {
		return true
	}
	if len(asked) < minTypo || len(found) < minTypo-1 || asked[0] != found[0] {
		return false
	}
	a, b := asked, found
	if len(a) < len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	switch {
	case len(a) == len(b)+1:
		return a[i+1:] == b[i:]
	case len(a) != len(b):
		return false
	case a[i+1:] == b[i+1:]:
		return len(a) >= minReplacement
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
