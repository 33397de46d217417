// Package slug makes and checks the names that objects have in addresses, and
// finds free ones. It knows no table: who asks says how a slug is looked up.
package slug

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Max is the most bytes of a slug.
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

// letters that do not decompose into a base letter and a mark. Titles in scripts
// that are not here keep their Latin letters and digits only.
var letters = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ", "th", "ı", "i", "ħ", "h",
	"&", " and ", "'", "", "’", "",
	"а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "ж", "zh", "з", "z", "и", "i", "к", "k", "л", "l", "м", "m",
	"н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф", "f", "х", "kh", "ц", "ts", "ч", "ch", "ш", "sh",
	"щ", "shch", "ъ", "", "ы", "y", "ь", "", "э", "e", "ю", "yu", "я", "ya", "і", "i", "є", "ye", "ґ", "g",
	"α", "a", "β", "v", "γ", "g", "δ", "d", "ε", "e", "ζ", "z", "η", "i", "θ", "th", "ι", "i", "κ", "k", "λ", "l", "μ", "m",
	"ν", "n", "ξ", "x", "ο", "o", "π", "p", "ρ", "r", "σ", "s", "ς", "s", "τ", "t", "υ", "y", "φ", "f", "χ", "ch", "ψ", "ps", "ω", "o",
)

// Of derives a slug from a title: at most Max bytes of a-z, 0-9 and single
// hyphens. A reserved word gets a number.
func (n Names) Of(title string) string {
	if !ascii(title) {
		title = strings.ToLower(norm.NFKD.String(title))
		title = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, title)
	} else {
		title = strings.ToLower(title)
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

func hyphenated(title string) string {
	b := make([]byte, 0, min(len(title), Max))
	for i := 0; i < len(title) && len(b) < Max; i++ {
		c := title[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	return strings.Trim(string(b), "-")
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// Check says what is wrong with a slug that was asked for, or "".
func (n Names) Check(s string) (code, message string) {
	for i := range len(s) {
		c := s[i]
		lower := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !lower && (c != '-' || i == 0 || i == len(s)-1 || s[i-1] == '-') {
			return "pattern", "may have lower case letters, digits and single hyphens between them"
		}
	}
	if slices.Contains(n.Reserved, s) {
		return "reserved", "is a word that the service needs for itself"
	}
	return "", ""
}

// numbered is base-n, with base cut so that it fits.
func numbered(base string, n uint64) string {
	tail := "-" + strconv.FormatUint(n, 10)
	return strings.TrimRight(base[:min(len(base), Max-len(tail))], "-") + tail
}
