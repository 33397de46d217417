// Package words divides texts into words and knows what languages do with them:
// which say nothing by themselves, and which are forms of one.
//
// Words come folded: without case, width and accents. It knows nothing of what
// texts are for.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxLength is the most bytes of a word; what follows of a longer one is left out.
const MaxLength = 64

// Token is a word of a text.
type Token struct {
	Word       string // folded
	Start, End int    // of what it is in the text, in bytes
	// Whole says that the word is a compound of the words before it, written as
	// one: signup, behind sign and up.
	Whole bool
}

// Each calls f for the words of a text in order. Hyphens and underscores divide,
// and so do capitals inside an identifier (setupKey, but not MailChimp); the
// compound follows as one word. Apostrophes divide too, and the single letter
// beside one is left out. Scripts that are written without spaces give pairs of
// neighbouring characters.
func Each(text string, f func(Token)) {
	t := tokenizer{text: text, f: f}
	t.each()
}

// each passes on the words, until it is to stop.
func (t *tokenizer) each() {
	text := t.text
	for i := 0; i < len(text) && !t.stop; {
		if text[i] < utf8.RuneSelf && classes[text[i]] == other {
			i++
			continue
		}
		end, dense := t.run(i)
		switch {
		case end == i:
			_, size := utf8.DecodeRuneInString(text[i:])
			end += size
		case dense:
			t.pairs(i, end)
		default:
			t.word(i, end)
			if next := t.joint(end); next > 0 {
				i = next
				continue
			}
			t.whole(end)
		}
		i = end
	}
}

// Fold takes case, width and accents away.
func Fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || r == softHyphen {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
	return norm.NFC.String(letters.Replace(plain))
}

// letters do not decompose into a base letter and a mark.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ", "th", "ı", "i", "ħ", "h")

const softHyphen = '\u00ad'

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

type class uint8

// The classes of characters. Those of ASCII are in a table: most of most texts.
const (
	other class = iota
	lower
	upper
	digit
	mark // belongs to the letter before it
)

var classes = func() (of [utf8.RuneSelf]class) {
	for c := range of {
		switch {
		case 'a' <= c && c <= 'z':
			of[c] = lower
		case 'A' <= c && c <= 'Z':
			of[c] = upper
		case '0' <= c && c <= '9':
			of[c] = digit
		}
	}
	return of
}()

func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		return classes[r]
	case unicode.IsUpper(r):
		return upper
	case unicode.IsLetter(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	case unicode.Is(unicode.M, r) || r == softHyphen:
		return mark
	}
	return other
}

const firstUnspaced = 0x0e00 // Thai is the first of them

// unspaced reports scripts that write no spaces between words.
func unspaced(r rune) bool {
	return r >= firstUnspaced && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer)
}

type tokenizer struct {
	text  string
	f     func(Token)
	stop  bool   // no more is wanted
	parts int    // of the compound that is being read
	begin int    // where it begins
	built []byte // its parts, joined; too long to be a word, if so
}

// run is where the letters and digits that begin at i end, and whether they are of
// a script without spaces.
func (t *tokenizer) run(i int) (end int, dense bool) {
	for end = i; end < len(t.text); {
		var c class
		size, packed := 1, dense
		if b := t.text[end]; b < utf8.RuneSelf {
			c, packed = classes[b], false
		} else {
			var r rune
			r, size = utf8.DecodeRuneInString(t.text[end:])
			if c = classOf(r); c != mark {
				packed = c != other && unspaced(r)
			}
		}
		if end == i {
			dense = packed
		}
		if c == other || c == mark && end == i || packed != dense {
			break
		}
		end += size
	}
	return end, dense
}

// joint is where the next part of a compound begins when one follows the word that
// ends at i, else 0.
func (t *tokenizer) joint(i int) int {
	r, size := utf8.DecodeRuneInString(t.text[i:])
	if r != '-' && r != '_' && r != '\u2010' && r != '\u2011' {
		return 0
	}
	if end, dense := t.run(i + size); end == i+size || dense {
		return 0
	}
	return i + size
}

// word passes on the word from i to end, or the words of an identifier.
func (t *tokenizer) word(i, end int) {
	if end-i == 1 && t.besideApostrophe(i, end) {
		return
	}
	written := t.text[i:end]
	if t.parts == 0 {
		t.begin, t.built = i, t.built[:0]
	}
	from := 0
	if classes[written[0]&0x7f] == lower && isASCII(written) {
		for at := 1; at < len(written); at++ {
			if divides(written, at) {
				t.part(i+from, i+at)
				from = at
			}
		}
	}
	t.part(i+from, end)
}

// divides reports that a word of an identifier begins at the byte at.
func divides(written string, at int) bool {
	if classes[written[at]] != upper {
		return false
	}
	return classes[written[at-1]] != upper || at+1 < len(written) && classes[written[at+1]] == lower
}

func (t *tokenizer) besideApostrophe(i, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(t.text[:i])
	after, _ := utf8.DecodeRuneInString(t.text[end:])
	return isApostrophe(before) || isApostrophe(after)
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' }

// part passes on a word that may be a part of a compound.
func (t *tokenizer) part(i, end int) {
	word := folded(t.text[i:end])
	if word == "" {
		return
	}
	t.parts++
	if len(t.built) <= MaxLength {
		t.built = append(t.built, word...)
	}
	t.f(Token{Word: word, Start: i, End: end})
}

// whole passes on the compound that ends at end, if there is one.
func (t *tokenizer) whole(end int) {
	if t.parts > 1 && len(t.built) <= MaxLength {
		t.f(Token{Word: string(t.built), Start: t.begin, End: end, Whole: true})
	}
	t.parts = 0
}

// folded is Fold of one word, which has no more than letters and digits then.
func folded(word string) string {
	if !isASCII(word) {
		word = strings.Map(func(r rune) rune {
			if c := classOf(r); c == other || c == mark {
				return -1
			}
			return r
		}, Fold(word))
	} else {
		word = strings.ToLower(word)
	}
	return clip(word, MaxLength)
}

// clip is the first n bytes of a text, or fewer so as to end with a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// pairs passes on each two neighbouring characters, or the only one.
func (t *tokenizer) pairs(i, end int) {
	var last string
	at, n := i, 0
	for p := i; p < end; {
		size := t.character(p, end)
		this := folded(t.text[p : p+size])
		if this != "" {
			if n++; n > 1 {
				t.f(Token{Word: last + this, Start: at, End: p + size})
			}
			last, at = this, p
		}
		p += size
	}
	if n == 1 {
		t.f(Token{Word: last, Start: at, End: end})
	}
}

// character is the length of the character at p with the marks that belong to it.
func (t *tokenizer) character(p, end int) int {
	_, size := utf8.DecodeRuneInString(t.text[p:end])
	for p+size < end {
		r, more := utf8.DecodeRuneInString(t.text[p+size : end])
		if classOf(r) != mark {
			break
		}
		size += more
	}
	return size
}
