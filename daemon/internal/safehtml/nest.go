package safehtml

import (
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"edgesvc.dev/svc/sdk/anchor"
)

// maxDepth bounds nesting. Deeper elements lose their tags and keep their text;
// browsers stop at 512 and some parsers take quadratic time long before.
const maxDepth = 64

// nest makes the tags of sanitized markup match, brings ids and the fragments of
// links into their safe form, and adds the attributes that no author can be
// trusted to send: rel on links that leave the site, alt and lazy loading on
// images.
func nest(src string) string {
	n := nester{open: make([]atom.Atom, 0, 16)}
	n.out.Grow(len(src) + len(src)/8)
	z := html.NewTokenizer(strings.NewReader(src))
	for z.Next() != html.ErrorToken {
		token := z.Token()
		switch token.Type {
		case html.TextToken:
			n.out.WriteString(token.String())
		case html.StartTagToken, html.SelfClosingTagToken:
			n.start(token)
		case html.EndTagToken:
			n.end(token.DataAtom)
		}
	}
	if !errors.Is(z.Err(), io.EOF) {
		return "" // a strings.Reader fails with nothing else
	}
	n.close(0)
	return n.out.String()
}

type nester struct {
	out  strings.Builder
	open []atom.Atom // elements that wait for their end tag, outermost first
}

func (n *nester) start(token html.Token) {
	tag := token.DataAtom
	token.Type = html.StartTagToken // HTML ignores the slash of <p/>
	token.Attr = withID(token)
	switch tag {
	case atom.A:
		n.end(atom.A) // links do not nest
		token.Attr = linkAttrs(token.Attr)
	case atom.Img:
		token.Attr = imageAttrs(token.Attr)
	}
	for len(n.open) > 0 && ends(n.open[len(n.open)-1], tag) {
		n.close(len(n.open) - 1)
	}
	if isVoid(tag) {
		n.out.WriteString(token.String())
		return
	}
	if len(n.open) == maxDepth {
		return
	}
	n.open = append(n.open, tag)
	n.out.WriteString(token.String())
}

// end closes the innermost open tag and what is open inside it, or nothing when
// no such element is open.
func (n *nester) end(tag atom.Atom) {
	for i := len(n.open) - 1; i >= 0; i-- {
		if n.open[i] == tag {
			n.close(i)
			return
		}
	}
}

func (n *nester) close(depth int) {
	for _, tag := range slices.Backward(n.open[depth:]) {
		n.out.WriteString("</" + tag.String() + ">")
	}
	n.open = n.open[:depth]
}

// ends reports whether the start tag next ends the open element, as HTML lets
// authors leave out the end tags of paragraphs, items and cells.
func ends(open, next atom.Atom) bool {
	switch open {
	case atom.P:
		return isBlock(next)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return isHeading(next)
	case atom.Li:
		return next == atom.Li
	case atom.Dt, atom.Dd:
		return next == atom.Dt || next == atom.Dd
	case atom.Td, atom.Th:
		return next == atom.Td || next == atom.Th || next == atom.Tr || isTableSection(next)
	case atom.Tr, atom.Caption, atom.Colgroup:
		return next == atom.Tr || isTableSection(next)
	case atom.Thead, atom.Tbody, atom.Tfoot:
		return isTableSection(next)
	}
	return false
}

// withID is the attributes with the author's id in its safe form.
func withID(t html.Token) []html.Attribute {
	id := givenID(t)
	attrs := slices.DeleteFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "id" || a.Key == "name" })
	if id != "" {
		attrs = slices.Insert(attrs, 0, html.Attribute{Key: "id", Val: id})
	}
	return attrs
}

func linkAttrs(attrs []html.Attribute) []html.Attribute {
	for i, a := range attrs {
		switch {
		case a.Key != "href":
		case leaves(a.Val):
			return append(attrs, html.Attribute{Key: "rel", Val: "noopener nofollow"})
		default:
			attrs[i].Val = safeFragment(a.Val)
		}
	}
	return attrs
}

// safeFragment makes a link within the site name an element as its page does.
func safeFragment(href string) string {
	path, fragment, found := strings.Cut(href, "#")
	if !found || strings.HasPrefix(href, "mailto:") {
		return href
	}
	id, err := url.PathUnescape(fragment)
	if err != nil {
		return href
	}
	if safe := anchor.Safe(id); safe != "" && safe != id {
		return path + "#" + url.PathEscape(safe)
	}
	return href
}

func leaves(href string) bool {
	return strings.HasPrefix(href, "http:") || strings.HasPrefix(href, "https:") || strings.HasPrefix(href, "//")
}

func imageAttrs(attrs []html.Attribute) []html.Attribute {
	if !slices.ContainsFunc(attrs, func(a html.Attribute) bool { return a.Key == "alt" }) {
		attrs = append(attrs, html.Attribute{Key: "alt"})
	}
	return append(attrs, html.Attribute{Key: "loading", Val: "lazy"})
}
