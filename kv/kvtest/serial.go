package kvtest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"pgregory.net/rapid"

	"edgesvc.dev/svc/kv"
)

// step is one call inside a transaction, on the store and on a model of it with
// state S. Both sides tell what they saw; an error ends the transaction.
type step[S any] struct {
	name  string
	store func(kv.Tx) (saw string, err error)
	model func(S) (saw string, err error)
}

// ending is how a transaction ends after its steps.
type ending int

const (
	succeed ending = iota
	fail
	crash
)

var errEnding = errors.New("the transaction is to fail")

type transaction[S any] struct {
	steps []step[S]
	end   ending
}

func drawTransactions[S any](rt *rapid.T, steps *rapid.Generator[step[S]]) []transaction[S] {
	return rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) transaction[S] {
		return transaction[S]{
			steps: rapid.SliceOfN(steps, 1, 6).Draw(rt, "steps"),
			end:   rapid.SampledFrom([]ending{succeed, succeed, succeed, fail, crash}).Draw(rt, "end"),
		}
	}), 1, 8).Draw(rt, "transactions")
}

// history is one transaction as it ran: as the nth that succeeded, or between
// two of them when it failed.
type history[S any] struct {
	transaction[S]
	n   uint64
	saw []string
	err error
}

// run runs a transaction at the store. The counter tells its place in the order
// that the store chose.
func (h *history[S]) run(s kv.Store, counter []byte) error {
	var err error
	p := recovered(func() {
		err = s.Update(noCancel, func(tx kv.Tx) (err error) {
			h.saw, h.err = nil, nil // may run again
			if h.n, err = kv.Next(tx, counter); err != nil {
				return err
			}
			for _, st := range h.steps {
				saw, err := st.store(tx)
				h.saw = append(h.saw, saw)
				if err != nil {
					h.err = err
					return err
				}
			}
			switch h.end {
			case crash:
				panic(errEnding)
			case fail:
				h.err = errEnding
			}
			return h.err
		})
	})
	if p != nil {
		h.err = errEnding
		if h.end != crash {
			return fmt.Errorf("unexpected panic: %v", p)
		}
		return nil
	}
	if !errors.Is(err, h.err) {
		return fmt.Errorf("update returned %w instead of %w", err, h.err)
	}
	return nil
}

// replay runs a transaction on the model and compares what it saw.
func (h *history[S]) replay(state S) error {
	for i, st := range h.steps {
		saw, err := st.model(state)
		if i >= len(h.saw) {
			return fmt.Errorf("transaction %d ended before step %d with %w", h.n, i, h.err)
		}
		if saw != h.saw[i] {
			return fmt.Errorf("transaction %d, step %d %s:\n saw %s\nwant %s", h.n, i, st.name, h.saw[i], saw)
		}
		if err != nil {
			return nil
		}
	}
	return nil
}

// runSerially starts the transactions at once and wants what they saw to be
// what they would have seen one after the other, in the order of the counter.
// It returns the model's state after them.
func runSerially[S any](rt *rapid.T, s kv.Store, counter []byte, ts []transaction[S], state S, clone func(S) S) S {
	hs := make([]*history[S], len(ts))
	errs := make([]error, len(ts))
	var wg sync.WaitGroup
	for i, t := range ts {
		hs[i] = &history[S]{transaction: t}
		wg.Go(func() { errs[i] = hs[i].run(s, counter) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		rt.Fatal(err)
	}
	slices.SortFunc(hs, func(a, b *history[S]) int {
		switch {
		case a.n != b.n:
			return int(a.n) - int(b.n)
		case a.err != nil && b.err == nil: // a failed one saw what the nth started from
			return -1
		case a.err == nil && b.err != nil:
			return 1
		}
		return 0
	})
	for _, h := range hs {
		next := clone(state)
		if err := h.replay(next); err != nil {
			rt.Fatal(err)
		}
		if h.err == nil {
			state = next
		}
	}
	return state
}
