package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/sdk/api"
)

// toggleRows is the height of the box of an agent's tools.
const toggleRows = 4

// Render draws the screen.
func (s *agents) Render() string {
	if s.api == nil {
		return strings.Join(s.signInFirst("Agents", s.place.URL, s.w, s.h), "\n")
	}
	return s.join(s.listWidth(), s.drawList, s.drawAgent)
}

func (s *agents) listWidth() int { return max(22, s.w/4) }

func (s *agents) drawList(w int) []string {
	iw, ih := inner(w, s.h)
	p := pane{title: "Agents", active: s.part == partList}
	p.lines = s.list.draw(s.theme, iw, ih-1, s.row)
	switch {
	case !s.loaded:
		p.lines = s.advice(iw, "reading …")
	case len(s.list.rows) == 0:
		p.lines = s.advice(iw, "No agents yet.", "svcctl agent create makes one")
	default:
		p.bottom = []string{s.theme.dim.Render(ansi.Truncate(" (one may be active)", iw, "…"))}
	}
	return p.draw(s.theme, w, s.h)
}

func (s *agents) row(a *api.Agent, picked, marked bool, w int) []string {
	sign, state := " ", "off"
	if a.Active {
		sign, state = "★", "active"
	}
	if !picked {
		state = s.theme.dim.Render(state)
		if a.Active {
			sign = s.theme.good.Render(sign)
		}
	}
	return []string{spread(cursorMark(picked, marked)+sign+" "+line(a.Name), state+" ", w)}
}

func (s *agents) drawAgent(w int) []string {
	a := s.list.current()
	if a == nil {
		return pane{title: "Agent"}.draw(s.theme, w, s.h)
	}
	state := "off"
	if a.Active {
		state = "ACTIVE"
	}
	top := pane{title: line(a.Name) + " · " + line(a.Model) + " · " + state, active: s.part == partToggles}
	iw, _ := inner(w, toggleRows)
	top.lines = s.drawToggles(a, iw)
	out := top.draw(s.theme, w, toggleRows)
	rest := s.h - toggleRows
	tw := max(w*2/5, min(w, 20))
	if w < narrow-20 {
		tw = w
	}
	below := s.drawTasks(tw, rest)
	if tw < w {
		below = beside(below, s.drawTrial(w-tw, rest))
	} else if t := s.tasks.current(); t != nil && s.runs[t.ID] != nil {
		below = s.drawTrial(w, rest)
	}
	return append(out, below...)
}

func (s *agents) drawToggles(a *api.Agent, w int) []string {
	lines := []string{""}
	for i, t := range toggles {
		box := "[ ]"
		if t.on(a) {
			box = "[x]"
		}
		text := t.name + " " + box
		if s.part == partToggles && i == s.at {
			text = s.theme.pick.Render("▸" + text)
		} else {
			text = " " + text
		}
		last := len(lines) - 1
		if ansi.StringWidth(lines[last])+ansi.StringWidth(text)+1 > w && lines[last] != "" {
			lines = append(lines, "")
			last++
		}
		lines[last] += text + " "
	}
	return lines
}

func (s *agents) drawTasks(w, h int) []string {
	iw, ih := inner(w, h)
	p := pane{title: "Tasks", active: s.part == partTasks}
	p.lines = s.tasks.draw(s.theme, iw, ih, func(t *api.Task, picked, marked bool, w int) []string {
		kind := strings.ToUpper(line(t.Kind))
		if !picked {
			kind = s.theme.dim.Render(kind)
		}
		return []string{spread(cursorMark(picked && s.part == partTasks, marked)+line(t.Name), kind+" ", w)}
	})
	if len(s.tasks.rows) == 0 {
		p.lines = s.advice(iw, "No tasks.", "svcctl task create makes one")
	}
	return p.draw(s.theme, w, h)
}

func (s *agents) drawTrial(w, h int) []string {
	iw, ih := inner(w, h)
	t := s.tasks.current()
	if t == nil {
		return pane{title: "Test run"}.draw(s.theme, w, h)
	}
	p := pane{title: fmt.Sprintf("Test run: %s (%s)", line(t.Name), strings.ToUpper(line(t.Kind)))}
	s.view.set(s.trialLines(t, iw-2), ih)
	for _, text := range s.view.lines() {
		p.lines = append(p.lines, " "+text)
	}
	return p.draw(s.theme, w, h)
}

func (s *agents) click(x, y int) tea.Cmd {
	lw, _ := s.split(s.listWidth())
	switch {
	case x < lw:
		s.part = partList
		if s.list.click(y - 1) {
			return s.read()
		}
	case y < toggleRows:
		s.part = partToggles
	default:
		s.part = partTasks
		s.tasks.click(y - toggleRows - 1)
	}
	return nil
}

func (s *agents) wheel(x, _, by int) tea.Cmd {
	if lw, _ := s.split(s.listWidth()); x < lw {
		s.list.move(by)
		return s.read()
	}
	s.view.move(by)
	return nil
}
