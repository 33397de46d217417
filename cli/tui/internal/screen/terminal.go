package screen

import (
	"context"
	"io"
	"os"
	"sync"

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
	if s, ok := w.(*Shared); ok {
		w = s.File
	}
	e.term.Out = w
}

// SetStderr says where complaints go.
func (e *errand) SetStderr(w io.Writer) { e.term.Err = w }

// Away leaves the terminal to work and comes back with its message.
func (r *Room) Away(doing string, work func(context.Context, Terminal) (tea.Msg, error)) tea.Cmd {
	ctx, cancel := r.Errands.ctx()
	var msg tea.Msg
	e := &errand{work: func(t Terminal) (err error) {
		defer cancel()
		msg, err = work(ctx, t)
		return err
	}}
	return tea.Exec(e, func(err error) tea.Msg {
		if err != nil {
			return Failed{Doing: doing, Err: err}
		}
		return msg
	})
}

// Terminal is what an editor takes over while it runs.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
}

// Shared is a terminal that two write to: the renderer, and what goes to the
// clipboard.
type Shared struct {
	*os.File
	mu sync.Mutex // held for each write
}

// Write implements io.Writer.
func (s *Shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.File.Write(b)
}
