package kvtest

import (
	"context"
	"errors"

	"edgesvc.dev/svc/kv"
)

// Twice is a store that runs every Update function twice and drops the first run,
// as a store may: a function that does not only change its transaction shows.
func Twice(s kv.Store) kv.Store { return twice{s} }

type twice struct{ kv.Store }

var errRehearsed = errors.New("only rehearsed")

func (s twice) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := s.Store.Update(ctx, func(tx kv.Tx) error {
		_ = recovered(func() { _ = fn(tx) }) // what it meets, the run meets again
		return errRehearsed
	})
	if !errors.Is(err, errRehearsed) {
		return err
	}
	return s.Store.Update(ctx, fn)
}

// Version implements kv.Versioned where the store does.
func (s twice) Version(tables ...string) (int64, bool) {
	if v, ok := s.Store.(kv.Versioned); ok {
		return v.Version(tables...)
	}
	return 0, false
}
