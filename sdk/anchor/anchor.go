// Package anchor is how the sections of a text are addressed: the id that each
// heading has on a page, which a link's fragment names. The daemon gives the
// ids, svcctl checks links against them, and search links to them.
package anchor

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Max is the most bytes of an id.
const Max = 200

// Of is the id that a heading's text gives, as GitHub makes it: lower case,
// spaces as hyphens, punctuation left out. It is "section" when nothing is left.
func Of(text string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(text) {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || unicode.Is(unicode.Pc, r):
			b.WriteRune(unicode.ToLower(r))
		}
		if b.Len() > Max-len(Prefix)-8 {
			break // room for a number and for the prefix
		}
	}
	if b.Len() == 0 {
		return "section"
	}
	return b.String()
}

// Prefix is before an id that a page could take for something else.
const Prefix = "user-content-"

// Own begins the ids of the pages themselves, which no text may have.
const Own = "svc-"

// Safe is the form in which an author's id is on the page, and so the form that
// a link's fragment takes. An id that scripts could take for a property of the
// window, the document or an element, or that a page has itself, gets the
// Prefix. What cannot be an id gives "". Safe changes nothing a second time.
func Safe(id string) string {
	id = strings.TrimSpace(id)
	if id == "" || !utf8.ValidString(id) || strings.ContainsFunc(id, unfit) {
		return ""
	}
	if strings.HasPrefix(id, Own) || property(id) {
		id = Prefix + id
	}
	if len(id) > Max {
		return ""
	}
	return id
}

func unfit(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("\"'`<>&#", r)
}

// property reports an id that could be the name of a property: one with capital
// letters or an underscore in front, or of those that every page's scripts know.
func property(id string) bool {
	identifier, capital := true, false
	for i, r := range id {
		identifier = identifier && (r == '_' || r == '$' || unicode.IsLetter(r) || i > 0 && unicode.IsDigit(r))
		capital = capital || unicode.IsUpper(r)
	}
	return identifier && (capital || id[0] == '_' || id[0] == '$' || properties[id])
}

// Names gives the headings of one text their ids, in their order. The zero value
// is a text without ids of its own.
type Names struct {
	taken map[string]bool
	next  map[string]int
}

// Take notes an id that the author gave to any element, in its safe form: no
// heading gets it. All are to be taken before the first Next.
func (n *Names) Take(id string) {
	if n.taken == nil {
		n.taken, n.next = map[string]bool{}, map[string]int{}
	}
	n.taken[id] = true
}

// Next is the id of the next heading, which has that text and no id from its
// author. The second of the same text ends in -1, the third in -2.
func (n *Names) Next(text string) string {
	base := Of(text)
	id := Safe(base)
	for n.taken[id] {
		n.next[base]++
		id = Safe(base + "-" + strconv.Itoa(n.next[base]))
	}
	n.Take(id)
	return id
}
