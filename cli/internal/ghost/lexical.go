package ghost

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"edgesvc.dev/svc/cli/internal/exported"
)

// maxDepth is how deep the parts of a text may lie.
const maxDepth = 200

// lexical is a text of Ghost's newer editor as HTML.
func lexical(src string, c *exported.Changes) (string, error) {
	var doc struct {
		Root map[string]any `json:"root"`
	}
	if err := json.Unmarshal([]byte(src), &doc); err != nil {
		return "", fmt.Errorf("its Lexical document is not JSON: %w", err)
	}
	l := &lexicalWriter{changes: c}
	err := l.children(doc.Root, 0)
	return l.out.String(), err
}

type lexicalWriter struct {
	out     strings.Builder
	changes *exported.Changes
}

func (l *lexicalWriter) children(n payload, depth int) error {
	if depth > maxDepth {
		return errors.New("its parts are nested too deep")
	}
	children, _ := n["children"].([]any)
	for _, child := range children {
		one, _ := child.(map[string]any)
		if err := l.node(one, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// inside writes the children of a node between two tags.
func (l *lexicalWriter) inside(n payload, open, end string, depth int) error {
	l.out.WriteString(open)
	err := l.children(n, depth)
	l.out.WriteString(end)
	return err
}

func (l *lexicalWriter) node(n payload, depth int) error {
	kind := n.text("type")
	switch kind {
	case "root", "tab-container":
		return l.children(n, depth)
	case "paragraph":
		return l.inside(n, "<p>", "</p>", depth)
	case "heading", "extended-heading":
		tag := n.text("tag")
		if len(tag) != 2 || tag[0] != 'h' || tag[1] < '1' || tag[1] > '6' {
			tag = "h2"
		}
		return l.inside(n, "<"+tag+">", "</"+tag+">", depth)
	case "text", "extended-text":
		l.text(n)
		return nil
	case "link", "autolink":
		return l.inside(n, `<a href="`+exported.Escape(n.text("url"))+`">`, "</a>", depth)
	case "linebreak":
		l.out.WriteString("<br>")
		return nil
	case "tab":
		l.out.WriteString(" ")
		return nil
	case "quote", "extended-quote", "aside":
		return l.inside(n, "<blockquote><p>", "</p></blockquote>", depth)
	case "list":
		return l.list(n, depth)
	case "listitem":
		return l.inside(n, "<li>", "</li>", depth)
	case "code": // a code block that was written with three backticks
		return l.inside(n, "<pre><code>", "</code></pre>", depth)
	case "code-highlight":
		l.out.WriteString(exported.Escape(n.text("text")))
		return nil
	}
	out, err := card(kind, n, l.changes)
	l.out.WriteString(out)
	return err
}

func (l *lexicalWriter) list(n payload, depth int) error {
	if n.text("listType") != "number" && n.text("tag") != "ol" {
		return l.inside(n, "<ul>", "</ul>", depth)
	}
	open := "<ol>"
	if start, _ := n["start"].(float64); start > 1 {
		open = fmt.Sprintf(`<ol start="%d">`, int(start))
	}
	return l.inside(n, open, "</ol>", depth)
}

// formats are the bits of a text's format.
var formats = []struct {
	bit int
	tag string
}{{1, "strong"}, {2, "em"}, {4, "s"}, {8, "u"}, {16, "code"}, {32, "sub"}, {64, "sup"}, {128, "mark"}}

func (l *lexicalWriter) text(n payload) {
	format, _ := n["format"].(float64)
	text, _ := n["text"].(string)
	out := escapeText(text)
	for _, f := range formats {
		if int(format)&f.bit != 0 {
			out = "<" + f.tag + ">" + out + "</" + f.tag + ">"
		}
	}
	l.out.WriteString(out)
}
