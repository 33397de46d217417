package postsync

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxSlug is the most bytes of a slug.
const maxSlug = 100

// letters have no base letter: the daemon makes slugs of titles with the same.
var letters = strings.NewReplacer(
	"ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ", "th", "ı", "i", "ħ", "h", "'", "", "’", "",
	"а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "ж", "zh", "з", "z", "и", "i", "к", "k", "л", "l", "м", "m",
	"н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф", "f", "х", "kh", "ц", "ts", "ч", "ch", "ш", "sh",
	"щ", "shch", "ъ", "", "ы", "y", "ь", "", "э", "e", "ю", "yu", "я", "ya", "і", "i", "є", "ye", "ґ", "g",
	"α", "a", "β", "v", "γ", "g", "δ", "d", "ε", "e", "ζ", "z", "η", "i", "θ", "th", "ι", "i", "κ", "k", "λ", "l", "μ", "m",
	"ν", "n", "ξ", "x", "ο", "o", "π", "p", "ρ", "r", "σ", "s", "ς", "s", "τ", "t", "υ", "y", "φ", "f", "χ", "ch", "ψ", "ps", "ω", "o",
)

// slugify makes a slug of a name, as the daemon does of a title.
func slugify(name string) string {
	var plain strings.Builder
	for _, r := range norm.NFKC.String(strings.ToLower(name)) {
		if r < utf8.RuneSelf || !unicode.In(r, unicode.Latin, unicode.Cyrillic, unicode.Greek) {
			plain.WriteRune(r)
			continue
		}
		for _, part := range norm.NFKD.String(string(r)) {
			if !unicode.Is(unicode.Mn, part) {
				plain.WriteRune(part)
			}
		}
	}
	b := make([]byte, 0, maxSlug)
	for _, r := range letters.Replace(plain.String()) {
		fits := r >= 'a' && r <= 'z' || r >= '0' && r <= '9' ||
			r >= utf8.RuneSelf && unicode.In(r, unicode.Ll, unicode.Lo, unicode.Lm, unicode.M, unicode.N) && (!unicode.IsMark(r) || len(b) > 0 && b[len(b)-1] >= utf8.RuneSelf)
		switch {
		case len(b)+utf8.RuneLen(r) > maxSlug:
			return strings.Trim(string(b), "-")
		case fits:
			b = utf8.AppendRune(b, r)
		case unicode.IsMark(r):
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	return strings.Trim(string(b), "-")
}

var datePrefix = regexp.MustCompile(`^\d{4}-\d{1,2}-\d{1,2}[-_.]`)

// stem is what a file is called: its name without ending and without a date in
// front, as Jekyll has it. A file that stands for its folder is called like that.
func stem(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	switch strings.ToLower(base) {
	case "index", "_index", "readme":
		if dir := path.Dir(name); dir != "." {
			return stem(dir + ".md")
		}
	}
	if rest := datePrefix.ReplaceAllString(base, ""); rest != "" {
		return rest
	}
	return base
}

// isIndex reports a file that stands for its folder.
func isIndex(name string) bool {
	switch strings.ToLower(strings.TrimSuffix(path.Base(name), path.Ext(name))) {
	case "index", "_index", "readme":
		return true
	}
	return false
}

// Slug is the slug that a file's name gives.
func Slug(name string) string { return slugify(stem(name)) }

// parents are the folders that a file's slug can take in where its name alone is
// not enough, the nearest first. The folder of its language is not among them.
func (s *source) parents() []string {
	dir := path.Dir(s.path)
	if isIndex(s.path) {
		dir = path.Dir(dir)
	}
	var names []string
	for ; dir != "." && dir != "/"; dir = path.Dir(dir) {
		base := path.Base(dir)
		if slugify(base) == "" || strings.HasPrefix(base, "_") || s.language != "" && dir == s.languageDir {
			continue
		}
		names = append(names, base)
	}
	return names
}

// name is a slug of that many of its folders.
func (s *source) name(folders int) string {
	parents := s.parents()
	folders = min(folders, len(parents))
	parts := slices.Clone(parents[:folders])
	slices.Reverse(parts)
	if s.language != "" && !s.base {
		parts = append([]string{s.language}, parts...)
	}
	return slugify(strings.Join(append(parts, stem(s.path)), " "))
}

// assignSlugs gives every file a slug of its own: the one that its front matter
// asks for, the one that its post has, or one made of its name and of as many of
// its folders as tell it from the others; of all of them where whole is set.
func assignSlugs(sources []*source, known map[string]string, whole bool) {
	taken := map[string]*source{}
	var open []*source
	for _, s := range sources {
		switch {
		case s.err != nil || s.skip != "":
			continue
		case s.file.Slug != "":
			s.slug = free(slugify(s.file.Slug))
		case known[s.path] != "":
			s.slug = known[s.path]
		}
		if s.slug == "" || taken[s.slug] != nil {
			if s.slug != "" && s.entry != nil {
				s.slug = numbered(s.slug, taken)
				s.change("addresses that two texts had got a number: " + s.slug)
				taken[s.slug] = s
				continue
			}
			if s.slug != "" && s.file.Slug != "" {
				s.err = fmt.Errorf("%sthe slug %s is also that of %s", s.line("slug"), s.slug, taken[s.slug].path)
				continue
			}
			open = append(open, s)
			continue
		}
		taken[s.slug] = s
	}
	deep := map[*source]int{}
	for _, s := range open {
		if whole {
			deep[s] = len(s.parents())
		}
	}
	for range 20 {
		if !deepen(open, taken, deep) {
			break
		}
	}
	for _, s := range open {
		base := free(s.name(deep[s]))
		if base == "" {
			base = "post"
		}
		s.slug = numbered(base, taken)
		taken[s.slug] = s
	}
}

// numbered is a slug that is not taken: the one given, or one with a number.
func numbered(base string, taken map[string]*source) string {
	slug := base
	for n := 2; taken[slug] != nil; n++ {
		slug = fmt.Sprintf("%s-%d", cutSlug(base), n)
	}
	return slug
}

// needed are the slugs that the daemon needs for its own pages. It refuses more
// than these where it has grown since; see createOne.
var needed = strings.Fields("jobs batch by-slug tag tags feed feed-xml sitemap index new edit media help search category feedback")

// free is a slug that the daemon does not need for itself.
func free(slug string) string {
	if slices.Contains(needed, slug) {
		return reserved(slug)
	}
	return slug
}

func cutSlug(s string) string {
	most := maxSlug - 4
	if len(s) <= most {
		return s
	}
	for !utf8.RuneStart(s[most]) {
		most--
	}
	return strings.TrimRight(s[:most], "-")
}

// deepen gives the files whose names are the same one more folder each.
func deepen(open []*source, taken map[string]*source, deep map[*source]int) bool {
	same := map[string][]*source{}
	for _, s := range open {
		name := s.name(deep[s])
		same[name] = append(same[name], s)
	}
	more := false
	for name, group := range same {
		if len(group) < 2 && taken[name] == nil {
			continue
		}
		for _, s := range group {
			if deep[s] < len(s.parents()) {
				deep[s]++
				more = true
			}
		}
	}
	return more
}
