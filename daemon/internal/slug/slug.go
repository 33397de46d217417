// Package slug makes and checks the names that objects have in addresses, and
// finds free ones. It knows no table: who asks says how a slug is looked up.
package slug

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Max is the most bytes of a slug that is made here.
const Max = 100

// Names is the space of one kind of object, in which slugs are unique per team.
type Names struct {
	// Noun is the word for one object in refusals, and its slug when nothing of
	// its title is left.
	Noun string
	// Counter names the numbering of derived slugs in the store. It never
	// changes.
	Counter string
	// Reserved slugs would hide, or be hidden by, paths of the API or of the
	// public pages.
	Reserved []string
}

// letters that do not decompose into a base letter and a mark.
var letters = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ", "th", "ı", "i", "ħ", "h",
	"&", " and ", "'", "", "’", "",
	"а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "ж", "zh", "з", "z", "и", "i", "к", "k", "л", "l", "м", "m",
	"н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф", "f", "х", "kh", "ц", "ts", "ч", "ch", "ш", "sh",
	"щ", "shch", "ъ", "", "ы", "y", "ь", "", "э", "e", "ю", "yu", "я", "ya", "і", "i", "є", "ye", "ґ", "g",
	"α", "a", "β", "v", "γ", "g", "δ", "d", "ε", "e", "ζ", "z", "η", "i", "θ", "th", "ι", "i", "κ", "k", "λ", "l", "μ", "m",
	"ν", "n", "ξ", "x", "ο", "o", "π", "p", "ρ", "r", "σ", "s", "ς", "s", "τ", "t", "υ", "y", "φ", "f", "χ", "ch", "ψ", "ps", "ω", "o",
)

// Of derives a slug from a title: at most Max bytes of letters, digits and single
// hyphens. Latin, Cyrillic and Greek letters become a-z; other scripts, which no
// reader would know again in Latin letters, are kept. A reserved word gets a
// number.
func (n Names) Of(title string) string {
	title = strings.ToLower(title)
	if !ascii(title) {
		title = latin(title)
	}
	s := hyphenated(letters.Replace(title))
	switch {
	case s == "":
		return n.Noun
	case slices.Contains(n.Reserved, s):
		return numbered(s, 2)
	}
	return s
}

// latin takes the marks off the letters of the scripts that are spelled with a-z.
func latin(title string) string {
	var b strings.Builder
	for _, r := range norm.NFKC.String(title) {
		if r < utf8.RuneSelf || !unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek) {
			b.WriteRune(r)
			continue
		}
		for _, part := range norm.NFKD.String(string(r)) {
			if !unicode.Is(unicode.Mn, part) {
				b.WriteRune(part)
			}
		}
	}
	return b.String()
}

func hyphenated(title string) string {
	b := make([]byte, 0, min(len(title), Max))
	for _, r := range title {
		switch {
		case len(b)+utf8.RuneLen(r) > Max:
			return strings.Trim(string(b), "-")
		case fits(r) && (!unicode.IsMark(r) || len(b) > 0 && b[len(b)-1] >= utf8.RuneSelf):
			b = utf8.AppendRune(b, r)
		case unicode.IsMark(r): // of a letter that lost it, or of none
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	return strings.Trim(string(b), "-")
}

// fits reports a character of a slug: a digit, a letter that is not a capital, or
// the mark of one.
func fits(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
	}
	return unicode.In(r, unicode.Ll, unicode.Lo, unicode.Lm, unicode.M, unicode.N)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Check says what is wrong with a slug that was asked for, or "".
func (n Names) Check(s string) (code, message string) {
	before := '-'
	for _, r := range s {
		if !fits(r) && (r != '-' || before == '-') {
			before = '-'
			break
		}
		before = r
	}
	switch {
	case s == "":
		return "", ""
	case before == '-':
		return "pattern", "may have lower case letters, digits and single hyphens between them"
	case !ascii(s) && !norm.NFKC.IsNormalString(s):
		return "pattern", "has letters in a form of their own; send it in Unicode's form NFKC"
	case slices.Contains(n.Reserved, s):
		return "reserved", "is a word that the service needs for itself"
	}
	return "", ""
}

// numbered is base-n, with base cut so that it fits.
func numbered(base string, n uint64) string {
	tail := "-" + strconv.FormatUint(n, 10)
	return strings.TrimRight(cut(base, Max-len(tail)), "-") + tail
}

// cut is the beginning of s in at most that many bytes.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}
