package tui

import (
	"context"
	"io"

	tea "github.com/charmbracelet/bubbletea"
)

// errand is work that has the terminal for itself, such as an editor.
type errand struct {
	term Terminal
	work func(Terminal) error
}

// Run implements tea.ExecCommand, as the others do.
func (e *errand) Run() error { return e.work(e.term) }

// SetStdin says where keys come from.
func (e *errand) SetStdin(r io.Reader) { e.term.In = r }

// SetStdout passes the terminal itself on: an editor does not draw into a pipe.
func (e *errand) SetStdout(w io.Writer) {
	if s, ok := w.(*shared); ok {
		w = s.File
	}
	e.term.Out = w
}

// SetStderr says where complaints go.
func (e *errand) SetStderr(w io.Writer) { e.term.Err = w }

// away leaves the terminal to work and comes back with its message.
func (r *room) away(doing string, work func(context.Context, Terminal) (tea.Msg, error)) tea.Cmd {
	ctx, cancel := r.errands.ctx()
	var msg tea.Msg
	e := &errand{work: func(t Terminal) (err error) {
		defer cancel()
		msg, err = work(ctx, t)
		return err
	}}
	return tea.Exec(e, func(err error) tea.Msg {
		if err != nil {
			return failed{doing, err}
		}
		return msg
	})
}
