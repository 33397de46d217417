package prose

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"edgesvc.dev/svc/cli/tui/internal/part/plain"
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
// that is possible. A word may be of several spans.
func wrap(spans []span, width int) []string {
	w := wrapper{width: width}
	for _, s := range spans {
		for text := s.text; text != ""; {
			piece, rest := nextPiece(text)
			w.add(span{piece, s.style})
			text = rest
		}
	}
	w.endWord()
	return append(w.lines, strings.TrimRight(w.line, " "))
}

// nextPiece cuts off a part of a word, a run of spaces, or the end of a line.
func nextPiece(s string) (piece, rest string) {
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
	gap   span   // between the line and the word
	word  []span // that goes on
}

func (w *wrapper) add(s span) {
	switch s.text[0] {
	case '\n':
		w.endWord()
		w.flush()
	case ' ':
		w.endWord()
		w.gap = s
	default:
		w.word = append(w.word, s)
	}
}

// endWord puts the word where it fits.
func (w *wrapper) endWord() {
	columns := 0
	for _, s := range w.word {
		columns += ansi.StringWidth(s.text)
	}
	gap := ansi.StringWidth(w.gap.text)
	switch {
	case columns == 0:
		return
	case w.used > 0 && w.used+gap+columns > w.width:
		w.flush()
	case w.used > 0 || len(w.lines) == 0 && gap < w.width:
		w.put(w.gap)
	}
	for _, s := range w.word {
		w.fill(s)
	}
	w.gap, w.word = span{}, nil
}

// fill puts a part of a word, on several lines when it is longer than one.
func (w *wrapper) fill(s span) {
	for s.text != "" {
		piece := ansi.Truncate(s.text, w.width-w.used, "")
		switch {
		case piece != "":
			s.text = strings.TrimPrefix(s.text, piece)
			w.put(span{piece, s.style})
		case w.used == 0:
			w.put(span{"…", s.style}) // not even one character of it fits
			return
		}
		if s.text != "" {
			w.flush()
		}
	}
}

func (w *wrapper) put(s span) {
	if s.text == "" {
		return
	}
	w.line += s.style.Inline(true).Render(s.text)
	w.used += ansi.StringWidth(s.text)
}

func (w *wrapper) flush() {
	w.lines = append(w.lines, w.line)
	w.line, w.used, w.gap = "", 0, span{}
}
