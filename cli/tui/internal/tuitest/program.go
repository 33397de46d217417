package tuitest

import (
	"bytes"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/teatest"

	"edgesvc.dev/svc/cli/tui"
)

// Program is the screens as a running program of 100 columns and 30 rows.
type Program struct {
	*World
	tm *teatest.TestModel
}

// Start runs the screens as a program.
func Start(t *testing.T, adjust ...func(*World)) *Program {
	t.Helper()
	s := prepared(t, 100, 30, adjust)
	return &Program{World: s, tm: teatest.NewTestModel(t, s.start(), teatest.WithInitialTermSize(s.w, s.h))}
}

// Keys presses keys.
func (p *Program) Keys(names ...string) {
	for _, name := range names {
		p.tm.Send(Key(name))
	}
}

// Shows waits until all texts have been drawn since the last Shows.
func (p *Program) Shows(texts ...string) {
	p.T.Helper()
	teatest.WaitFor(p.T, p.tm.Output(), func(b []byte) bool {
		for _, text := range texts {
			if !bytes.Contains(b, []byte(text)) {
				return false
			}
		}
		return true
	}, teatest.WithDuration(10*time.Second))
}

// Quit ends the program; View shows how it ended.
func (p *Program) Quit(t *testing.T) {
	t.Helper()
	p.Keys("q")
	p.M = p.tm.FinalModel(t, teatest.WithFinalTimeout(10*time.Second)).(*tui.Model)
}
