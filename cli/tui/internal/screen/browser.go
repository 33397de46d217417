package screen

import (
	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
)

// Browser is a list that can be filtered and marked, beside what is under its
// cursor.
type Browser[T any] struct {
	Halves
	Listed  part.List[T]
	View    part.Scroller // what is beside
	Filter  part.Field
	Filling bool // the filter is being typed
	Tenths  int  // of the width that the list takes beside the other half

	// Moved follows the cursor.
	Moved func() tea.Cmd
	// Filtered applies the filter, at each key or, with typed, once it is done.
	Filtered func(typed bool) tea.Cmd
}

// NewBrowser returns an empty list; its owner sets Moved and Filtered.
func NewBrowser[T any](r *Room, id func(*T) string) Browser[T] {
	return Browser[T]{Halves: Halves{Room: r}, Tenths: 5, Listed: part.NewList(id)}
}

// Typing implements Screen.
func (b *Browser[T]) Typing() bool { return b.Filling }

func (b *Browser[T]) left() int { return b.W * b.Tenths / 10 }

// Draw draws both halves, or the one that there is room for.
func (b *Browser[T]) Draw(list, view func(w int) []string) string {
	return b.Join(b.left(), list, view)
}

// Key implements Screen.
func (b *Browser[T]) Key(k tea.KeyMsg) tea.Cmd {
	switch {
	case b.Filling:
		return b.typeFilter(k)
	case b.Alone():
		b.View.Key(k.String())
	case b.Listed.Key(k.String()):
		return b.moved()
	}
	return nil
}

func (b *Browser[T]) moved() tea.Cmd {
	b.View.Home()
	return b.Moved()
}

func (b *Browser[T]) typeFilter(k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		b.Filling = false
	case "esc":
		b.Filling = false
		b.Filter.Set("")
	default:
		b.Filter.Key(k)
	}
	return b.Filtered(!b.Filling)
}

// NearEnd reports that the cursor is near the end of what was read.
func (b *Browser[T]) NearEnd() bool { return b.Listed.Cursor >= len(b.Listed.Rows)-5 }

// Moves are the actions that every list has.
func (b *Browser[T]) Moves(back func() tea.Cmd) []Action {
	return []Action{
		{Key: "/", Name: "filter", Doc: "Show only what has these words", Run: func() tea.Cmd { b.startFilter(); return nil }},
		{Key: "enter", Name: "open", Doc: "Open what is under the cursor", Silent: true, Run: b.open},
		{Key: "esc", Name: "back", Doc: "Back: to the list, away with marks, then with the filter", Silent: true, Run: func() tea.Cmd { return b.back(back) }},
	}
}

func (b *Browser[T]) startFilter() { b.Filling, b.Front = true, false }

func (b *Browser[T]) open() tea.Cmd {
	b.Front = true
	return b.Moved()
}

// back undoes one thing, and calls out where there is nothing to undo; nil stays.
func (b *Browser[T]) back(out func() tea.Cmd) tea.Cmd {
	switch {
	case b.Front && b.Narrow():
		b.Front = false
	case len(b.Listed.Marked) > 0:
		b.Listed.Unmark()
	case !b.Filter.Empty():
		b.Filter.Set("")
		return b.Filtered(true)
	case out != nil:
		return out()
	}
	return nil
}

// ClickList picks the row at y, of a list whose rows begin at top, and reports
// whether there is one.
func (b *Browser[T]) ClickList(x, y, top int) tea.Cmd {
	if lw, _ := b.Split(b.left()); x < lw && b.Listed.Click(y-top) {
		return b.moved()
	}
	return nil
}

// Wheel implements Screen.
func (b *Browser[T]) Wheel(x, _, by int) tea.Cmd {
	if lw, _ := b.Split(b.left()); x < lw {
		b.Listed.Move(by)
		return b.moved()
	}
	b.View.Move(by)
	return nil
}

// DrawFilter puts the filter below a pane's lines, iw columns wide, and returns the
// rows that are left of ih.
func (b *Browser[T]) DrawFilter(p *part.Pane, iw, ih int) int {
	if !b.Filling && b.Filter.Empty() {
		return ih
	}
	p.Bottom = []string{part.Fit(" /"+b.Filter.Draw(b.Theme, max(iw-3, 1), 1, b.Filling)[0], iw)}
	return ih - 1
}
