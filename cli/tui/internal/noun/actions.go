package noun

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
)

// Actions implements screen.Screen.
func (s *Screen) Actions() []screen.Action {
	var own []screen.Action
	if s.noun.Edit != nil {
		own = append(own, screen.Action{Key: "e", Name: "edit", Doc: "Edit it as Markdown in your editor", Write: true, Run: s.edit})
	}
	for _, v := range s.noun.Verbs {
		own = append(own, screen.Action{Key: v.Key, Name: v.Name, Doc: v.Doc, Write: true, Run: func() tea.Cmd { return s.act(v) }})
	}
	return append(own,
		screen.Action{Key: "s", Name: "sort", Doc: "Order the list by the next column", Run: s.nextOrder},
		screen.Action{Key: "S", Name: "reverse", Doc: "Turn the order around", Silent: true, Run: s.reverse},
		screen.Action{Key: "/", Name: "filter", Doc: "Show what has these words", Run: s.startFilter},
		screen.Action{Key: "enter", Name: "open", Doc: "Look at one", Silent: true, Run: s.enter},
		screen.Action{Key: "esc", Name: "back", Doc: "Back: to the list, out of the filter, to the screen before", Silent: true, Run: s.back})
}

func (s *Screen) enter() tea.Cmd {
	s.Front = true
	return s.detail()
}

func (s *Screen) back() tea.Cmd {
	switch {
	case s.Front && s.Narrow():
		s.Front = false
	case len(s.list.Marked) > 0:
		s.list.Unmark()
	case !s.filter.Empty():
		s.filter.Set("")
		s.arrange()
		return s.detail()
	default:
		return s.Tell(screen.GoBack{})
	}
	return nil
}

func (s *Screen) startFilter() tea.Cmd {
	s.filling, s.Front = true, false
	return nil
}

// nextOrder goes through the columns, and behind the last to the daemon's order.
func (s *Screen) nextOrder() tea.Cmd {
	if s.sort++; s.sort == len(s.noun.Columns) {
		s.sort = -1
	}
	s.down = false
	s.arrange()
	return s.rest()
}

func (s *Screen) reverse() tea.Cmd {
	if s.sort < 0 {
		s.sort = 0
	}
	s.down = !s.down
	s.arrange()
	return s.rest()
}

func (s *Screen) edit() tea.Cmd {
	cur := s.list.Current()
	if cur == nil {
		return nil
	}
	row, name := *cur, s.noun.Name
	return s.Away("edit "+row.Label, func(ctx context.Context, t screen.Terminal) (tea.Msg, error) {
		done, err := s.noun.Edit(ctx, browse.Terminal(t), &row)
		return acted{name, done}, err
	})
}

// act does a verb to every chosen row; one that takes the label typed, to one.
func (s *Screen) act(v browse.Verb) tea.Cmd {
	chosen := s.list.Chosen()
	if len(chosen) == 0 {
		return nil
	}
	do := func(rows []browse.Row) tea.Cmd {
		s.list.Unmark()
		var cmds []tea.Cmd
		for _, row := range rows {
			name := s.noun.Name
			cmds = append(cmds, s.work(v.Name+" "+part.Line(row.Label), func(ctx context.Context) (tea.Msg, error) {
				done, err := v.Do(ctx, &row)
				return acted{name, done}, err
			}))
		}
		return tea.Batch(cmds...)
	}
	if !v.Typed {
		return do(chosen)
	}
	if len(chosen) > 1 {
		return screen.Refuse("one at a time: " + v.Name + " asks for the name")
	}
	row := chosen[0]
	label := part.Line(part.Or(row.Label, row.ID))
	return s.Tell(screen.Confirm{Question: v.Doc + ": “" + label + "”?", Typed: label, Then: func() tea.Cmd { return do([]browse.Row{row}) }})
}

// Picked implements screen.Screen.
func (s *Screen) Picked() screen.Subject {
	cur := s.list.Current()
	if cur == nil {
		return screen.Subject{}
	}
	return screen.Subject{Kind: s.noun.Name, ID: cur.ID, Command: s.noun.Command(cur)}
}

// Click implements screen.Screen.
func (s *Screen) Click(x, y int) tea.Cmd {
	if lw, _ := s.Split(s.W / 2); x < lw && s.list.Click(y-2) {
		return s.moved()
	}
	return nil
}

// Wheel implements screen.Screen.
func (s *Screen) Wheel(x, _, by int) tea.Cmd {
	if lw, _ := s.Split(s.W / 2); x < lw {
		s.list.Move(by)
		return s.moved()
	}
	s.view.Move(by)
	return nil
}
