package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// field is text that a person types, on one line or several. It is kept as the
// characters that a person sees, so that one key deletes one of them.
type field struct {
	text   []string
	cursor int
	secret bool
	lines  bool // enter begins a new line
	limit  int  // characters; 0 is 4000
}

func (f *field) value() string { return strings.Join(f.text, "") }

func (f *field) empty() bool { return len(f.text) == 0 }

func (f *field) set(s string) {
	f.text, f.cursor = nil, 0
	f.insert(s)
}

func (f *field) insert(s string) {
	s = clean(strings.ReplaceAll(s, "\r\n", "\n"))
	if !f.lines {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	limit := f.limit
	if limit == 0 {
		limit = 4000
	}
	var typed []string
	for g := uniseg.NewGraphemes(s); g.Next() && len(f.text)+len(typed) < limit; {
		typed = append(typed, g.Str())
	}
	f.text = append(f.text[:f.cursor:f.cursor], append(typed, f.text[f.cursor:]...)...)
	f.cursor += len(typed)
}

// key edits; false is a key that is not about editing.
func (f *field) key(k tea.KeyMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		f.cursor = max(0, f.cursor-1)
	case "right", "ctrl+f":
		f.cursor = min(len(f.text), f.cursor+1)
	case "home", "ctrl+a":
		f.cursor = 0
	case "end", "ctrl+e":
		f.cursor = len(f.text)
	case "backspace", "ctrl+h":
		f.remove(f.cursor-1, f.cursor)
	case "delete":
		f.remove(f.cursor, f.cursor+1)
	case "ctrl+u":
		f.remove(0, f.cursor)
	case "ctrl+k":
		f.remove(f.cursor, len(f.text))
	case "ctrl+w", "alt+backspace":
		f.remove(f.wordStart(), f.cursor)
	case "enter", "alt+enter", "ctrl+j":
		if !f.lines {
			return false
		}
		f.insert("\n")
	default:
		if k.Type != tea.KeyRunes && k.Type != tea.KeySpace || k.Alt {
			return false
		}
		f.insert(string(k.Runes))
	}
	return true
}

func (f *field) remove(from, to int) {
	from, to = max(from, 0), min(to, len(f.text))
	if from >= to {
		return
	}
	f.text = append(f.text[:from:from], f.text[to:]...)
	f.cursor = from
}

func (f *field) wordStart() int {
	i := f.cursor
	for i > 0 && strings.TrimSpace(f.text[i-1]) == "" {
		i--
	}
	for i > 0 && strings.TrimSpace(f.text[i-1]) != "" {
		i--
	}
	return i
}

// draw shows the text in h lines of w columns so that the cursor is seen.
func (f *field) draw(t theme, w, h int, focused bool) []string {
	text, at := f.text, f.cursor
	if f.secret {
		text = strings.Split(strings.Repeat("•", len(f.text)), "")
	}
	var lines []string
	row, width, cursorRow := "", 0, 0
	add := func(s string, columns int) {
		if width+columns > w {
			lines = append(lines, row)
			row, width = "", 0
		}
		row, width = row+s, width+columns
	}
	for i, c := range text {
		if c == "\n" {
			if focused && i == at {
				add(t.pick.Reverse(true).Render(" "), 1)
				cursorRow = len(lines)
			}
			lines = append(lines, row)
			row, width = "", 0
			continue
		}
		columns := ansi.StringWidth(c)
		if focused && i == at {
			add(t.pick.Reverse(true).Render(c), columns)
			cursorRow = len(lines)
			continue
		}
		add(c, columns)
	}
	if focused && at == len(text) {
		add(caret(t), 1)
		cursorRow = len(lines)
	}
	lines = append(lines, row)
	top := max(0, min(cursorRow-h+1, len(lines)-1))
	lines = lines[top:min(len(lines), top+max(h, 1))]
	for len(lines) < h {
		lines = append(lines, "")
	}
	return lines
}

// caret is where the next character goes.
func caret(t theme) string { return t.key.Render("_") }
