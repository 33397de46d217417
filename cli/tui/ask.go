package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
)

// question asks for a line of text.
type question struct {
	*screen.Room
	ask   screen.Ask
	field part.Field
}

func newQuestion(r *screen.Room, a screen.Ask) *question {
	q := &question{Room: r, ask: a}
	q.field.Limit = 300
	q.field.Set(a.Text)
	return q
}

func (q *question) key(k tea.KeyMsg) (bool, tea.Cmd) {
	switch k.String() {
	case "esc":
		return true, nil
	case "enter":
		return true, q.ask.Then(q.field.Value())
	}
	q.field.Key(k)
	return false, nil
}

func (q *question) draw(t part.Theme, w, h int) []string {
	w = min(w-2, 64)
	iw, _ := part.Inner(w, h)
	field := q.field.Draw(t, max(iw-4, 1), 1, true)[0]
	return boxed(t, q.ask.Question, []string{"", " > " + field, "", t.Dim.Render(" enter goes on, esc leaves it")}, nil, w, h)
}

// confirmation has something agreed to.
type confirmation struct {
	*screen.Room
	confirm screen.Confirm
	field   part.Field
}

func newConfirmation(r *screen.Room, c screen.Confirm) *confirmation {
	return &confirmation{Room: r, confirm: c}
}

func (c *confirmation) key(k tea.KeyMsg) (bool, tea.Cmd) {
	switch {
	case k.String() == "esc":
		return true, nil
	case c.confirm.Typed == "":
		if k.String() == "y" || k.String() == "enter" {
			return true, c.confirm.Then()
		}
		return true, nil
	case k.String() == "enter":
		if c.field.Value() == part.Line(c.confirm.Typed) {
			return true, c.confirm.Then()
		}
		return true, screen.Refuse("that was not it; nothing was changed")
	}
	c.field.Key(k)
	return false, nil
}

func (c *confirmation) draw(t part.Theme, w, h int) []string {
	w = min(w-2, 60)
	iw, _ := part.Inner(w, h)
	lines := []string{""}
	for _, text := range part.Wrap(c.confirm.Question, max(iw-2, 1)) {
		lines = append(lines, " "+text)
	}
	if c.confirm.Typed == "" {
		lines = append(lines, "", t.Dim.Render(" y goes on, any other key leaves it"))
	} else {
		typed := ansi.Truncate(part.Line(c.confirm.Typed), max(iw-12, 1), "…")
		lines = append(lines, "", fmt.Sprintf(" type %s:", t.Bold.Render(typed)), " > "+c.field.Draw(t, max(iw-4, 1), 1, true)[0])
	}
	return boxed(t, "Sure?", lines, nil, w, h)
}
