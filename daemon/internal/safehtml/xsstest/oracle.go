package xsstest

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Elements that run, load, submit or restyle, or that change how what follows is
// parsed.
var activeElements = strings.Fields(`script iframe frame frameset object embed applet form input button
	textarea select option meta base link style svg math template noscript audio video source track
	marquee portal dialog title xmp plaintext noembed noframes foreignobject animate set image isindex`)

var urlAttributes = []string{"href", "src", "action", "formaction", "data", "poster", "background", "cite", "longdesc", "ping", "xlink:href"}

// Active parses content inside a page and returns what of it could act: elements
// and attributes, each as text.
func Active(t testing.TB, content string) []string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader("<!doctype html><html><body><main>" + content + "</main></body></html>"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if slices.Contains(activeElements, strings.ToLower(n.Data)) || n.Namespace != "" {
			found = append(found, "<"+n.Data+">")
		}
		for _, a := range n.Attr {
			if activeAttribute(a) {
				found = append(found, n.Data+" "+a.Key+"="+a.Val)
			}
		}
	}
	return found
}

func activeAttribute(a html.Attribute) bool {
	name := strings.ToLower(a.Key)
	switch {
	case strings.HasPrefix(name, "on"), name == "style", name == "srcdoc", name == "srcset", name == "name", name == "target":
		return true
	case name == "id":
		return clobbers(a.Val)
	case slices.Contains(urlAttributes, name):
		return !plainURL(a.Val)
	}
	return false
}

// clobbers reports an id by which scripts would find the element in place of what
// they look for: the browser's part of the test knows every name, this the usual.
func clobbers(id string) bool {
	return strings.HasPrefix(id, "svc-") || strings.ContainsAny(id, " \t\n\"'<>`") || slices.Contains(knownNames, id) ||
		strings.ToLower(id) != id && !strings.ContainsAny(id, "-.:")
}

var knownNames = strings.Fields(`location name top self parent opener forms images links scripts body head cookie domain
	history status title url constructor prototype __proto__ tostring valueof event frames length`)

// plainURL reads a URL as browsers do: they drop leading controls and spaces,
// and tabs and line ends anywhere.
func plainURL(s string) bool {
	s = strings.TrimLeftFunc(s, func(r rune) bool { return r <= ' ' })
	s = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(s)
	u, err := url.Parse(s)
	return err == nil && slices.Contains([]string{"", "http", "https", "mailto"}, strings.ToLower(u.Scheme))
}
