package agents

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

// render turns an answer's Markdown into HTML that is safe to show: no raw
// HTML, no pictures, links to the web only. A text that is nothing but raw HTML,
// or too dense to be prose, is shown as it was written.
func render(markdown string) string {
	raw, err := safehtml.Markdown(markdown)
	shown := strings.TrimSpace(webLinks(safehtml.Sanitize(raw)))
	if (err != nil || shown == "") && markdown != "" {
		return "<p>" + html.EscapeString(markdown) + "</p>"
	}
	return shown
}

// webLinks leaves out pictures, and the links around a text that lead elsewhere
// than to http or https.
func webLinks(src string) string {
	var b strings.Builder
	z := html.NewTokenizer(strings.NewReader(src))
	unlinked := 0
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return b.String()
		}
		raw := string(z.Raw())
		token := z.Token()
		switch {
		case token.DataAtom == atom.Img:
			continue
		case token.DataAtom == atom.A && kind == html.StartTagToken && !toWeb(token):
			unlinked++
			continue
		case token.DataAtom == atom.A && kind == html.EndTagToken && unlinked > 0:
			unlinked--
			continue
		}
		b.WriteString(raw)
	}
}

func toWeb(link html.Token) bool {
	for _, a := range link.Attr {
		if a.Key == "href" {
			u, err := url.Parse(a.Val)
			return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
		}
	}
	return false
}
