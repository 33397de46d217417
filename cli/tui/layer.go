package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// layer is a box in front of the screens; it has the keys until it is done.
type layer interface {
	key(k tea.KeyMsg) (done bool, cmd tea.Cmd)
	// draw makes the box for a space of w columns and h rows.
	draw(t theme, w, h int) []string
}

// boxed draws lines as a box of at most w by h.
func boxed(t theme, title string, lines, bottom []string, w, h int) []string {
	p := pane{title: title, lines: lines, bottom: bottom, active: true}
	return p.draw(t, w, min(h, len(lines)+len(bottom)+2))
}

// choice is one line of a chooser.
type choice struct {
	label, note, key string
	then             func() tea.Cmd
}

// chooser is a list that typing narrows down.
type chooser struct {
	*room
	title string
	wide  int // columns at most
	all   []choice
	list  list[choice]
	field field
}

func newChooser(r *room, title string, all []choice) *chooser {
	c := &chooser{room: r, title: title, wide: 76, all: all, list: newList(func(c *choice) string { return c.label })}
	c.list.set(all)
	return c
}

func (c *chooser) key(k tea.KeyMsg) (bool, tea.Cmd) {
	switch k.String() {
	case "esc", "ctrl+p":
		return true, nil
	case "enter":
		if cur := c.list.current(); cur != nil {
			return true, cur.then()
		}
		return true, nil
	case "up", "down", "pgup", "pgdown":
		c.list.key(k.String())
		return false, nil
	}
	if c.field.key(k) {
		c.narrow()
	}
	return false, nil
}

// narrow keeps what has all the words that were typed.
func (c *chooser) narrow() {
	words := strings.Fields(strings.ToLower(c.field.value()))
	var rows []choice
	for _, row := range c.all {
		text := strings.ToLower(row.label + " " + row.note)
		fits := true
		for _, word := range words {
			fits = fits && strings.Contains(text, word)
		}
		if fits {
			rows = append(rows, row)
		}
	}
	c.list.cursor, c.list.top = 0, 0
	c.list.set(rows)
	c.list.cursor = 0
}

func (c *chooser) draw(t theme, w, h int) []string {
	w = min(w-2, c.wide)
	iw, ih := inner(w, min(h-2, 18))
	lines := c.list.draw(t, iw, max(ih-2, 1), func(row *choice, picked, _ bool, w int) []string {
		text := cursorMark(picked, false) + " " + row.label
		if row.note != "" {
			note := "  " + row.note
			if !picked {
				note = t.dim.Render(note)
			}
			text = fit(text, min(18, w/2)) + note
		}
		return []string{spread(text, row.key+" ", w)}
	})
	if len(lines) == 0 {
		lines = []string{t.dim.Render(" nothing here has these words")}
		if len(c.all) == 0 {
			lines = []string{t.dim.Render(" nothing yet")}
		}
	}
	bottom := []string{rule, fit(" > "+c.field.draw(t, max(iw-4, 1), 1, true)[0], iw)}
	return boxed(t, c.title, lines, bottom, w, h)
}

// help is what all keys do.
type help struct {
	title string
	lines [][2]string
	view  scroller
}

func newHelp(title string, own, global []action) *help {
	h := &help{title: title}
	for _, group := range [][]action{own, global} {
		for _, a := range group {
			h.lines = append(h.lines, [2]string{keyName(a.key), a.doc})
		}
		h.lines = append(h.lines, [2]string{})
	}
	h.lines = append(h.lines, [2]string{"space", "Mark a row; actions then take all marked rows"},
		[2]string{"↑ ↓ j k", "Move; pgup, pgdown, home and end too"})
	return h
}

func (h *help) key(k tea.KeyMsg) (bool, tea.Cmd) {
	return !h.view.key(k.String()), nil
}

func (h *help) draw(t theme, w, rows int) []string {
	w = min(w-2, 72)
	iw, ih := inner(w, rows-2)
	var text []string
	for _, l := range h.lines {
		text = append(text, fit(" "+t.key.Render(fit(l[0], 9))+l[1], iw))
	}
	h.view.set(text, ih)
	return boxed(t, "Help · "+h.title, h.view.lines(), nil, w, rows)
}
