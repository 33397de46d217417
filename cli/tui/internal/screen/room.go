package screen

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/cli/tui/internal/part"
)

// Room is what the screens share: how things look, what time it is and how to
// ask the daemon. The shell changes it; the screens read it.
type Room struct {
	Theme    part.Theme
	Now      time.Time
	Frame    int  // of the spinner
	Turns    bool // the spinner was drawn since the last tick
	Errands  *Errands
	Desk     Desk
	Address  string // of the daemon
	ReadOnly bool
	Zoomed   bool
	// SessionOnly: there is no API key; everything goes by the session.
	SessionOnly bool
	// Me is the signed-in member's id, empty without a session.
	Me string
	// SignedOut: the daemon does not know the session, or not any more.
	SignedOut bool

	told []tea.Msg
}

// Tell gives the shell a message that the next key must find done.
func (r *Room) Tell(msg tea.Msg) tea.Cmd {
	r.told = append(r.told, msg)
	return nil
}

// Told takes the oldest message of Tell, nil when there is none.
func (r *Room) Told() tea.Msg {
	if len(r.told) == 0 {
		return nil
	}
	next := r.told[0]
	r.told = r.told[1:]
	return next
}

// Spinner turns while something works.
func (r *Room) Spinner() string {
	r.Turns = true
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	return string(frames[r.Frame%len(frames)])
}

// Work asks the daemon for something; an error is told to the person.
func (r *Room) Work(doing string, do func(context.Context) (tea.Msg, error)) tea.Cmd {
	if r.SessionOnly {
		return r.AsMember(doing, do)
	}
	return r.Errands.Do(func(ctx context.Context) tea.Msg {
		msg, err := do(ctx)
		if err != nil {
			return Failed{Doing: doing, Err: err}
		}
		return msg
	})
}

// AsMember is work that takes a session.
func (r *Room) AsMember(doing string, do func(context.Context) (tea.Msg, error)) tea.Cmd {
	return r.Errands.Do(func(ctx context.Context) tea.Msg {
		msg, err := do(ctx)
		if err != nil {
			return Failure(doing, err)
		}
		return msg
	})
}

// Advice is what an empty list says: that it is empty, and what to do.
func (r *Room) Advice(w int, lines ...string) []string {
	out := []string{""}
	for i, text := range lines {
		for _, l := range part.Wrap(text, w-2) {
			if i > 0 {
				l = r.Theme.Dim.Render(l)
			}
			out = append(out, " "+l)
		}
	}
	return out
}

// SignInFirst is a screen that needs a member.
func (r *Room) SignInFirst(title string, w, h int) []string {
	lines := r.Advice(w-2, "This screen needs a member's session, and there is none for "+part.Line(r.Address)+".",
		SignInCommand(r.Address), "signs in; then svcctl tui again.")
	return part.Pane{Title: title, Lines: lines, Active: true}.Draw(r.Theme, w, h)
}

// Unread is what stands for a list that has not come.
func (r *Room) Unread(w int) []string {
	if r.SignedOut {
		return r.Advice(w, "There is nothing to see without a session.")
	}
	return r.Advice(w, "reading …")
}

// SignInCommand is the line for a shell that signs in at address.
func SignInCommand(address string) string {
	return "svcctl login " + part.Line(part.Quote(address)) + " --email you@example.com"
}
