// Package screen is what every screen of svcctl's terminal UI keeps to: the
// contract with the shell that shows it, the room that it is in, and the
// messages that it sends. It knows no particular screen.
package screen

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// Screen is one of the numbered views. It changes in Update, Key and Click,
// which read and write nothing but the screen; all else happens in the commands
// that they return.
//
// A screen may have methods beside these: MembersOnly() bool says that it takes a
// session, Find(id string) tea.Cmd brings its cursor to a thing, and ByName()
// says that it has no number.
type Screen interface {
	Name() string
	Badge() int
	// Show is called when the screen comes to the front or the daemon answers
	// again.
	Show() tea.Cmd
	Update(msg tea.Msg) tea.Cmd
	// Key is for what no action and nothing global takes.
	Key(k tea.KeyMsg) tea.Cmd
	Click(x, y int) tea.Cmd
	Wheel(x, y, by int) tea.Cmd
	Actions() []Action
	// Typing: keys are text now.
	Typing() bool
	// Picked is what the cursor is on.
	Picked() Subject
	SetSize(w, h int)
	Render() string
}

// Subject is a thing that can be copied and opened.
type Subject struct {
	Kind             string // such as post
	ID, Command, URL string
}

// Action is something a key does. The footer, the help, the palette and the
// keys themselves are all made of the screens' actions.
type Action struct {
	Key    string // as bubbletea names it
	Name   string
	Doc    string
	Write  bool // not while read-only
	Silent bool // not in the footer
	Run    func() tea.Cmd
}

// PageSize is how many rows a list reads at once.
const PageSize = 100

// Calm is how long a list that changes all the time is left alone before it is read
// again.
const Calm = time.Second

// KeptText bounds a text that is being written, in bytes.
const KeptText = 32 << 10
