package part

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"
)

// Field is text that a person types, on one line or several. It is kept as the
// characters that a person sees, so that one key deletes one of them.
type Field struct {
	text   []string
	cursor int
	Secret bool
	Lines  bool // enter begins a new line
	Limit  int  // characters; 0 is 4000
}

// Value is the text.
func (f *Field) Value() string { return strings.Join(f.text, "") }

// Empty reports that there is no text.
func (f *Field) Empty() bool { return len(f.text) == 0 }

// Set replaces the text; the cursor is behind it.
func (f *Field) Set(s string) {
	f.text, f.cursor = nil, 0
	f.Insert(s)
}

// Insert puts text where the cursor is, as far as the limit allows.
func (f *Field) Insert(s string) {
	s = Clean(strings.ReplaceAll(s, "\r\n", "\n"))
	if !f.Lines {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	limit := f.Limit
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

// Key edits; false is a key that is not about editing.
func (f *Field) Key(k tea.KeyMsg) bool {
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
		if !f.Lines {
			return false
		}
		f.Insert("\n")
	default:
		if k.Type != tea.KeyRunes && k.Type != tea.KeySpace || k.Alt {
			return false
		}
		f.Insert(string(k.Runes))
	}
	return true
}

func (f *Field) remove(from, to int) {
	from, to = max(from, 0), min(to, len(f.text))
	if from >= to {
		return
	}
	f.text = append(f.text[:from:from], f.text[to:]...)
	f.cursor = from
}

func (f *Field) wordStart() int {
	i := f.cursor
	for i > 0 && strings.TrimSpace(f.text[i-1]) == "" {
		i--
	}
	for i > 0 && strings.TrimSpace(f.text[i-1]) != "" {
		i--
	}
	return i
}

// Draw shows the text in h lines of w columns so that the cursor is seen.
func (f *Field) Draw(t Theme, w, h int, focused bool) []string {
	text, at := f.text, f.cursor
	if f.Secret {
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
				add(t.Pick.Reverse(true).Render(" "), 1)
				cursorRow = len(lines)
			}
			lines = append(lines, row)
			row, width = "", 0
			continue
		}
		columns := ansi.StringWidth(c)
		if focused && i == at {
			add(t.Pick.Reverse(true).Render(c), columns)
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
func caret(t Theme) string { return t.Key.Render("_") }
