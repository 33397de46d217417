package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
)

// layer is a box in front of the screens; it has the keys until it is done.
type layer interface {
	key(k tea.KeyMsg) (done bool, cmd tea.Cmd)
	// draw makes the box for a space of w columns and h rows.
	draw(t part.Theme, w, h int) []string
}

// boxed draws lines as a box of at most w by h.
func boxed(t part.Theme, title string, lines, bottom []string, w, h int) []string {
	p := part.Pane{Title: title, Lines: lines, Bottom: bottom, Active: true}
	return p.Draw(t, w, min(h, len(lines)+len(bottom)+2))
}

// chooser is a list that typing narrows down.
type chooser struct {
	*screen.Room
	title string
	wide  int // columns at most
	all   []screen.Choice
	list  part.List[screen.Choice]
	field part.Field
}

func newChooser(r *screen.Room, title string, all []screen.Choice) *chooser {
	c := &chooser{Room: r, title: title, wide: 76, all: all, list: part.NewList(func(c *screen.Choice) string { return c.Label })}
	c.list.Set(all)
	return c
}

func (c *chooser) key(k tea.KeyMsg) (bool, tea.Cmd) {
	switch k.String() {
	case "esc", "ctrl+p":
		return true, nil
	case "enter":
		if cur := c.list.Current(); cur != nil {
			return true, cur.Then()
		}
		return true, nil
	case "up", "down", "pgup", "pgdown":
		c.list.Key(k.String())
		return false, nil
	}
	if c.field.Key(k) {
		c.narrow()
	}
	return false, nil
}

// narrow keeps what has all the words that were typed.
func (c *chooser) narrow() {
	words := strings.Fields(strings.ToLower(c.field.Value()))
	var rows []screen.Choice
	for _, row := range c.all {
		text := strings.ToLower(row.Label + " " + row.Note)
		fits := true
		for _, word := range words {
			fits = fits && strings.Contains(text, word)
		}
		if fits {
			rows = append(rows, row)
		}
	}
	// What is called so comes before what only mentions it.
	typed := strings.ToLower(strings.TrimSpace(c.field.Value()))
	slices.SortStableFunc(rows, func(a, b screen.Choice) int { return cmp.Compare(rank(a.Label, typed), rank(b.Label, typed)) })
	c.list.Cursor, c.list.Top = 0, 0
	c.list.Set(rows)
	c.list.Cursor = 0
}

// rank is 0 for a label that was typed, 1 for one that begins so, 2 for others.
func rank(label, typed string) int {
	switch label = strings.ToLower(label); {
	case typed == "" || label == typed:
		return 0
	case strings.HasPrefix(label, typed):
		return 1
	}
	return 2
}

func (c *chooser) draw(t part.Theme, w, h int) []string {
	w = min(w-2, c.wide)
	iw, ih := part.Inner(w, min(h-2, 18))
	lines := c.list.Draw(t, iw, max(ih-2, 1), func(row *screen.Choice, picked, _ bool, w int) []string {
		text := part.CursorMark(picked, false) + " " + row.Label
		if row.Note != "" {
			note := "  " + row.Note
			if !picked {
				note = t.Dim.Render(note)
			}
			text = part.Fit(text, min(18, w/2)) + note
		}
		return []string{part.Spread(text, row.Key+" ", w)}
	})
	if len(lines) == 0 {
		lines = []string{t.Dim.Render(" nothing here has these words")}
		if len(c.all) == 0 {
			lines = []string{t.Dim.Render(" nothing yet")}
		}
	}
	bottom := []string{part.Rule, part.Fit(" > "+c.field.Draw(t, max(iw-4, 1), 1, true)[0], iw)}
	return boxed(t, c.title, lines, bottom, w, h)
}

// help is what all keys do.
type help struct {
	title string
	lines [][2]string
	view  part.Scroller
}

func newHelp(title string, own, global []screen.Action) *help {
	h := &help{title: title}
	for _, group := range [][]screen.Action{own, global} {
		for _, a := range group {
			h.lines = append(h.lines, [2]string{keyName(a.Key), a.Doc})
		}
		h.lines = append(h.lines, [2]string{})
	}
	h.lines = append(h.lines, [2]string{"space", "Mark a row; actions then take all marked rows"},
		[2]string{"↑ ↓ j k", "Move; pgup, pgdown, home and end too"})
	return h
}

func (h *help) key(k tea.KeyMsg) (bool, tea.Cmd) {
	return !h.view.Key(k.String()), nil
}

func (h *help) draw(t part.Theme, w, rows int) []string {
	w = min(w-2, 72)
	iw, ih := part.Inner(w, rows-2)
	var text []string
	for _, l := range h.lines {
		text = append(text, part.Fit(" "+t.Key.Render(part.Fit(l[0], 9))+l[1], iw))
	}
	h.view.Set(text, ih)
	return boxed(t, "Help · "+h.title, h.view.Lines(), nil, w, rows)
}
