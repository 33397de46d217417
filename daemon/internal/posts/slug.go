package posts

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const maxSlug = 100

// reserved slugs would hide, or be hidden by, paths of the API or of the public
// pages.
var reserved = []string{"jobs", "batch", "by-slug", "tag", "tags", "feed", "feed-xml", "sitemap", "index", "new", "edit", "media"}

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

// slugOf derives a slug from a title: at most maxSlug bytes of a-z, 0-9 and
// single hyphens, "post" when nothing is left. A reserved word gets a number.
func slugOf(title string) string {
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
	title = letters.Replace(title)
	b := make([]byte, 0, min(len(title), maxSlug))
	for i := 0; i < len(title) && len(b) < maxSlug; i++ {
		c := title[i]
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	s := strings.Trim(string(b), "-")
	switch {
	case s == "":
		return "post"
	case slices.Contains(reserved, s):
		return numbered(s, 2)
	}
	return s
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// checkSlug says what is wrong with a slug that was asked for, or "".
func checkSlug(s string) (code, message string) {
	for i := range len(s) {
		c := s[i]
		lower := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !lower && (c != '-' || i == 0 || i == len(s)-1 || s[i-1] == '-') {
			return "pattern", "may have lower case letters, digits and single hyphens between them"
		}
	}
	if slices.Contains(reserved, s) {
		return "reserved", "is a word that the service needs for itself"
	}
	return "", ""
}

// numbered is base-n, with base cut so that it fits.
func numbered(base string, n uint64) string {
	tail := "-" + strconv.FormatUint(n, 10)
	return strings.TrimRight(base[:min(len(base), maxSlug-len(tail))], "-") + tail
}

// maxProbes bounds the search for a free slug. A counter remembers how far
// earlier searches came, so it is reached only where slugs of that form were
// taken by hand.
const maxProbes = 50

// nextSlug returns a free slug made of base and a number from 2 on.
func nextSlug(tx kv.Tx, team, base string) (string, error) {
	counter := kv.Key("postSlug", team, base) // beside the table's keys, which are checked as its own
	for range maxProbes {
		n, err := kv.Next(tx, counter)
		if err != nil {
			return "", err
		}
		slug := numbered(base, n+1)
		if _, _, err := table.Find(tx, team, "slug", kv.Key(slug)); missing(err) {
			return slug, nil
		} else if err != nil {
			return "", err
		}
	}
	id := kv.NewID("s")
	return base[:min(len(base), maxSlug-13)] + "-" + id[len(id)-12:], nil
}

// insert stores a new post. A derived slug that is taken gives way to a
// numbered one, in the record that is returned; one that was asked for is
// refused.
func insert(tx kv.Tx, team string, r *record, derived bool) (*record, error) {
	p := *r.post()
	err := table.Insert(tx, team, p.ID, r)
	taken, ok := errors.AsType[*kv.ConflictError](err)
	if !ok || taken.Index != "slug" {
		return r, err
	}
	if !derived {
		return r, slugTaken(tx, team, taken)
	}
	if p.Slug, err = nextSlug(tx, team, p.Slug); err != nil {
		return r, err
	}
	if r, err = r.with(p); err != nil {
		return r, err
	}
	return r, table.Insert(tx, team, p.ID, r)
}

// put replaces a post.
func put(tx kv.Tx, team, id string, r *record) error {
	err := table.Put(tx, team, id, r)
	if taken, ok := errors.AsType[*kv.ConflictError](err); ok && taken.Index == "slug" {
		return slugTaken(tx, team, taken)
	}
	return err
}

// slugTaken names a free slug instead. It ends the transaction, so that slug is
// not reserved.
func slugTaken(tx kv.Tx, team string, taken *kv.ConflictError) error {
	suggestion, err := nextSlug(tx, team, taken.Key)
	if err != nil {
		return err
	}
	e := api.NewError(http.StatusConflict, api.CodeSlugTaken, "Another post has the slug %s; %s is free.", taken.Key, suggestion)
	e.SuggestedSlug, e.ExistingID = suggestion, taken.ID
	e.Errors = []api.FieldError{{Pointer: "/slug", Code: string(api.CodeSlugTaken), Message: "is used by another post"}}
	return e
}
