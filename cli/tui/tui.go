// Package tui is svcctl's terminal UI: posts, jobs, the inbox and agents, live.
// It knows what the screens show and do; where the daemon is, who signs in and
// how an editor starts, it is told.
package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	_ "edgesvc.dev/svc/cli/tui/internal/quiet" // keeps bubbletea from asking the terminal at every start
)

// frames is how often the screen is drawn in a second, at most.
const frames = 20

// Config is what the screens work with. Without Posts the wizard signs in
// first; without Inbox or Agents their screens say which command signs in.
type Config struct {
	Posts    Posts
	Jobs     Jobs
	JobFeed  JobFeed // nil without a session
	Inbox    Inbox
	Canned   Canned
	Agents   Agents
	Tasks    Tasks
	Calls    *Calls
	Desk     Desk
	Place    Place
	Screen   string // the first one, by name
	ReadOnly bool
	Colours  bool
	Light    bool // the terminal has a light background
}

// Place is where the person is.
type Place struct {
	Context, Team, URL string
	Contexts           []string
}

// String is the context and the team.
func (p Place) String() string {
	return strings.Join(slices.DeleteFunc([]string{or(p.Context, p.URL), p.Team}, func(s string) bool { return s == "" }), " / ")
}

// Result is why the screens ended.
type Result struct {
	Context string // go on with this context; empty to quit
}

// FirstContext is the Context of a Result where the wizard made one.
const FirstContext = "."

// Names lists the screens.
func Names() []string { return []string{"posts", "jobs", "inbox", "agents"} }

// Run shows the screens until the person quits or ctx ends.
func Run(ctx context.Context, c Config, in io.Reader, out *os.File) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	e, wait := newErrands(ctx)
	defer wait()
	defer cancel()
	shown := &shared{File: out}
	m := newModel(c, e, newRenderer(out, c.Colours), func(s string) { fmt.Fprint(shown, s) })
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(shown), tea.WithAltScreen(),
		tea.WithMouseCellMotion(), tea.WithFPS(frames), tea.WithoutSignalHandler())
	if _, err := p.Run(); err != nil && ctx.Err() == nil {
		return Result{}, fmt.Errorf("show the screens: %w", err)
	}
	return m.result, nil
}

// shared is a terminal that two write to: the renderer, and what goes to the
// clipboard.
type shared struct {
	*os.File
	mu sync.Mutex // held for each write
}

func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.File.Write(b)
}

func newModel(c Config, e *errands, r *lipgloss.Renderer, clip func(string)) *model {
	room := &room{theme: newTheme(r, 0), now: time.Now(), errands: e, desk: c.Desk, readOnly: c.ReadOnly}
	m := &model{room: room, place: c.Place, log: c.Calls, renderer: r, clip: clip}
	if c.Light {
		_ = m.nextTheme()
		m.notice = notice{}
	}
	if c.Posts == nil {
		m.screens = []screen{newWizard(room, c.Place)}
		return m
	}
	m.screens = []screen{newPosts(room, c.Posts), newJobs(room, c.Jobs, c.JobFeed), newInbox(room, c.Inbox, c.Canned, c.Place), newAgents(room, c.Agents, c.Tasks, c.Place)}
	for i, s := range m.screens {
		if strings.EqualFold(s.name(), c.Screen) {
			m.current = i
		}
	}
	return m
}
