package markup

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// blocks are the elements beside which blanks mean nothing.
var blocks = words(`address article aside blockquote body br caption center col colgroup dd details dialog div dl dt fieldset figcaption figure footer form
	h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe li main menu nav ol p pre section summary table tbody td tfoot th thead title tr ul video`)

// Same reports that two texts of HTML show the same: they differ in blanks that
// mean nothing, in the order of attributes or in how letters are written.
func Same(a, b string) bool {
	return a == b || canonical(a) == canonical(b)
}

// canonical is HTML with one form for what means the same.
func canonical(src string) string {
	z := html.NewTokenizer(strings.NewReader(src))
	var b []byte
	pre := 0
	edge := true // at a place where blanks mean nothing
	for {
		kind := z.Next()
		t := z.Token()
		switch kind {
		case html.ErrorToken:
			return string(bytes.TrimRight(b, " \n"))
		case html.TextToken:
			text := t.Data
			if pre == 0 {
				text = collapse(text)
				if edge {
					text = strings.TrimLeft(text, " ")
				}
			}
			if text != "" {
				edge = pre == 0 && strings.HasSuffix(text, " ")
			}
			b = append(b, html.EscapeString(text)...)
		case html.CommentToken, html.DoctypeToken:
		default:
			if t.Data == "pre" {
				pre += map[html.TokenType]int{html.StartTagToken: 1, html.EndTagToken: -1}[kind]
			}
			if blocks[t.Data] {
				edge = true
				if pre == 0 || kind == html.StartTagToken && t.Data == "pre" {
					b = bytes.TrimRight(b, " ")
				}
			}
			slices.SortFunc(t.Attr, func(x, y html.Attribute) int { return strings.Compare(x.Key, y.Key) })
			if kind == html.SelfClosingTagToken {
				t.Type = html.StartTagToken
			}
			b = append(b, t.String()...)
		}
	}
}

// collapse is a text with one blank for many.
func collapse(s string) string {
	fields := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' })
	out := strings.Join(fields, " ")
	if len(fields) == 0 {
		if s == "" {
			return ""
		}
		return " "
	}
	if strings.ContainsRune(" \n\t\r\f", rune(s[0])) {
		out = " " + out
	}
	if strings.ContainsRune(" \n\t\r\f", rune(s[len(s)-1])) {
		out += " "
	}
	return out
}
