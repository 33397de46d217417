package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// copied says what went to the clipboard.
type copied string

// quit ends the program with a result.
type quit Result

// global is what the keys do on every screen that has no other use for them.
func (m *model) global() []action {
	out := make([]action, 0, len(m.screens)+12)
	for i, s := range m.screens {
		name := s.name()
		out = append(out, action{key: fmt.Sprint(i + 1), name: name, doc: "Go to " + name, run: func() tea.Cmd { return m.tell(goTo{screen: name}) }})
	}
	return append(out,
		action{key: ":", name: "command", doc: "Find anything that can be done here", run: m.openPalette},
		action{key: "ctrl+p", name: "command", doc: "The same, also while typing", run: m.openPalette},
		action{key: "?", name: "help", doc: "Show what the keys do", run: m.openHelp},
		action{key: "@", name: "log", doc: "Show the calls that were made, each as a svcctl line", run: m.openLog},
		action{key: "y", name: "copy id", doc: "Copy the id", run: func() tea.Cmd { return m.copy(m.screen().picked().id) }},
		action{key: "Y", name: "copy command", doc: "Copy the svcctl line that shows this", run: func() tea.Cmd { return m.copy(m.screen().picked().command) }},
		action{key: "o", name: "browser", doc: "Open in the browser", run: m.browse},
		action{key: "r", name: "refresh", doc: "Read everything again", run: func() tea.Cmd { return m.screen().show() }},
		action{key: "z", name: "zoom", doc: "Give one pane all the room", run: m.zoom},
		action{key: "T", name: "theme", doc: "Change the colours: dark, light, plain", run: m.nextTheme},
		action{key: "C", name: "context", doc: "Go to another daemon", run: m.openContexts},
		action{key: "R", name: "read-only", doc: "Allow no changes, or allow them again", run: m.toggleReadOnly},
		action{key: "q", name: "quit", doc: "Quit", run: func() tea.Cmd { return tea.Quit }},
	)
}

func (m *model) openPalette() tea.Cmd {
	m.layer = newChooser(m.room, "Command", m.choices(append(m.screen().actions(), m.global()...)))
	return nil
}

// choices is actions for the palette.
func (m *model) choices(actions []action) []choice {
	var out []choice
	for _, a := range actions {
		if a.key == "ctrl+p" || a.key == ":" || a.key == "esc" {
			continue
		}
		out = append(out, choice{label: a.name, note: a.doc, key: keyName(a.key), then: func() tea.Cmd { return m.run(&a) }})
	}
	return out
}

func (m *model) openHelp() tea.Cmd {
	m.layer = newHelp(m.screen().name(), m.screen().actions(), m.global())
	return nil
}

func (m *model) openLog() tea.Cmd {
	var lines []choice
	for i := len(m.calls) - 1; i >= 0; i-- {
		c := m.calls[i]
		lines = append(lines, choice{label: clean(c.String()), then: func() tea.Cmd { return m.copy(c.command()) }})
	}
	log := newChooser(m.room, "Calls · enter copies the line", lines)
	log.wide = 120
	m.layer = log
	return nil
}

func (m *model) openContexts() tea.Cmd {
	var lines []choice
	for _, name := range m.place.Contexts {
		note := ""
		if name == m.place.Context {
			note = "in use"
		}
		lines = append(lines, choice{label: line(name), note: note, then: func() tea.Cmd { return send(quit{Context: name}) }})
	}
	m.layer = newChooser(m.room, "Contexts", lines)
	return nil
}

func (m *model) zoom() tea.Cmd {
	m.zoomed = !m.zoomed
	return nil
}

func (m *model) nextTheme() tea.Cmd {
	m.look++
	m.theme = newTheme(m.renderer, m.look)
	m.notice = notice{text: "theme " + m.theme.name}
	return nil
}

func (m *model) toggleReadOnly() tea.Cmd {
	m.readOnly = !m.readOnly
	return nil
}

// copy puts text on the clipboard of the terminal that the person sits at (OSC
// 52), which works over SSH too.
func (m *model) copy(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	clip := m.clip
	return func() tea.Msg {
		clip(ansi.SetSystemClipboard(text))
		return copied(text)
	}
}

func (m *model) browse() tea.Cmd {
	address := m.screen().picked().url
	if address == "" {
		m.notice = notice{text: "this has no address of its own"}
		return nil
	}
	open := m.desk.Browse
	return func() tea.Msg {
		if err := open(address); err != nil {
			return failed{"open the browser", err}
		}
		return said("opened " + address)
	}
}
