package agents

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// toggleRows is the height of the box of an agent's tools, with both edges.
const toggleRows = 4

// Render draws the screen.
func (s *Screen) Render() string {
	if s.api == nil {
		return strings.Join(s.SignInFirst("Agents", s.W, s.H), "\n")
	}
	return s.Join(s.listWidth(), s.drawList, s.drawAgent)
}

func (s *Screen) listWidth() int { return max(22, s.W/4) }

func (s *Screen) drawList(w int) []string {
	iw, ih := part.Inner(w, s.H)
	p := part.Pane{Title: "Agents", Active: s.part == partList}
	p.Lines = s.list.Draw(s.Theme, iw, ih-1, s.row)
	switch {
	case !s.loaded:
		p.Lines = s.Unread(iw)
	case len(s.list.Rows) == 0:
		p.Lines = s.Advice(iw, "No agents yet.", "svcctl agent create makes one")
	default:
		p.Bottom = []string{s.Theme.Dim.Render(ansi.Truncate(" (one may be active)", iw, "…"))}
	}
	return p.Draw(s.Theme, w, s.H)
}

func (s *Screen) row(a *api.Agent, picked, marked bool, w int) []string {
	sign, state := " ", "off"
	if a.Active {
		sign, state = "★", "active"
	}
	if !picked {
		state = s.Theme.Dim.Render(state)
		if a.Active {
			sign = s.Theme.Good.Render(sign)
		}
	}
	return []string{part.Spread(part.CursorMark(picked, marked)+sign+" "+part.Line(a.Name), state+" ", w)}
}

func (s *Screen) drawAgent(w int) []string {
	a := s.list.Current()
	if a == nil {
		return part.Pane{Title: "Agent"}.Draw(s.Theme, w, s.H)
	}
	state := "off"
	if a.Active {
		state = "ACTIVE"
	}
	top := part.Pane{Title: part.Line(a.Name) + " · " + part.Line(a.Model) + " · " + state, Active: s.part == partToggles}
	iw, _ := part.Inner(w, toggleRows)
	top.Lines = s.drawToggles(a, iw)
	out := top.Draw(s.Theme, w, toggleRows)[:toggleRows-1] // the panes below have the edge
	return append(out, s.drawBelow(w, s.H-len(out))...)
}

// drawBelow is the tasks, and beside them what became of one where there is
// room for both.
func (s *Screen) drawBelow(w, h int) []string {
	if w >= screen.Narrow-20 {
		tw := max(w*2/5, 20)
		return part.Beside(s.drawTasks(part.Pane{Corners: "├ └ ", Open: true}, tw, h), s.drawTrial(part.Pane{Corners: "┬┤┴┘"}, w-tw, h))
	}
	whole := part.Pane{Corners: "├┤└┘"}
	if t := s.tasks.Current(); t != nil && s.runs[t.ID] != nil {
		return s.drawTrial(whole, w, h)
	}
	return s.drawTasks(whole, w, h)
}

func (s *Screen) drawToggles(a *api.Agent, w int) []string {
	lines := []string{""}
	for i, t := range toggles {
		box := "[ ]"
		if t.on(a) {
			box = "[x]"
		}
		text := t.name + " " + box
		if s.part == partToggles && i == s.at {
			text = s.Theme.Pick.Render("▸" + text)
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

func (s *Screen) drawTasks(p part.Pane, w, h int) []string {
	iw, ih := p.Inner(w, h)
	p.Title, p.Active = "Tasks", s.part == partTasks
	p.Lines = s.tasks.Draw(s.Theme, iw, ih, func(t *api.Task, picked, marked bool, w int) []string {
		kind := strings.ToUpper(part.Line(t.Kind))
		if !picked {
			kind = s.Theme.Dim.Render(kind)
		}
		return []string{part.Spread(part.CursorMark(picked && s.part == partTasks, marked)+part.Line(t.Name), kind+" ", w)}
	})
	if len(s.tasks.Rows) == 0 {
		p.Lines = s.Advice(iw, "No tasks.", "svcctl task create makes one")
	}
	return p.Draw(s.Theme, w, h)
}

func (s *Screen) drawTrial(p part.Pane, w, h int) []string {
	iw, ih := p.Inner(w, h)
	t := s.tasks.Current()
	if t == nil {
		p.Title, p.Lines = "Test run", s.Advice(iw, "ctrl-r runs a task and shows here what it sends and what comes back.")
		return p.Draw(s.Theme, w, h)
	}
	p.Title = fmt.Sprintf("Test run: %s (%s)", part.Line(t.Name), strings.ToUpper(part.Line(t.Kind)))
	s.view.Set(s.trialLines(t, iw-2), ih)
	for _, text := range s.view.Lines() {
		p.Lines = append(p.Lines, " "+text)
	}
	return p.Draw(s.Theme, w, h)
}

// Click implements screen.Screen.
func (s *Screen) Click(x, y int) tea.Cmd {
	lw, _ := s.Split(s.listWidth())
	switch {
	case x < lw:
		s.part = partList
		if s.list.Click(y - 1) {
			return s.read()
		}
	case y < toggleRows-1:
		s.part = partToggles
	default:
		s.part = partTasks
		s.tasks.Click(y - toggleRows)
	}
	return nil
}

// Wheel implements screen.Screen.
func (s *Screen) Wheel(x, _, by int) tea.Cmd {
	if lw, _ := s.Split(s.listWidth()); x < lw {
		s.list.Move(by)
		return s.read()
	}
	s.view.Move(by)
	return nil
}
