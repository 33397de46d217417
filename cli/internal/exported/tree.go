// Package exported is what readers of other programs' exports have in common:
// trees of HTML, and what becomes of the parts that pages here have not.
package exported

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxDepth is how deep a tree may be: nobody writes a deeper one.
const maxDepth = 400

// Parse is a text as a tree, below a node that is not part of it.
func Parse(src string) (*html.Node, error) {
	root := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragmentWithOptions(strings.NewReader(src), root, html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, fmt.Errorf("read HTML: %w", err)
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	return root, nil
}

// Render is what is below a node as HTML.
func Render(root *html.Node) string {
	var b strings.Builder
	for c := range root.ChildNodes() {
		_ = html.Render(&b, c) // a builder takes everything
	}
	return b.String()
}

// All are the elements below a node that fit, in the order of the text. The tree
// may be changed while they are gone through.
func All(root *html.Node, fits func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && fits(n) {
			found = append(found, n)
		}
	}
	return found
}

// First is the first element below a node that fits, nil for none.
func First(root *html.Node, fits func(*html.Node) bool) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && fits(n) {
			return n
		}
	}
	return nil
}

// Tag fits elements of those names.
func Tag(names ...string) func(*html.Node) bool {
	return func(n *html.Node) bool { return slices.Contains(names, n.Data) }
}

// Class fits elements of one of the classes.
func Class(names ...string) func(*html.Node) bool {
	return func(n *html.Node) bool { return HasClass(n, names...) }
}

// HasClass reports an element of one of the classes.
func HasClass(n *html.Node, names ...string) bool {
	return slices.ContainsFunc(strings.Fields(Attr(n, "class")), func(c string) bool { return slices.Contains(names, c) })
}

// Attr is an attribute, empty where there is none.
func Attr(n *html.Node, key string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.Attr {
		if a.Key == key {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}

// SetAttr gives an element an attribute.
func SetAttr(n *html.Node, key, value string) {
	for i, a := range n.Attr {
		if a.Key == key {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: key, Val: value})
}

// Text is what a node says, its blanks as one.
func Text(n *html.Node) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Inner is what is below a node as HTML, empty for none.
func Inner(n *html.Node) string {
	if n == nil {
		return ""
	}
	return strings.TrimSpace(Render(n))
}

// Replace puts HTML in place of a node. One that has left the tree stays out.
func Replace(n *html.Node, src string) {
	if n.Parent == nil {
		return
	}
	part, err := Parse(src)
	if err == nil {
		for c := part.FirstChild; c != nil; c = part.FirstChild {
			part.RemoveChild(c)
			n.Parent.InsertBefore(c, n)
		}
	}
	n.Parent.RemoveChild(n)
}

// Remove takes a node out of its tree.
func Remove(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

// Part is what becomes of the elements of some classes.
type Part struct {
	Classes []string
	With    func(*html.Node, *Changes) string
}

// Parts replaces the elements of each part, one part after the other.
func Parts(root *html.Node, c *Changes, parts []Part) {
	for _, p := range parts {
		for _, n := range All(root, Class(p.Classes...)) {
			Replace(n, p.With(n, c))
		}
	}
}

// PlainText is HTML as a line of text.
func PlainText(src string) string {
	root, err := Parse(src)
	if err != nil {
		return ""
	}
	return Text(root)
}

// tooDeep reports a tree that nobody wrote by hand.
func tooDeep(n *html.Node, left int) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if left == 0 || tooDeep(c, left-1) {
			return true
		}
	}
	return false
}
