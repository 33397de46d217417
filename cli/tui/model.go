package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/tui/internal/noun"
	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
	"edgesvc.dev/svc/sdk/api"
)

// Below tiny columns or flat rows there is a sentence.
const (
	tiny = 40
	flat = 10
)

// The clock goes fast while something turns on the screen.
const (
	beat = 125 * time.Millisecond
	rest = time.Second
)

// Model is the top: it owns the messages and the layout.
type Model struct {
	*screen.Room
	screens  []screen.Screen // those with a number, then those that were opened by name
	nouns    []browse.Noun   // what can be opened by name
	current  int
	before   []int // the screens that esc goes back to, the latest last
	changes  Changes
	changing *screen.Feed[api.Change] // nil while nothing is followed
	layer    layer                    // in front of the screens, nil for none
	place    Place
	calls    []call
	fault    error // why the daemon does not answer
	log      *Calls
	renderer *lipgloss.Renderer
	look     int // which theme
	clip     func(text string)
	notice   notice
	w, h     int
	result   Result
}

// Result is why the screens have ended.
func (m *Model) Result() Result { return m.result }

// notice is the line about the last action.
type notice struct {
	text, hint string
	bad        bool // something failed
	refused    bool // nothing was done, for a reason
}

// ticked says what time it is.
type ticked time.Time

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.tick()}
	if m.log != nil {
		cmds = append(cmds, m.log.watch(m.Errands))
	}
	if m.Desk.Member != nil {
		cmds = append(cmds, m.AsMember("read the session", func(ctx context.Context) (tea.Msg, error) {
			id, err := m.Desk.Member(ctx)
			return member(id), err
		}))
	}
	for _, s := range m.screens {
		cmds = append(cmds, s.Show())
	}
	return tea.Batch(append(cmds, m.follow())...)
}

// follow opens the stream of what changes, unless it is open.
func (m *Model) follow() tea.Cmd {
	if m.changes == nil || m.changing != nil {
		return nil
	}
	f, cmd := screen.OpenFeed(m.Errands, "changes", m.changes)
	m.changing = f
	return cmd
}

// changed tells the screens what changed.
func (m *Model) changed(batch screen.Fed[api.Change]) tea.Cmd {
	if batch.Feed != m.changing {
		return nil
	}
	cmds := []tea.Cmd{m.broadcast(screen.Changed{Changes: batch.Values})}
	switch {
	case !batch.Over:
		cmds = append(cmds, batch.Feed.Next())
	case batch.Err != nil:
		m.changing = nil
		cmds = append(cmds, screen.Send(screen.Failure("follow what changes", batch.Err)))
	default:
		m.changing = nil
	}
	return tea.Batch(cmds...)
}

// member is the id of the one who is signed in.
type member string

func (m *Model) tick() tea.Cmd {
	pause := rest
	if m.Turns {
		pause = beat
	}
	m.Turns = false
	return tea.Tick(pause, func(t time.Time) tea.Msg { return ticked(t) })
}

func (m *Model) screen() screen.Screen { return m.screens[m.current] }

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyMsg); ok {
		return m, m.keys(k)
	}
	return m, m.handle(msg)
}

// handle takes a message and what the screens told meanwhile.
func (m *Model) handle(msg tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{m.take(msg)}
	for next := m.Told(); next != nil; next = m.Told() {
		cmds = append(cmds, m.take(next))
	}
	return tea.Batch(cmds...)
}

func (m *Model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.KeyMsg:
		return m.key(msg)
	case tea.MouseMsg:
		return m.mouse(msg)
	case ticked:
		m.Now = time.Time(msg)
		m.Frame++
		return m.tick()
	case called:
		return m.heard(msg)
	case member:
		m.Me = string(msg)
	case screen.Failed:
		m.notice = m.explain(msg)
	case screen.SessionOver:
		m.SignedOut = true
		m.notice = m.explain(msg.Failed)
	case screen.Said:
		m.notice = notice{text: string(msg)}
	case screen.Refused:
		m.notice = notice{text: string(msg), refused: true}
	case screen.Fed[api.Change]:
		return m.changed(msg)
	case screen.GoBack:
		return m.goBack()
	case screen.Ask:
		m.layer = newQuestion(m.Room, msg)
	case screen.Confirm:
		m.layer = newConfirmation(m.Room, msg)
	case screen.Choose:
		m.layer = newChooser(m.Room, msg.Title, msg.Choices)
	case screen.GoTo:
		return m.goTo(msg)
	case quit:
		m.result = Result(msg)
		return tea.Quit
	case copied:
		m.notice = notice{text: "copied " + string(msg)}
	default:
		return m.broadcast(msg)
	}
	return nil
}

// broadcast gives a message to every screen: each takes what it knows.
func (m *Model) broadcast(msg tea.Msg) tea.Cmd {
	cmds := make([]tea.Cmd, 0, len(m.screens))
	for _, s := range m.screens {
		cmds = append(cmds, s.Update(msg))
	}
	return tea.Batch(cmds...)
}

// heard notes the calls that were made. When the daemon answers again, the
// screens read again what they show.
func (m *Model) heard(msg called) tea.Cmd {
	back := m.fault != nil && msg.fault == nil
	m.calls, m.fault = msg.calls, msg.fault
	cmds := []tea.Cmd{m.log.watch(m.Errands)}
	if back {
		m.notice = notice{text: "connected again"}
		for _, s := range m.screens {
			cmds = append(cmds, s.Show())
		}
		cmds = append(cmds, m.follow())
	}
	return tea.Batch(cmds...)
}

func (m *Model) explain(f screen.Failed) notice {
	text, hint := f.Err.Error(), ""
	if m.Desk.Explain != nil {
		text, hint = m.Desk.Explain(f.Err)
	}
	return notice{text: "could not " + f.Doing + ": " + part.Line(text), hint: part.Line(hint), bad: true}
}

func (m *Model) goTo(to screen.GoTo) tea.Cmd {
	i := m.index(to.Screen)
	if i < 0 {
		return nil
	}
	if i != m.current {
		m.before = append(m.before, m.current)
	}
	m.current, m.Zoomed = i, false
	if f, ok := m.screens[i].(interface{ Find(id string) tea.Cmd }); ok && to.ID != "" {
		return f.Find(to.ID)
	}
	return m.screens[i].Show()
}

// index is where the screen of a name is. One of a noun is made when it is
// wanted first, and kept with its filter and order.
func (m *Model) index(name string) int {
	if i := slices.IndexFunc(m.screens, func(s screen.Screen) bool { return strings.EqualFold(s.Name(), name) }); i >= 0 {
		return i
	}
	i := slices.IndexFunc(m.nouns, func(n browse.Noun) bool { return n.Name == name })
	if i < 0 {
		return -1
	}
	m.screens = append(m.screens, noun.New(m.Room, m.nouns[i]))
	return len(m.screens) - 1
}

// goBack goes to the screen before this, or to the first one.
func (m *Model) goBack() tea.Cmd {
	m.current, m.Zoomed = 0, false
	if n := len(m.before); n > 0 {
		m.current, m.before = m.before[n-1], m.before[:n-1]
	}
	return m.screen().Show()
}

// openNoun goes to the screen of a noun. Where it lists what belongs to another
// thing, that is the one under the cursor, or asked for.
func (m *Model) openNoun(n browse.Noun) tea.Cmd {
	of := ""
	if at := m.screen().Picked(); n.Of != "" {
		if of = at.ID; at.Kind != n.Of || of == "" {
			ask := part.Or(n.Ask, n.Title+": which "+n.Of+"? Its slug or id")
			return m.Tell(screen.Ask{Question: ask, Then: func(ref string) tea.Cmd { return m.list(n, strings.TrimSpace(ref)) }})
		}
	}
	return m.list(n, of)
}

func (m *Model) list(n browse.Noun, of string) tea.Cmd {
	if n.Of != "" && of == "" {
		return nil
	}
	if s, ok := m.screens[m.index(n.Name)].(*noun.Screen); ok {
		s.List(of)
	}
	return m.goTo(screen.GoTo{Screen: n.Name})
}

func byName(s screen.Screen) bool {
	_, ok := s.(interface{ ByName() })
	return ok
}

// keys takes apart what was typed faster than it was read. What is pasted is
// text and no key.
func (m *Model) keys(k tea.KeyMsg) tea.Cmd {
	if k.Type != tea.KeyRunes || len(k.Runes) < 2 {
		return m.handle(k)
	}
	if k.Paste {
		if m.layer == nil && !m.screen().Typing() {
			return nil
		}
		return m.handle(k)
	}
	cmds := make([]tea.Cmd, 0, len(k.Runes))
	for _, r := range k.Runes {
		cmds = append(cmds, m.handle(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: k.Alt}))
	}
	return tea.Batch(cmds...)
}

// key goes to what is in front, then to the screen's actions, then to the
// global ones, then to the screen.
func (m *Model) key(k tea.KeyMsg) tea.Cmd {
	if k.String() == "ctrl+c" {
		return tea.Quit
	}
	if m.layer != nil {
		done, cmd := m.layer.key(k)
		if done {
			m.layer = nil
		}
		return cmd
	}
	m.notice = notice{}
	name := k.String()
	if m.screen().Typing() {
		if name == "ctrl+p" {
			return m.run(actionFor(m.global(), name))
		}
		return m.screen().Key(k)
	}
	if name == "esc" && m.Zoomed {
		m.Zoomed = false
		return nil
	}
	if a := actionFor(m.screen().Actions(), name); a != nil {
		return m.run(a)
	}
	if a := actionFor(m.global(), name); a != nil {
		return m.run(a)
	}
	return m.screen().Key(k)
}

func actionFor(actions []screen.Action, key string) *screen.Action {
	i := slices.IndexFunc(actions, func(a screen.Action) bool { return a.Key == key })
	if i < 0 {
		return nil
	}
	return &actions[i]
}

// run does an action unless it would change something while that is off.
func (m *Model) run(a *screen.Action) tea.Cmd {
	if a == nil {
		return nil
	}
	if a.Write && m.ReadOnly {
		m.notice = notice{text: "read-only: nothing is changed", hint: "the palette (:) ends it", bad: true}
		return nil
	}
	return a.Run()
}

func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	if m.layer != nil || m.w < tiny || m.h < flat {
		return nil
	}
	top := 1 + len(m.banner())
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		return m.screen().Wheel(msg.X, msg.Y-top, -3)
	case msg.Button == tea.MouseButtonWheelDown:
		return m.screen().Wheel(msg.X, msg.Y-top, 3)
	case msg.Button != tea.MouseButtonLeft || msg.Action != tea.MouseActionPress:
		return nil
	case msg.Y == 0:
		_, spots := m.head()
		for i, spot := range spots {
			if msg.X >= spot[0] && msg.X < spot[1] && spot[1] > 0 {
				return m.goTo(screen.GoTo{Screen: m.screens[i].Name()})
			}
		}
		return nil
	}
	return m.screen().Click(msg.X, msg.Y-top)
}
