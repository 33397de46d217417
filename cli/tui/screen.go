package tui

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/sdk/api"
)

// screen is one of the numbered views. It changes in update, key and click,
// which read and write nothing but the screen; all else happens in the commands
// that they return.
type screen interface {
	name() string
	badge() int
	// show is called when the screen comes to the front or the daemon answers
	// again.
	show() tea.Cmd
	update(msg tea.Msg) tea.Cmd
	// key is for what no action and nothing global takes.
	key(k tea.KeyMsg) tea.Cmd
	click(x, y int) tea.Cmd
	wheel(x, y, by int) tea.Cmd
	actions() []action
	// typing: keys are text now.
	typing() bool
	// picked is what the cursor is on.
	picked() subject
	SetSize(w, h int)
	Render() string
}

// subject is a thing that can be copied and opened.
type subject struct {
	id, command, url string
}

// action is something a key does. The footer, the help, the palette and the
// keys themselves are all made of the screens' actions.
type action struct {
	key    string // as bubbletea names it
	name   string
	doc    string
	write  bool // not while read-only
	silent bool // not in the footer
	run    func() tea.Cmd
}

func actionFor(actions []action, key string) *action {
	i := slices.IndexFunc(actions, func(a action) bool { return a.key == key })
	if i < 0 {
		return nil
	}
	return &actions[i]
}

// room is what the screens share: how things look, what time it is and how to
// ask the daemon.
type room struct {
	theme    theme
	now      time.Time
	frame    int  // of the spinner
	turns    bool // the spinner was drawn since the last tick
	errands  *errands
	desk     Desk
	readOnly bool
	zoomed   bool
	// me is the signed-in member's id, empty without a session.
	me string
	// signedOut: the daemon does not know the session, or not any more.
	signedOut bool
	// told is what the model takes up before the next key.
	told []tea.Msg
}

// tell gives the model a message that the next key must find done.
func (r *room) tell(msg tea.Msg) tea.Cmd {
	r.told = append(r.told, msg)
	return nil
}

// spinner turns while something works.
func (r *room) spinner() string {
	r.turns = true
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	return string(frames[r.frame%len(frames)])
}

// failed says that something could not be done.
type failed struct {
	doing string
	err   error
}

// said is a line for the person.
type said string

// say tells the person something.
func say(text string) tea.Cmd { return func() tea.Msg { return said(text) } }

// work asks the daemon for something; an error is told to the person.
func (r *room) work(doing string, do func(context.Context) (tea.Msg, error)) tea.Cmd {
	return r.errands.do(func(ctx context.Context) tea.Msg {
		msg, err := do(ctx)
		if err != nil {
			return failed{doing, err}
		}
		return msg
	})
}

// sessionOver is a failure that signing in again would cure.
type sessionOver struct{ failed }

// failure is what to tell when something that takes a session failed.
func failure(doing string, err error) tea.Msg {
	f := failed{doing, err}
	if e, ok := errors.AsType[*api.Error](err); ok && e.Status == http.StatusUnauthorized {
		return sessionOver{f}
	}
	return f
}

// asMember is work that takes a session.
func (r *room) asMember(doing string, do func(context.Context) (tea.Msg, error)) tea.Cmd {
	return r.errands.do(func(ctx context.Context) tea.Msg {
		msg, err := do(ctx)
		if err != nil {
			return failure(doing, err)
		}
		return msg
	})
}

// ask opens a question of one line; then gets the answer.
type ask struct {
	question, text string
	then           func(string) tea.Cmd
}

// confirm has something agreed to before it is done. With typed set, that has
// to be typed.
type confirm struct {
	question, typed string
	then            func() tea.Cmd
}

func send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
