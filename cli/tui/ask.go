package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// question asks for a line of text.
type question struct {
	*room
	ask   ask
	field field
}

func newQuestion(r *room, a ask) *question {
	q := &question{room: r, ask: a}
	q.field.limit = 300
	q.field.set(a.text)
	return q
}

func (q *question) key(k tea.KeyMsg) (bool, tea.Cmd) {
	switch k.String() {
	case "esc":
		return true, nil
	case "enter":
		return true, q.ask.then(q.field.value())
	}
	q.field.key(k)
	return false, nil
}

func (q *question) draw(t theme, w, h int) []string {
	w = min(w-2, 64)
	iw, _ := inner(w, h)
	field := q.field.draw(t, max(iw-4, 1), 1, true)[0]
	return boxed(t, q.ask.question, []string{"", " > " + field, "", t.dim.Render(" enter goes on, esc leaves it")}, nil, w, h)
}

// confirmation has something agreed to.
type confirmation struct {
	*room
	confirm confirm
	field   field
}

func newConfirmation(r *room, c confirm) *confirmation { return &confirmation{room: r, confirm: c} }

func (c *confirmation) key(k tea.KeyMsg) (bool, tea.Cmd) {
	switch {
	case k.String() == "esc":
		return true, nil
	case c.confirm.typed == "":
		if k.String() == "y" || k.String() == "enter" {
			return true, c.confirm.then()
		}
		return true, nil
	case k.String() == "enter":
		if c.field.value() == line(c.confirm.typed) {
			return true, c.confirm.then()
		}
		return true, say("that was not it; nothing was changed")
	}
	c.field.key(k)
	return false, nil
}

func (c *confirmation) draw(t theme, w, h int) []string {
	w = min(w-2, 60)
	iw, _ := inner(w, h)
	lines := []string{""}
	for _, text := range wrap(c.confirm.question, max(iw-2, 1)) {
		lines = append(lines, " "+text)
	}
	if c.confirm.typed == "" {
		lines = append(lines, "", t.dim.Render(" y goes on, any other key leaves it"))
	} else {
		typed := ansi.Truncate(line(c.confirm.typed), max(iw-12, 1), "…")
		lines = append(lines, "", fmt.Sprintf(" type %s:", t.bold.Render(typed)), " > "+c.field.draw(t, max(iw-4, 1), 1, true)[0])
	}
	return boxed(t, "Sure?", lines, nil, w, h)
}
