package screen

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"edgesvc.dev/svc/sdk/api"
)

// Failed says that something could not be done.
type Failed struct {
	Doing string
	Err   error
}

// SessionOver is a failure that signing in again would cure.
type SessionOver struct{ Failed }

// Failure is what to tell when something that takes a session failed.
func Failure(doing string, err error) tea.Msg {
	f := Failed{Doing: doing, Err: err}
	if e, ok := errors.AsType[*api.Error](err); ok && e.Status == http.StatusUnauthorized {
		return SessionOver{f}
	}
	return f
}

// Said is a line for the person.
type Said string

// Refused says why nothing was done.
type Refused string

// Refuse tells the person why nothing is done.
func Refuse(text string) tea.Cmd { return Send(Refused(text)) }

// Say tells the person something.
func Say(text string) tea.Cmd { return Send(Said(text)) }

// Send is a command that does nothing but tell.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// Ask opens a question of one line; Then gets the answer.
type Ask struct {
	Question, Text string
	Then           func(string) tea.Cmd
}

// Confirm has something agreed to before it is done. With Typed set, that has
// to be typed.
type Confirm struct {
	Question, Typed string
	Then            func() tea.Cmd
}

// Choose opens a chooser.
type Choose struct {
	Title   string
	Choices []Choice
}

// Choice is one line of a chooser.
type Choice struct {
	Label, Note, Key string
	Then             func() tea.Cmd
}

// GoTo brings a screen to the front with its cursor on a thing.
type GoTo struct{ Screen, ID string }

// GoBack brings the screen before to the front.
type GoBack struct{}

// Changed says what changed in the team.
type Changed struct{ Changes []api.Change }

// Has reports a change whose type begins so, or one after which anything may be
// different.
func (c Changed) Has(prefix string) bool {
	return slices.ContainsFunc(c.Changes, func(one api.Change) bool { return one.Type == api.AnyChange || strings.HasPrefix(one.Type, prefix) })
}

// PostsRead says which posts were read, for screens that show their titles.
type PostsRead struct{ Posts []api.Post }

// PostsChanged says that posts changed elsewhere.
type PostsChanged struct{}

// JobBegun says that a job was started here.
type JobBegun struct{}
