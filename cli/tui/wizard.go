package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
)

// wizard is the first run: the daemon's address, who signs in, and the team
// that this leads to.
type wizard struct {
	*screen.Room
	step   int
	fields [3]part.Field // address; e-mail or link; password
	asks   int           // which field of the step
	busy   bool
	team   string
	w, h   int
}

// wizardDone says which team the sign-in led to.
type wizardDone struct{ team string }

// wizardFailed goes back to the answers.
type wizardFailed struct{ err error }

func newWizard(r *screen.Room) *wizard {
	s := &wizard{Room: r}
	s.fields[0].Set(r.Address)
	s.fields[2].Secret = true
	return s
}

func (s *wizard) Name() string              { return "Welcome" }
func (s *wizard) Badge() int                { return 0 }
func (s *wizard) Typing() bool              { return true }
func (s *wizard) Show() tea.Cmd             { return nil }
func (s *wizard) Actions() []screen.Action  { return nil }
func (s *wizard) Picked() screen.Subject    { return screen.Subject{} }
func (s *wizard) Click(int, int) tea.Cmd    { return nil }
func (s *wizard) Wheel(_, _, _ int) tea.Cmd { return nil }

// SetSize gives the screen its room.
func (s *wizard) SetSize(w, h int) { s.w, s.h = w, h }

func (s *wizard) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case wizardDone:
		s.step, s.busy, s.team = 2, false, msg.team
	case wizardFailed:
		s.busy = false
		return screen.Send(screen.Failed{Doing: "sign in", Err: msg.err})
	}
	return nil
}

func (s *wizard) Key(k tea.KeyMsg) tea.Cmd {
	switch {
	case s.busy:
		return nil
	case k.String() == "esc":
		if s.step == 1 {
			s.step, s.asks = 0, 0
			return nil
		}
		return tea.Quit
	case k.String() == "enter" || k.String() == "tab":
		return s.next()
	case s.step < 2:
		s.fields[s.step+s.asks].Key(k)
	}
	return nil
}

// next goes on to the next question, or signs in.
func (s *wizard) next() tea.Cmd {
	switch {
	case s.step == 2:
		return screen.Send(quit{Context: FirstContext})
	case s.step == 0:
		if strings.Contains(s.fields[0].Value(), "token=") { // a link says where, too
			s.fields[1].Set(s.fields[0].Value())
			s.asks = 1
		}
		s.step = 1
		return nil
	case s.asks == 0:
		s.asks = 1
		return nil
	}
	return s.signIn()
}

func (s *wizard) byLink() bool { return strings.Contains(s.fields[1].Value(), "token=") }

func (s *wizard) signIn() tea.Cmd {
	in := screen.SignIn{URL: strings.TrimSpace(s.fields[0].Value()), Password: s.fields[2].Value()}
	if s.byLink() {
		in.Link = strings.TrimSpace(s.fields[1].Value())
	} else {
		in.Email = strings.TrimSpace(s.fields[1].Value())
	}
	s.busy = true
	return s.Errands.Do(func(ctx context.Context) tea.Msg {
		team, err := s.Desk.SignIn(ctx, in)
		if err != nil {
			return wizardFailed{err}
		}
		return wizardDone{team}
	})
}

// Render draws the screen.
func (s *wizard) Render() string {
	iw, _ := part.Inner(s.w, s.h)
	steps := []string{"1 address", "2 sign in", "3 team"}
	for i := range steps {
		style := s.Theme.Dim
		if i == s.step {
			style = s.Theme.Tab
		}
		steps[i] = style.Render(steps[i])
	}
	lines := []string{"", " " + strings.Join(steps, s.Theme.Dim.Render("  ▸  ")), ""}
	add := func(texts ...string) {
		for _, text := range texts {
			for _, l := range part.Wrap(text, max(iw-2, 1)) {
				lines = append(lines, " "+l)
			}
		}
	}
	input := func(i int, label string, focused bool) {
		text := s.fields[i].Draw(s.Theme, max(iw-14, 1), 1, focused)[0]
		lines = append(lines, " "+s.Theme.Dim.Render(part.Fit(label, 10))+text)
	}
	switch s.step {
	case 0:
		add("Where does svcd run? Its address, or the sign-in link that it printed.", "")
		input(0, "address", true)
	case 1:
		add("Who are you? Your e-mail address, or a sign-in link.", "")
		input(1, "e-mail", s.asks == 0)
		input(2, "password", s.asks == 1)
		if s.byLink() {
			add("", s.Theme.Dim.Render("The password becomes yours; empty keeps the one you have."))
		}
	case 2:
		add("You are signed in. Team:", "", s.Theme.Good.Render("✓ ")+s.Theme.Bold.Render(part.Line(s.team)))
	}
	foot := "enter goes on, esc goes back"
	if s.busy {
		foot = s.Spinner() + " signing in …"
	}
	lines = append(lines, "", " "+s.Theme.Dim.Render(foot))
	return strings.Join(part.Pane{Title: "Welcome to svc", Lines: lines, Active: true}.Draw(s.Theme, s.w, s.h), "\n")
}
