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
	own = append(own,
		screen.Action{Key: "s", Name: "sort", Doc: "Order the list by the next column", Run: s.nextOrder},
		screen.Action{Key: "S", Name: "reverse", Doc: "Turn the order around", Silent: true, Run: s.reverse})
	return append(own, s.Moves(func() tea.Cmd { return s.Tell(screen.GoBack{}) })...)
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
	cur := s.Listed.Current()
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
	chosen := s.Listed.Chosen()
	if len(chosen) == 0 {
		return nil
	}
	do := func(rows []browse.Row) tea.Cmd {
		s.Listed.Unmark()
		var cmds []tea.Cmd
		for _, row := range rows {
			name := s.noun.Name
			s.busy.Add(1)
			cmds = append(cmds, s.work(v.Name+" "+part.Line(row.Label), func(ctx context.Context) (tea.Msg, error) {
				defer s.busy.Add(-1)
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
	cur := s.Listed.Current()
	if cur == nil {
		return screen.Subject{}
	}
	return screen.Subject{Kind: s.noun.Name, ID: cur.ID, Command: s.noun.Command(cur)}
}

// Click implements screen.Screen.
func (s *Screen) Click(x, y int) tea.Cmd { return s.ClickList(x, y, 2) }
