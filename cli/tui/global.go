package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"edgesvc.dev/svc/cli/tui/internal/part"
	"edgesvc.dev/svc/cli/tui/internal/screen"
)

// copied says what went to the clipboard.
type copied string

// quit ends the program with a result.
type quit Result

// global is what the keys do on every screen that has no other use for them.
func (m *Model) global() []screen.Action {
	out := make([]screen.Action, 0, len(m.screens)+12)
	for i, s := range m.screens {
		name := s.Name()
		if byName(s) {
			continue
		}
		out = append(out, screen.Action{Key: fmt.Sprint(i + 1), Name: name, Doc: "Go to " + name, Run: func() tea.Cmd { return m.Tell(screen.GoTo{Screen: name}) }})
	}
	for _, n := range m.nouns {
		if n.Of != "" && n.Of == m.screen().Picked().Kind {
			out = append(out, screen.Action{Key: "v", Name: n.Name, Doc: n.Title, Run: func() tea.Cmd { return m.openNoun(n) }})
		}
	}
	return append(out,
		screen.Action{Key: ":", Name: "command", Doc: "Find anything that can be done here", Run: m.openPalette},
		screen.Action{Key: "ctrl+p", Name: "command", Doc: "The same, also while typing", Run: m.openPalette},
		screen.Action{Key: "?", Name: "help", Doc: "Show what the keys do", Run: m.openHelp},
		screen.Action{Key: "@", Name: "log", Doc: "Show the calls that were made, each as a svcctl line", Run: m.openLog},
		screen.Action{Key: "y", Name: "copy id", Doc: "Copy the id", Run: func() tea.Cmd { return m.copy(m.screen().Picked().ID) }},
		screen.Action{Key: "Y", Name: "copy command", Doc: "Copy the svcctl line that shows this", Run: func() tea.Cmd { return m.copy(m.screen().Picked().Command) }},
		screen.Action{Key: "o", Name: "browser", Doc: "Open in the browser", Run: m.browse},
		screen.Action{Key: "r", Name: "refresh", Doc: "Read everything again", Run: func() tea.Cmd { return m.screen().Show() }},
		screen.Action{Key: "z", Name: "zoom", Doc: "Give one pane all the room", Run: m.zoom},
		screen.Action{Key: "T", Name: "theme", Doc: "Change the colours: dark, light, plain", Run: m.nextTheme},
		screen.Action{Key: "C", Name: "context", Doc: "Go to another daemon", Run: m.openContexts},
		screen.Action{Key: "R", Name: "read-only", Doc: "Allow no changes, or allow them again", Run: m.toggleReadOnly},
		screen.Action{Key: "q", Name: "quit", Doc: "Quit", Run: func() tea.Cmd { return tea.Quit }},
	)
}

func (m *Model) openPalette() tea.Cmd {
	choices := m.choices(append(m.screen().Actions(), m.global()...))
	for _, n := range m.nouns {
		choices = append(choices, screen.Choice{Label: n.Name, Note: part.Line(n.Title), Then: func() tea.Cmd { return m.openNoun(n) }})
	}
	m.layer = newChooser(m.Room, "Command", choices)
	return nil
}

// choices is actions for the palette.
func (m *Model) choices(actions []screen.Action) []screen.Choice {
	var out []screen.Choice
	for _, a := range actions {
		if a.Key == "ctrl+p" || a.Key == ":" || a.Key == "esc" {
			continue
		}
		out = append(out, screen.Choice{Label: a.Name, Note: a.Doc, Key: keyName(a.Key), Then: func() tea.Cmd { return m.run(&a) }})
	}
	return out
}

func (m *Model) openHelp() tea.Cmd {
	m.layer = newHelp(m.screen().Name(), m.screen().Actions(), m.global())
	return nil
}

func (m *Model) openLog() tea.Cmd {
	var lines []screen.Choice
	for i := len(m.calls) - 1; i >= 0; i-- {
		c := m.calls[i]
		lines = append(lines, screen.Choice{Label: part.Clean(c.String()), Then: func() tea.Cmd { return m.copy(c.command()) }})
	}
	log := newChooser(m.Room, "Calls · enter copies the line", lines)
	log.wide = 120
	m.layer = log
	return nil
}

func (m *Model) openContexts() tea.Cmd {
	var lines []screen.Choice
	for _, name := range m.place.Contexts {
		note := ""
		if name == m.place.Context {
			note = "in use"
		}
		lines = append(lines, screen.Choice{Label: part.Line(name), Note: note, Then: func() tea.Cmd { return screen.Send(quit{Context: name}) }})
	}
	m.layer = newChooser(m.Room, "Contexts", lines)
	return nil
}

func (m *Model) zoom() tea.Cmd {
	m.Zoomed = !m.Zoomed
	return nil
}

func (m *Model) nextTheme() tea.Cmd {
	m.look++
	m.Theme = part.NewTheme(m.renderer, m.look)
	m.notice = notice{text: "theme " + m.Theme.Name}
	return nil
}

func (m *Model) toggleReadOnly() tea.Cmd {
	m.ReadOnly = !m.ReadOnly
	return nil
}

// copy puts text on the clipboard of the terminal that the person sits at (OSC
// 52), which works over SSH too.
func (m *Model) copy(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	clip := m.clip
	return func() tea.Msg {
		clip(ansi.SetSystemClipboard(text))
		return copied(text)
	}
}

func (m *Model) browse() tea.Cmd {
	address := m.screen().Picked().URL
	if address == "" {
		m.notice = notice{text: "this has no address of its own", refused: true}
		return nil
	}
	open := m.Desk.Browse
	return func() tea.Msg {
		if err := open(address); err != nil {
			return screen.Failed{Doing: "open the browser", Err: err}
		}
		return screen.Said("opened " + address)
	}
}
