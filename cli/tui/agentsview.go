package tui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/sdk/api"
)

// toggleRows is the height of the box of an agent's tools, with both edges.
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
		p.lines = s.unread(iw)
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
	out := top.draw(s.theme, w, toggleRows)[:toggleRows-1] // the panes below have the edge
	return append(out, s.drawBelow(w, s.h-len(out))...)
}

// drawBelow is the tasks, and beside them what became of one where there is
// room for both.
func (s *agents) drawBelow(w, h int) []string {
	if w >= narrow-20 {
		tw := max(w*2/5, 20)
		return beside(s.drawTasks(pane{corners: "├ └ ", open: true}, tw, h), s.drawTrial(pane{corners: "┬┤┴┘"}, w-tw, h))
	}
	whole := pane{corners: "├┤└┘"}
	if t := s.tasks.current(); t != nil && s.runs[t.ID] != nil {
		return s.drawTrial(whole, w, h)
	}
	return s.drawTasks(whole, w, h)
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

func (s *agents) drawTasks(p pane, w, h int) []string {
	iw, ih := p.inner(w, h)
	p.title, p.active = "Tasks", s.part == partTasks
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

func (s *agents) drawTrial(p pane, w, h int) []string {
	iw, ih := p.inner(w, h)
	t := s.tasks.current()
	if t == nil {
		p.title, p.lines = "Test run", s.advice(iw, "ctrl-r runs a task and shows here what it sends and what comes back.")
		return p.draw(s.theme, w, h)
	}
	p.title = fmt.Sprintf("Test run: %s (%s)", line(t.Name), strings.ToUpper(line(t.Kind)))
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
	case y < toggleRows-1:
		s.part = partToggles
	default:
		s.part = partTasks
		s.tasks.click(y - toggleRows)
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
