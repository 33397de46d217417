// Package prose renders Markdown as lines of a terminal. It knows no screen and
// no API; its input is safe to show already.
package prose

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Styles are how the parts of a text look.
type Styles struct {
	Heading, Bold, Italic, Code, Link, Dim lipgloss.Style
}

// narrowest is the room that nesting leaves at least.
const narrowest = 8

// Lines renders Markdown in GitHub's dialect; no line is wider than width.
func Lines(markdown string, width int, s Styles) []string {
	source := []byte(markdown)
	doc := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).
		Parser().Parse(text.NewReader(source))
	r := renderer{source: source, styles: s}
	return r.blocks(doc, max(width, 1))
}

type renderer struct {
	source []byte
	styles Styles
}

// blocks renders the blocks below n, with a line between those that want one.
func (r *renderer) blocks(n ast.Node, width int) []string {
	var out []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines := r.block(c, width)
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && !tight(n) {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

// tight: the parts of a list stay together.
func tight(n ast.Node) bool {
	if list, ok := n.(*ast.List); ok {
		return list.IsTight
	}
	return n.Kind() == ast.KindListItem
}

func (r *renderer) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		base := r.styles.Heading
		return wrap(append([]span{{strings.Repeat("#", n.Level) + " ", r.styles.Dim}}, r.inline(n, base)...), width)
	case *ast.List:
		return r.list(n, width)
	case *ast.Blockquote:
		return prefix(r.blocks(n, room(width)), r.styles.Dim.Render("▎ "), r.styles.Dim.Render("▎ "), width)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return r.code(n, width)
	case *ast.ThematicBreak:
		return []string{r.styles.Dim.Render(strings.Repeat("─", min(width, 24)))}
	case *ast.HTMLBlock:
		return r.code(n, width)
	case *east.Table:
		return r.table(n, width)
	}
	if n.FirstChild() == nil {
		return nil
	}
	if n.FirstChild().Type() == ast.TypeBlock {
		return r.blocks(n, width)
	}
	return wrap(r.inline(n, lipgloss.NewStyle()), width)
}

func room(width int) int { return max(width-2, min(width, narrowest)) }

func (r *renderer) list(n *ast.List, width int) []string {
	var out []string
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		bullet := "• "
		if n.IsOrdered() {
			bullet = fmt.Sprintf("%d. ", number)
			number++
		}
		if len(out) > 0 && !n.IsTight {
			out = append(out, "")
		}
		indent := strings.Repeat(" ", len([]rune(bullet)))
		inside := max(width-len(indent), min(width, narrowest))
		out = append(out, prefix(r.blocks(item, inside), r.styles.Dim.Render(bullet), indent, width)...)
	}
	return out
}

// prefix begins the first line and the others with what they hang on, where
// there is room for it.
func prefix(lines []string, first, rest string, width int) []string {
	if width < narrowest+lipgloss.Width(first) {
		return lines
	}
	for i := range lines {
		if i == 0 {
			lines[i] = first + lines[i]
		} else {
			lines[i] = rest + lines[i]
		}
	}
	return lines
}

func (r *renderer) code(n ast.Node, width int) []string {
	var out []string
	segments := n.Lines()
	for i := range segments.Len() {
		segment := segments.At(i)
		text := strings.TrimRight(string(segment.Value(r.source)), "\n")
		out = append(out, wrap([]span{{text, r.styles.Code}}, room(width))...)
	}
	return prefix(out, "  ", "  ", width)
}
