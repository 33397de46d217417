package safehtml

import (
	"html"
	"strings"

	parse "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"edgesvc.dev/svc/sdk/anchor"
)

// reader takes the visible text of a document, entities resolved, and the tags
// between, in order.
type reader interface {
	text(t string)
	tag(a atom.Atom, opens bool)
}

// marked is a reader that is told before each start tag which id it has, in its
// safe form, empty for none.
type marked interface{ mark(id string) }

// scan feeds src to r. It skips comments and what browsers do not show: scripts,
// styles and their like. Every new post is scanned, so it finds tag boundaries
// itself, as the tokenizer of x/net/html would, in a tenth of its time; nothing
// that must be safe rests on it.
func scan(src string, r reader) {
	for len(src) > 0 {
		i := strings.IndexByte(src, '<')
		if i < 0 {
			i = len(src)
		}
		if i > 0 {
			r.text(unescape(src[:i]))
			src = src[i:]
			continue
		}
		src = markup(src, r)
	}
}

// markup consumes one construct at the start of src, which is a '<'.
func markup(src string, r reader) string {
	switch {
	case strings.HasPrefix(src, "<!--"):
		return after(src[2:], "-->")
	case len(src) > 1 && isLetter(src[1]):
		return startTag(src[1:], r)
	case len(src) > 2 && src[1] == '/' && isLetter(src[2]):
		name := tagName(src[2:])
		r.tag(lookup(name), false)
		rest, _ := skipAttrs(src[2+len(name):])
		return rest
	case len(src) > 1 && (src[1] == '!' || src[1] == '?' || src[1] == '/'):
		return after(src, ">") // a doctype or what HTML calls a bogus comment
	}
	r.text("<")
	return src[1:]
}

func startTag(src string, r reader) string {
	name := tagName(src)
	a := lookup(name)
	rest, closed := skipAttrs(src[len(name):])
	if m, ok := r.(marked); ok {
		m.mark(idOf(src[:len(src)-len(rest)]))
	}
	r.tag(a, true)
	switch {
	case isHidden(a):
		rest = rawText(rest, name)
	case closed || isVoid(a):
		r.tag(a, false)
	}
	return rest
}

func tagName(src string) string {
	for i := range len(src) {
		switch src[i] {
		case ' ', '\t', '\n', '\f', '\r', '/', '>':
			return src[:i]
		}
	}
	return src
}

// lookup ignores case; the longest names that matter have ten letters.
func lookup(name string) atom.Atom {
	var lower [10]byte
	if len(name) > len(lower) {
		return 0
	}
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	return atom.Lookup(lower[:len(name)])
}

// skipAttrs returns what follows the '>' of a tag and whether a slash is
// before it. Quotes count at the start of a value only.
func skipAttrs(src string) (rest string, closed bool) {
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '>':
			return src[i+1:], i > 0 && src[i-1] == '/'
		case '=':
			i = skipValue(src, i)
		}
	}
	return "", false
}

// idOf finds the id of a tag; a link may have it as its name, as pages did
// before ids.
func idOf(tag string) (id string) {
	lower := strings.ToLower(tag)
	if !strings.Contains(lower, "id") && !strings.Contains(lower, "name") {
		return ""
	}
	z := parse.NewTokenizer(strings.NewReader("<" + tag))
	z.Next()
	return givenID(z.Token())
}

// givenID is the id that the author gave an element, in its safe form.
func givenID(t parse.Token) (id string) {
	for _, a := range t.Attr {
		switch {
		case a.Key == "id":
			return anchor.Safe(a.Val)
		case a.Key == "name" && t.DataAtom == atom.A:
			id = anchor.Safe(a.Val)
		}
	}
	return id
}

// skipValue returns the index of the last byte of a quoted value after the
// equals sign at i, or of the space before an unquoted one.
func skipValue(src string, i int) int {
	for i+1 < len(src) && isSpace(src[i+1]) {
		i++
	}
	if i+1 == len(src) || src[i+1] != '"' && src[i+1] != '\'' {
		return i
	}
	end := strings.IndexByte(src[i+2:], src[i+1])
	if end < 0 {
		return len(src)
	}
	return i + 2 + end
}

// rawText skips to the end tag of an element whose text is not shown.
func rawText(src, name string) string {
	for rest := src; ; {
		i := strings.Index(rest, "</")
		if i < 0 {
			return ""
		}
		rest = rest[i:]
		if end := tagName(rest[2:]); strings.EqualFold(end, name) {
			return rest
		}
		rest = rest[2:]
	}
}

func isHidden(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Title, atom.Textarea, atom.Iframe, atom.Noembed, atom.Noframes, atom.Xmp:
		return true
	}
	return false
}

func after(src, mark string) string {
	if _, rest, ok := strings.Cut(src, mark); ok {
		return rest
	}
	return ""
}

func unescape(t string) string {
	if strings.IndexByte(t, '&') < 0 {
		return t
	}
	return html.UnescapeString(t)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
