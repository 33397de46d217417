package tui

import (
	"context"
	"iter"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sourcegraph/conc"
)

// pace is how long what a stream sends is collected before it is shown.
const pace = 50 * time.Millisecond

// errands runs what the screens ask of the daemon, and ends it with the
// program.
type errands struct {
	begin func(func(context.Context)) // runs work until it is done
	ctx   func() (context.Context, context.CancelFunc)
}

// newErrands starts with ctx; wait returns when all work has ended, which ctx
// brings about.
func newErrands(ctx context.Context) (e *errands, wait func()) {
	var mu sync.Mutex // guards over and the start of work against wait
	over := false
	var group conc.WaitGroup
	e = &errands{
		ctx: func() (context.Context, context.CancelFunc) { return context.WithCancel(ctx) },
		begin: func(work func(context.Context)) {
			mu.Lock()
			defer mu.Unlock()
			if !over {
				group.Go(func() { work(ctx) })
			}
		},
	}
	return e, func() {
		mu.Lock()
		over = true
		mu.Unlock()
		group.Wait()
	}
}

// do is a command that works and then tells.
func (e *errands) do(work func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		answer := make(chan tea.Msg, 1)
		e.begin(func(ctx context.Context) { answer <- work(ctx) })
		ctx, cancel := e.ctx()
		defer cancel()
		select {
		case msg := <-answer:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}

// feed is a live stream; its values come in batches, so that a fast one does
// not repaint the screen for each.
type feed[T any] struct {
	id     string
	values chan T
	err    error // why it ended; read after values is closed
	cancel context.CancelFunc
	done   <-chan struct{} // closed by cancel, and with the program
}

// fed is a batch of a feed's values; over says that it was the last.
type fed[T any] struct {
	feed   *feed[T]
	values []T
	over   bool
	err    error
}

// openFeed begins a stream; the command delivers its first batch, and next the
// following ones.
func openFeed[T any](e *errands, id string, open func(context.Context) iter.Seq2[T, error]) (*feed[T], tea.Cmd) {
	ctx, cancel := e.ctx()
	f := &feed[T]{id: id, values: make(chan T, 256), cancel: cancel, done: ctx.Done()}
	return f, func() tea.Msg {
		e.begin(func(context.Context) { f.pump(open(ctx)) })
		return f.next()()
	}
}

func (f *feed[T]) pump(values iter.Seq2[T, error]) {
	defer close(f.values)
	for v, err := range values {
		if err != nil {
			f.err = err
			return
		}
		select {
		case f.values <- v:
		case <-f.done:
			return
		}
	}
}

// next delivers the next batch.
func (f *feed[T]) next() tea.Cmd {
	return func() tea.Msg {
		batch := fed[T]{feed: f}
		select {
		case v, ok := <-f.values:
			if !ok {
				return f.last(batch)
			}
			batch.values = append(batch.values, v)
		case <-f.done:
			return nil
		}
		enough := time.NewTimer(pace)
		defer enough.Stop()
		for {
			select {
			case v, ok := <-f.values:
				if !ok {
					return f.last(batch)
				}
				batch.values = append(batch.values, v)
			case <-enough.C:
				return batch
			case <-f.done:
				return nil
			}
		}
	}
}

func (f *feed[T]) last(batch fed[T]) fed[T] {
	batch.over, batch.err = true, f.err
	return batch
}

// close ends a feed; a nil one is none.
func (f *feed[T]) close() {
	if f != nil {
		f.cancel()
	}
}

// seq is what a stream yields.
type seq[T any] = iter.Seq2[T, error]
