package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"edgesvc.dev/svc/kv"
)

// batchTime is how long a batch of RunTx may hold the store's only writer.
const batchTime = 3 * time.Millisecond

// RunTx works on the queue until ctx ends, for work that reaches nothing outside
// the store: fn runs inside the transaction that takes the item out, up to batch
// items in one commit and for about 3 ms, so each item's effects happen exactly
// once. fn may add the item again. When fn fails, nothing of its batch has
// happened: the items are tried one by one, and the failing one is retried later,
// or becomes a dead letter. As every Update function, fn may run several times.
func (q *Queue) RunTx(ctx context.Context, batch int, fn func(tx kv.Tx, it Item) error) {
	for ctx.Err() == nil {
		wait, err := q.runBatch(ctx, batch, fn)
		if err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "queue cannot run a batch", "queue", q.name, "err", err)
			wait = errorPause
		}
		if wait > 0 {
			q.sleep(ctx, wait)
		}
	}
}

// itemError is a failure of fn, not of the store.
type itemError struct {
	id  string
	err error
}

func (e *itemError) Error() string { return e.id + ": " + e.err.Error() }
func (e *itemError) Unwrap() error { return e.err }

// runBatch takes one batch. It returns how long there is nothing to do.
func (q *Queue) runBatch(ctx context.Context, batch int, fn func(kv.Tx, Item) error) (wait time.Duration, err error) {
	var done []Claim
	var next time.Time
	var look string
	served, from := q.turns.last()
	err = q.store.Update(ctx, func(tx kv.Tx) error {
		done, next = nil, time.Time{}
		if err := q.checkClock(tx); err != nil {
			return err
		}
		var due []waiting
		var err error
		if due, _, look, err = q.candidates(tx, from); err != nil {
			return err
		}
		begun := time.Now()
		for _, w := range share(due, batch, q.o.PerTeam, nil, served) {
			if len(done) > 0 && time.Since(begun) > batchTime {
				break
			}
			if err := q.runOne(tx, w, fn); err != nil {
				return err
			}
			done = append(done, Claim{Item: w.item(w.id)})
		}
		if len(done) > 0 {
			return q.noteClock(tx)
		}
		next, err = q.nextDue(tx)
		return err
	})
	switch failed, failing := errors.AsType[*itemError](err); {
	case errors.Is(err, errStepped):
		return 0, q.rebase(ctx)
	case failing:
		return 0, q.runSingly(ctx, failed.id, fn)
	case err != nil:
		return 0, fmt.Errorf("queue %s: %w", q.name, err)
	}
	q.turns.took(done, look)
	if len(done) > 0 {
		return 0, nil
	}
	return q.pause(next), nil
}

// runOne takes an item out and works on it.
func (q *Queue) runOne(tx kv.Tx, w waiting, fn func(kv.Tx, Item) error) error {
	it := w.item(w.id)
	it.Attempt++
	if err := rows.Delete(tx, daemon, q.rowID(w.id)); err != nil {
		return err
	}
	if err := guardedTx(tx, it, fn); err != nil {
		return &itemError{w.id, err}
	}
	return nil
}

func guardedTx(tx kv.Tx, it Item, fn func(kv.Tx, Item) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return fn(tx, it)
}

// runSingly works on an item that failed in a batch in a transaction of its own,
// and notes the failure when it fails there too.
func (q *Queue) runSingly(ctx context.Context, id string, fn func(kv.Tx, Item) error) error {
	err := q.store.Update(ctx, func(tx kv.Tx) error {
		w, err := q.dueNow(tx, id)
		if err != nil || w == nil {
			return err
		}
		return q.runOne(tx, *w, fn)
	})
	failed, failing := errors.AsType[*itemError](err)
	if !failing || errors.Is(err, kv.ErrFull) || errors.Is(err, kv.ErrClosed) || ctx.Err() != nil {
		return err
	}
	slog.WarnContext(ctx, "queue item failed", "queue", q.name, "item", id, "err", failed.err)
	return q.store.Update(ctx, func(tx kv.Tx) error {
		w, err := q.dueNow(tx, id)
		if err != nil || w == nil {
			return err
		}
		if w.Attempt++; w.Attempt >= q.o.Attempts {
			return q.bury(tx, id, w.row, failed.err.Error())
		}
		w.delay(q.o.Delay(w.Attempt), q.now())
		return q.put(tx, q.rowID(id), w.row)
	})
}

// dueNow is the item if it is due and nobody's; nil otherwise.
func (q *Queue) dueNow(tx kv.Tx, id string) (*waiting, error) {
	r, err := rows.Get(tx, daemon, q.rowID(id))
	if missing(err) || err == nil && (r.Leased || r.Dead != "" || r.Due > q.now()) {
		return nil, nil
	}
	return &waiting{id, r}, err
}
