package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// wizard is the first run: the daemon's address, who signs in, and the team
// that this leads to.
type wizard struct {
	*room
	step   int
	fields [3]field // address; e-mail or link; password
	asks   int      // which field of the step
	busy   bool
	team   string
	w, h   int
}

// wizardDone says which team the sign-in led to.
type wizardDone struct{ team string }

// wizardFailed goes back to the answers.
type wizardFailed struct{ err error }

func newWizard(r *room, p Place) *wizard {
	s := &wizard{room: r}
	s.fields[0].set(p.URL)
	s.fields[2].secret = true
	return s
}

func (s *wizard) name() string              { return "Welcome" }
func (s *wizard) badge() int                { return 0 }
func (s *wizard) typing() bool              { return true }
func (s *wizard) show() tea.Cmd             { return nil }
func (s *wizard) actions() []action         { return nil }
func (s *wizard) picked() subject           { return subject{} }
func (s *wizard) click(int, int) tea.Cmd    { return nil }
func (s *wizard) wheel(_, _, _ int) tea.Cmd { return nil }

// SetSize gives the screen its room.
func (s *wizard) SetSize(w, h int) { s.w, s.h = w, h }

func (s *wizard) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case wizardDone:
		s.step, s.busy, s.team = 2, false, msg.team
	case wizardFailed:
		s.busy = false
		return send(failed{"sign in", msg.err})
	}
	return nil
}

func (s *wizard) key(k tea.KeyMsg) tea.Cmd {
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
		s.fields[s.step+s.asks].key(k)
	}
	return nil
}

// next goes on to the next question, or signs in.
func (s *wizard) next() tea.Cmd {
	switch {
	case s.step == 2:
		return send(quit{Context: FirstContext})
	case s.step == 0:
		if strings.Contains(s.fields[0].value(), "token=") { // a link says where, too
			s.fields[1].set(s.fields[0].value())
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

func (s *wizard) byLink() bool { return strings.Contains(s.fields[1].value(), "token=") }

func (s *wizard) signIn() tea.Cmd {
	in := SignIn{URL: strings.TrimSpace(s.fields[0].value()), Password: s.fields[2].value()}
	if s.byLink() {
		in.Link = strings.TrimSpace(s.fields[1].value())
	} else {
		in.Email = strings.TrimSpace(s.fields[1].value())
	}
	s.busy = true
	return s.errands.do(func(ctx context.Context) tea.Msg {
		team, err := s.desk.SignIn(ctx, in)
		if err != nil {
			return wizardFailed{err}
		}
		return wizardDone{team}
	})
}

// Render draws the screen.
func (s *wizard) Render() string {
	iw, _ := inner(s.w, s.h)
	steps := []string{"1 address", "2 sign in", "3 team"}
	for i := range steps {
		style := s.theme.dim
		if i == s.step {
			style = s.theme.tab
		}
		steps[i] = style.Render(steps[i])
	}
	lines := []string{"", " " + strings.Join(steps, s.theme.dim.Render("  ▸  ")), ""}
	add := func(texts ...string) {
		for _, text := range texts {
			for _, part := range wrap(text, max(iw-2, 1)) {
				lines = append(lines, " "+part)
			}
		}
	}
	input := func(i int, label string, focused bool) {
		text := s.fields[i].draw(s.theme, max(iw-14, 1), 1, focused)[0]
		lines = append(lines, " "+s.theme.dim.Render(fit(label, 10))+text)
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
			add("", s.theme.dim.Render("The password becomes yours; empty keeps the one you have."))
		}
	case 2:
		add("You are signed in. Team:", "", s.theme.good.Render("✓ ")+s.theme.bold.Render(line(s.team)))
	}
	foot := "enter goes on, esc goes back"
	if s.busy {
		foot = s.spinner() + " signing in …"
	}
	lines = append(lines, "", " "+s.theme.dim.Render(foot))
	return strings.Join(pane{title: "Welcome to svc", lines: lines, active: true}.draw(s.theme, s.w, s.h), "\n")
}
