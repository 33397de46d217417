package tui

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
)

// Below narrow columns or low rows there is one pane; below tiny and flat, a
// sentence.
const (
	narrow = 60
	low    = 13 // of 15, without head and foot
	tiny   = 40
	flat   = 10
)

// The clock goes fast while something turns on the screen.
const (
	beat = 125 * time.Millisecond
	rest = time.Second
)

// model is the top: it owns the messages and the layout.
type model struct {
	*room
	screens  []screen
	current  int
	layer    layer // in front of the screens, nil for none
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

// notice is the line about the last action.
type notice struct {
	text, hint string
	bad        bool
}

// ticked says what time it is.
type ticked time.Time

func (m *model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.tick()}
	if m.log != nil {
		cmds = append(cmds, m.log.watch(m.errands))
	}
	if m.desk.Member != nil {
		cmds = append(cmds, m.asMember("read the session", func(ctx context.Context) (tea.Msg, error) {
			id, err := m.desk.Member(ctx)
			return member(id), err
		}))
	}
	for _, s := range m.screens {
		cmds = append(cmds, s.show())
	}
	return tea.Batch(cmds...)
}

// member is the id of the one who is signed in.
type member string

func (m *model) tick() tea.Cmd {
	pause := rest
	if m.turns {
		pause = beat
	}
	m.turns = false
	return tea.Tick(pause, func(t time.Time) tea.Msg { return ticked(t) })
}

func (m *model) screen() screen { return m.screens[m.current] }

// Update implements tea.Model.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyMsg); ok {
		return m, m.keys(k)
	}
	return m, m.handle(msg)
}

// handle takes a message and what the screens told meanwhile.
func (m *model) handle(msg tea.Msg) tea.Cmd {
	cmds := []tea.Cmd{m.take(msg)}
	for len(m.told) > 0 {
		next := m.told[0]
		m.told = m.told[1:]
		cmds = append(cmds, m.take(next))
	}
	return tea.Batch(cmds...)
}

func (m *model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case tea.KeyMsg:
		return m.key(msg)
	case tea.MouseMsg:
		return m.mouse(msg)
	case ticked:
		m.now = time.Time(msg)
		m.frame++
		return m.tick()
	case called:
		return m.heard(msg)
	case member:
		m.me = string(msg)
	case failed:
		m.notice = m.explain(msg)
	case sessionOver:
		m.signedOut = true
		m.notice = m.explain(msg.failed)
	case said:
		m.notice = notice{text: string(msg)}
	case ask:
		m.layer = newQuestion(m.room, msg)
	case confirm:
		m.layer = newConfirmation(m.room, msg)
	case choose:
		m.layer = newChooser(m.room, msg.title, msg.choices)
	case goTo:
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
func (m *model) broadcast(msg tea.Msg) tea.Cmd {
	cmds := make([]tea.Cmd, 0, len(m.screens))
	for _, s := range m.screens {
		cmds = append(cmds, s.update(msg))
	}
	return tea.Batch(cmds...)
}

// heard notes the calls that were made. When the daemon answers again, the
// screens read again what they show.
func (m *model) heard(msg called) tea.Cmd {
	back := m.fault != nil && msg.fault == nil
	m.calls, m.fault = msg.calls, msg.fault
	cmds := []tea.Cmd{m.log.watch(m.errands)}
	if back {
		m.notice = notice{text: "connected again"}
		for _, s := range m.screens {
			cmds = append(cmds, s.show())
		}
	}
	return tea.Batch(cmds...)
}

func (m *model) explain(f failed) notice {
	text, hint := f.err.Error(), ""
	if m.desk.Explain != nil {
		text, hint = m.desk.Explain(f.err)
	}
	return notice{text: "could not " + f.doing + ": " + line(text), hint: line(hint), bad: true}
}

func (m *model) goTo(to goTo) tea.Cmd {
	i := slices.IndexFunc(m.screens, func(s screen) bool { return s.name() == to.screen })
	if i < 0 {
		return nil
	}
	m.current, m.zoomed = i, false
	if f, ok := m.screens[i].(interface{ find(id string) tea.Cmd }); ok && to.id != "" {
		return f.find(to.id)
	}
	return m.screens[i].show()
}

// keys takes apart what was typed faster than it was read. What is pasted is
// text and no key.
func (m *model) keys(k tea.KeyMsg) tea.Cmd {
	if k.Type != tea.KeyRunes || len(k.Runes) < 2 {
		return m.handle(k)
	}
	if k.Paste {
		if m.layer == nil && !m.screen().typing() {
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
func (m *model) key(k tea.KeyMsg) tea.Cmd {
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
	if m.screen().typing() {
		if name == "ctrl+p" {
			return m.run(actionFor(m.global(), name))
		}
		return m.screen().key(k)
	}
	if name == "esc" && m.zoomed {
		m.zoomed = false
		return nil
	}
	if a := actionFor(m.screen().actions(), name); a != nil {
		return m.run(a)
	}
	if a := actionFor(m.global(), name); a != nil {
		return m.run(a)
	}
	return m.screen().key(k)
}

// run does an action unless it would change something while that is off.
func (m *model) run(a *action) tea.Cmd {
	if a == nil {
		return nil
	}
	if a.write && m.readOnly {
		m.notice = notice{text: "read-only: nothing is changed", hint: "the palette (:) ends it", bad: true}
		return nil
	}
	return a.run()
}

func (m *model) mouse(msg tea.MouseMsg) tea.Cmd {
	if m.layer != nil || m.w < tiny || m.h < flat {
		return nil
	}
	top := 1 + len(m.banner())
	switch {
	case msg.Button == tea.MouseButtonWheelUp:
		return m.screen().wheel(msg.X, msg.Y-top, -3)
	case msg.Button == tea.MouseButtonWheelDown:
		return m.screen().wheel(msg.X, msg.Y-top, 3)
	case msg.Button != tea.MouseButtonLeft || msg.Action != tea.MouseActionPress:
		return nil
	case msg.Y == 0:
		_, spots := m.head()
		for i, spot := range spots {
			if msg.X >= spot[0] && msg.X < spot[1] {
				return m.goTo(goTo{screen: m.screens[i].name()})
			}
		}
		return nil
	}
	return m.screen().click(msg.X, msg.Y-top)
}
