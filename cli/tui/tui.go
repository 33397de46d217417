// Package tui is svcctl's terminal UI: posts, jobs, the inbox and agents, live.
// It knows what the screens show and do; where the daemon is, who signs in and
// how an editor starts, it is told.
package tui

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/tui/internal/agents"
	"edgesvc.dev/svc/cli/tui/internal/inbox"
	"edgesvc.dev/svc/cli/tui/internal/jobs"
	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/posts"
	_ "edgesvc.dev/svc/cli/tui/internal/quiet" // keeps bubbletea from asking the terminal at every start
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// frames is how often the screen is drawn in a second, at most.
const frames = 20

// Config is what the screens work with. Without Posts the wizard signs in
// first; without Inbox or Agents their screens say which command signs in.
type Config struct {
	Posts    posts.Service
	Jobs     jobs.Service
	JobFeed  jobs.Feed // nil without a session
	Changes  Changes   // nil without a session
	Nouns    []browse.Noun
	Inbox    inbox.Service
	Canned   inbox.Canned
	Agents   agents.Service
	Tasks    agents.Tasks
	Calls    *Calls
	Desk     Desk
	Place    Place
	Screen   string // the first one, by name
	ReadOnly bool
	// SessionOnly: posts and jobs go by the session too.
	SessionOnly bool
	Colours     bool
	Light       bool      // the terminal has a light background
	Now         time.Time // at the start; zero is what the clock says
}

// Changes yields what changes in the team; EventsService.Changes of the SDK is one.
type Changes = func(ctx context.Context) iter.Seq2[api.Change, error]

type (
	// Desk is the rest of svcctl, as the screens use it.
	Desk = screen.Desk
	// Terminal is what an editor takes over while it runs.
	Terminal = screen.Terminal
	// SignIn is the answers of the wizard.
	SignIn = screen.SignIn
)

// Place is where the person is.
type Place struct {
	Context, Team, URL string
	Contexts           []string
}

// String is the context and the team.
func (p Place) String() string {
	return strings.Join(slices.DeleteFunc([]string{part.Or(p.Context, p.URL), p.Team}, func(s string) bool { return s == "" }), " / ")
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
	shown := &screen.Shared{File: out}
	if c.Now.IsZero() {
		c.Now = time.Now()
	}
	m, wait := New(ctx, c, part.NewRenderer(out, c.Colours), func(s string) { fmt.Fprint(shown, s) })
	defer wait()
	defer cancel()
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(shown), tea.WithAltScreen(),
		tea.WithMouseCellMotion(), tea.WithFPS(frames), tea.WithoutSignalHandler())
	if _, err := p.Run(); err != nil && ctx.Err() == nil {
		return Result{}, fmt.Errorf("show the screens: %w", err)
	}
	return m.Result(), nil
}

// New is the screens without a terminal: text that is copied goes to clip. Wait
// returns when their work has ended, which the end of ctx brings about.
func New(ctx context.Context, c Config, r *lipgloss.Renderer, clip func(string)) (m *Model, wait func()) {
	e, wait := screen.NewErrands(ctx)
	room := &screen.Room{Theme: part.NewTheme(r, 0), Now: c.Now, Errands: e, Desk: c.Desk, Address: c.Place.URL, ReadOnly: c.ReadOnly, SessionOnly: c.SessionOnly}
	m = &Model{Room: room, place: c.Place, nouns: c.Nouns, changes: c.Changes, log: c.Calls, renderer: r, clip: clip}
	if c.Light {
		_ = m.nextTheme()
		m.notice = notice{}
	}
	if c.Posts == nil {
		m.screens = []screen.Screen{newWizard(room)}
		return m, wait
	}
	m.screens = []screen.Screen{posts.New(room, c.Posts), jobs.New(room, c.Jobs, c.JobFeed), inbox.New(room, c.Inbox, c.Canned), agents.New(room, c.Agents, c.Tasks)}
	if i := m.index(c.Screen); i >= 0 {
		m.current = i
	}
	return m, wait
}
