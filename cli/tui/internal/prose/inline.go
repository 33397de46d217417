package prose

import (
	"strings"

	"edgesvc.dev/svc/cli/tui/internal/plain"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// span is text in one style. Styles never cross the end of a line: what is
// drawn beside it would take them on.
type span struct {
	text  string
	style lipgloss.Style
}

func (r *renderer) inline(n ast.Node, base lipgloss.Style) []span {
	var out []span
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, r.part(c, base)...)
	}
	return out
}

func (r *renderer) part(n ast.Node, base lipgloss.Style) []span {
	switch n := n.(type) {
	case *ast.Text:
		text := string(n.Value(r.source))
		if !n.IsRaw() {
			text = literal(text)
		}
		switch {
		case n.HardLineBreak():
			text += "\n"
		case n.SoftLineBreak():
			text += " "
		}
		return []span{{text, base}}
	case *ast.String:
		return []span{{string(n.Value), base}}
	case *ast.CodeSpan:
		return r.inline(n, r.styles.Code)
	case *ast.Emphasis:
		if n.Level == 2 {
			return r.inline(n, r.styles.Bold.Inherit(base))
		}
		return r.inline(n, r.styles.Italic.Inherit(base))
	case *ast.Link:
		return append(r.inline(n, r.styles.Link), r.address(string(n.Destination))...)
	case *ast.Image:
		return append([]span{{"[image] ", r.styles.Dim}}, r.inline(n, r.styles.Dim)...)
	case *ast.AutoLink:
		return []span{{string(n.Label(r.source)), r.styles.Link}}
	case *ast.RawHTML:
		return nil
	case *east.TaskCheckBox:
		if n.IsChecked {
			return []span{{"[x] ", base}}
		}
		return []span{{"[ ] ", base}}
	}
	return r.inline(n, base)
}

// literal is what a text stands for. References such as &#27; may stand for what
// a terminal obeys, so it is made plain again.
func literal(s string) string {
	b := util.ResolveEntityNames(util.ResolveNumericReferences([]byte(s)))
	return strings.ReplaceAll(plain.Text(string(util.UnescapePunctuations(b))), "\n", " ")
}

// address shows where a link leads: its text alone could say anything.
func (r *renderer) address(to string) []span {
	if to == "" || strings.HasPrefix(to, "#") {
		return nil
	}
	return []span{{" (" + literal(to) + ")", r.styles.Dim}}
}

// wrap breaks spans into lines of at most width columns, between words where
// that is possible.
func wrap(spans []span, width int) []string {
	w := wrapper{width: width}
	for _, s := range spans {
		for text := s.text; text != ""; {
			word, rest := nextWord(text)
			w.add(word, s.style)
			text = rest
		}
	}
	return append(w.lines, strings.TrimRight(w.line, " "))
}

// nextWord cuts off a word, a run of spaces, or the end of a line.
func nextWord(s string) (word, rest string) {
	switch s[0] {
	case '\n':
		return "\n", s[1:]
	case ' ':
		rest = strings.TrimLeft(s, " ")
		return s[:len(s)-len(rest)], rest
	}
	if i := strings.IndexAny(s, " \n"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

type wrapper struct {
	width int
	lines []string
	line  string
	used  int
}

func (w *wrapper) add(word string, style lipgloss.Style) {
	columns := ansi.StringWidth(word)
	switch {
	case word == "\n":
		w.flush()
		return
	case w.used+columns <= w.width:
		w.put(word, columns, style)
		return
	case word[0] == ' ':
		w.flush()
		return
	}
	if w.used > 0 && columns <= w.width {
		w.flush()
	}
	for word != "" {
		piece := ansi.Truncate(word, w.width-w.used, "")
		if piece == "" && w.used == 0 {
			piece, word = "…", "" // not even one character of it fits
		}
		word = strings.TrimPrefix(word, piece)
		w.put(piece, ansi.StringWidth(piece), style)
		if word != "" {
			w.flush()
		}
	}
}

func (w *wrapper) put(text string, columns int, style lipgloss.Style) {
	if text == "" {
		return
	}
	if w.used == 0 && len(w.lines) > 0 && strings.TrimSpace(text) == "" {
		return
	}
	// Padding and tabs are the style's own ideas; the text has none.
	w.line += style.Inline(true).Render(text)
	w.used += columns
}

func (w *wrapper) flush() {
	w.lines = append(w.lines, w.line)
	w.line, w.used = "", 0
}
