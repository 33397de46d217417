// Package tuitest runs svcctl's terminal UI for tests: the whole of it, on a
// daemon that answers what was recorded. The outside world alone is fake.
package tuitest

import (
	"context"
	_ "embed" // for recorded.json
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"edgesvc.dev/svc/cli/tui"
	"edgesvc.dev/svc/sdk/api"
)

// Noon is what the clock says in these tests.
var Noon = time.Date(2026, 11, 20, 14, 3, 0, 0, time.UTC)

//go:embed recorded.json
var recorded []byte

// World is the screens on a fake daemon.
type World struct {
	T      testing.TB
	M      *tui.Model
	Config tui.Config
	Posts  *Posts
	Jobs   *Jobs
	Inbox  *Inbox
	Canned *Canned
	Agents *Agents
	Tasks  *Tasks
	Clip   string // what went to the clipboard

	w, h int
}

// Empty leaves nothing of what was recorded.
func Empty(s *World) {
	s.Posts.Page.Data, s.Jobs.Page.Data, s.Inbox.Page.Data, s.Agents.Page.Data = nil, nil, nil, nil
	*s.Canned, s.Tasks.Page.Data = nil, nil
}

// New starts the screens with w columns and h rows on what recorded.json holds,
// as adjusted.
func New(t testing.TB, w, h int, adjust ...func(*World)) *World {
	t.Helper()
	s := prepared(t, w, h, adjust)
	s.M = s.start()
	s.Do(tea.WindowSizeMsg{Width: w, Height: h})
	for _, cmd := range s.M.Init()().(tea.BatchMsg)[1:] { // the first is the clock
		s.Settle(cmd)
	}
	return s
}

func prepared(t testing.TB, w, h int, adjust []func(*World)) *World {
	t.Helper()
	s := &World{T: t, Posts: &Posts{Content: article}, Jobs: &Jobs{}, Inbox: &Inbox{}, Canned: &Canned{}, Agents: &Agents{}, Tasks: &Tasks{}, w: w, h: h}
	s.read()
	s.Config = tui.Config{
		Posts: s.Posts, Jobs: s.Jobs, JobFeed: s.Jobs.Feed, Inbox: s.Inbox, Canned: s.Canned, Agents: s.Agents, Tasks: s.Tasks, Now: Noon,
		Place: tui.Place{Context: "prod", Team: "Acme", URL: "https://svc.example", Contexts: []string{"prod", "staging"}},
		Desk: tui.Desk{
			Explain: func(err error) (string, string) { return err.Error(), "" }, Browse: func(string) error { return nil },
			Member: func(context.Context) (string, error) { return "user_me", nil },
		},
	}
	for _, change := range adjust {
		change(s)
	}
	return s
}

func (s *World) start() *tui.Model {
	ctx, cancel := context.WithCancel(context.Background())
	r := lipgloss.NewRenderer(os.Stderr)
	r.SetColorProfile(termenv.Ascii)
	m, wait := tui.New(ctx, s.Config, r, func(text string) { s.Clip = text })
	s.T.Cleanup(func() {
		cancel()
		wait()
	})
	return m
}

func (s *World) read() {
	s.T.Helper()
	var r struct {
		Posts         []api.Post
		Jobs          []api.Job
		JobEvents     map[string][]api.JobEvent
		Conversations []api.Conversation
		Messages      map[string][]api.Message
		Talks         map[string][]api.ConversationEvent
		Canned        []api.CannedResponse
		Agents        []api.Agent
		Tasks         []api.Task
		Runs          []api.TaskEvent
	}
	if err := json.Unmarshal(recorded, &r); err != nil {
		s.T.Fatal(err)
	}
	s.Posts.Page.Data, s.Jobs.Page.Data, s.Jobs.Events = r.Posts, r.Jobs, r.JobEvents
	s.Inbox.Page.Data, s.Inbox.Transcripts, s.Inbox.Talks = r.Conversations, r.Messages, r.Talks
	*s.Canned = r.Canned
	s.Agents.Page.Data, s.Tasks.Page.Data, s.Tasks.Runs = r.Agents, r.Tasks, r.Runs
}

// Do gives the screens a message and runs what follows.
func (s *World) Do(msg tea.Msg) {
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		s.w, s.h = size.Width, size.Height
	}
	_, cmd := s.M.Update(msg)
	s.Settle(cmd)
}

// Settle runs a command and what follows from it.
func (s *World) Settle(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.Settle(c)
		}
	default:
		s.Do(msg)
	}
}

// Keys presses keys, named as bubbletea names them; any other text is typed.
func (s *World) Keys(names ...string) {
	for _, name := range names {
		s.Do(Key(name))
	}
}

var named = map[string]tea.KeyType{
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	"ctrl+s": tea.KeyCtrlS, "ctrl+r": tea.KeyCtrlR, "ctrl+p": tea.KeyCtrlP, "ctrl+w": tea.KeyCtrlW, "ctrl+u": tea.KeyCtrlU,
}

// Key is the key of that name.
func Key(name string) tea.KeyMsg {
	if kind, ok := named[name]; ok {
		return tea.KeyMsg{Type: kind}
	}
	if name == " " {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(" ")}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}
}

// View is the screen, held to its size.
func (s *World) View() string {
	s.T.Helper()
	v := s.M.View()
	lines := strings.Split(v, "\n")
	if len(lines) != s.h {
		s.T.Errorf("%d lines at %d×%d:\n%s", len(lines), s.w, s.h, v)
	}
	for _, l := range lines {
		if n := ansi.StringWidth(l); n != s.w {
			s.T.Errorf("a line of %d columns at %d×%d: %q\n%s", n, s.w, s.h, l, v)
		}
	}
	return ansi.Strip(v)
}

// Sees holds the screen to texts.
func (s *World) Sees(texts ...string) {
	s.T.Helper()
	v := s.View()
	for _, text := range texts {
		if !strings.Contains(v, text) {
			s.T.Errorf("no %q in\n%s", text, v)
		}
	}
}

// Misses holds the screen to showing none of texts.
func (s *World) Misses(texts ...string) {
	s.T.Helper()
	v := s.View()
	for _, text := range texts {
		if strings.Contains(v, text) {
			s.T.Errorf("%q in\n%s", text, v)
		}
	}
}

const article = `<h2>Small binaries</h2><p>One static file, <strong>17 MB</strong>, no runtime, see <a href="https://go.dev">Go</a>.</p>
<ul><li>starts at once</li><li>one file</li></ul><blockquote><p>Edge daemons live close to users.</p></blockquote><pre><code>svcd serve</code></pre>`
