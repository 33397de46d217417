package screen

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

// Errands runs what the screens ask of the daemon, and ends it with the
// program.
type Errands struct {
	begin func(func(context.Context)) // runs work until it is done
	ctx   func() (context.Context, context.CancelFunc)
}

// NewErrands starts with ctx; wait returns when all work has ended, which ctx
// brings about.
func NewErrands(ctx context.Context) (e *Errands, wait func()) {
	var mu sync.Mutex // guards over and the start of work against wait
	over := false
	var group conc.WaitGroup
	e = &Errands{
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

// Do is a command that works and then tells.
func (e *Errands) Do(work func(context.Context) tea.Msg) tea.Cmd {
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

// Feed is a live stream; its values come in batches, so that a fast one does
// not repaint the screen for each.
type Feed[T any] struct {
	ID     string
	values chan T
	err    error // why it ended; read after values is closed
	cancel context.CancelFunc
	done   <-chan struct{} // closed by cancel, and with the program
}

// Fed is a batch of a feed's values; Over says that it was the last.
type Fed[T any] struct {
	Feed   *Feed[T]
	Values []T
	Over   bool
	Err    error
}

// OpenFeed begins a stream; the command delivers its first batch, and Next the
// following ones.
func OpenFeed[T any](e *Errands, id string, open func(context.Context) iter.Seq2[T, error]) (*Feed[T], tea.Cmd) {
	ctx, cancel := e.ctx()
	f := &Feed[T]{ID: id, values: make(chan T, 256), cancel: cancel, done: ctx.Done()}
	return f, func() tea.Msg {
		e.begin(func(context.Context) { f.pump(open(ctx)) })
		return f.Next()()
	}
}

func (f *Feed[T]) pump(values iter.Seq2[T, error]) {
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

// Next delivers the next batch.
func (f *Feed[T]) Next() tea.Cmd {
	return func() tea.Msg {
		batch := Fed[T]{Feed: f}
		select {
		case v, ok := <-f.values:
			if !ok {
				return f.last(batch)
			}
			batch.Values = append(batch.Values, v)
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
				batch.Values = append(batch.Values, v)
			case <-enough.C:
				return batch
			case <-f.done:
				return nil
			}
		}
	}
}

func (f *Feed[T]) last(batch Fed[T]) Fed[T] {
	batch.Over, batch.Err = true, f.err
	return batch
}

// Close ends a feed; a nil one is none.
func (f *Feed[T]) Close() {
	if f != nil {
		f.cancel()
	}
}

// Seq is what a stream yields.
type Seq[T any] = iter.Seq2[T, error]
