package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"edgesvc.dev/svc/kv"
)

// Rows hold times of the wall clock. When that is set back, what was due would
// stay undone until it has caught up. So each queue notes the latest time that it
// has seen; when the clock is far behind that, what was to be done then, or after
// a while, is moved back with the clock. A time that somebody named stays.

// clockNote is the latest time that a queue has seen, in Unix milliseconds. Its
// id is the queue's name.
type clockNote struct {
	Seen int64 `json:"s"`
}

var clocks = kv.NewTable[clockNote]("queueclock")

const (
	// noteEvery is how far the noted time lags: noting it costs a write.
	noteEvery = time.Minute
	// stepBack is the step that is noticed for sure.
	stepBack = noteEvery + 5*time.Second
)

// errStepped ends a claim: the clock was set back.
var errStepped = errors.New("queue: the clock was set back")

// checkClock fails with errStepped when the clock was set back.
func (q *Queue) checkClock(tx kv.Tx) error {
	c, err := clocks.Get(tx, daemon, q.name)
	if missing(err) {
		return nil
	}
	if err == nil && q.now() < c.Seen-stepBack.Milliseconds() {
		err = errStepped
	}
	return err
}

// noteClock notes the time, in a transaction that takes items: a queue without
// work writes nothing.
func (q *Queue) noteClock(tx kv.Tx) error {
	now := q.now()
	c, err := clocks.Get(tx, daemon, q.name)
	switch {
	case missing(err):
		return clocks.Insert(tx, daemon, q.name, &clockNote{Seen: now})
	case err != nil || now <= c.Seen+noteEvery.Milliseconds():
		return err
	}
	return clocks.Put(tx, daemon, q.name, &clockNote{Seen: now})
}

const rebasePage = 500

// rebase moves the rows that a clock further ahead has written.
func (q *Queue) rebase(ctx context.Context) error {
	moved := 0
	var after []byte
	p := kv.Page[row]{Index: "due", Prefixes: [][]byte{kv.Key(q.name)}, Ascending: true, Limit: rebasePage, Budget: rebasePage}
	for more := true; more; {
		n := 0
		p.After = after
		err := q.store.Update(ctx, func(tx kv.Tx) error {
			n = 0
			res, err := q.list(tx, p)
			if err != nil {
				return err
			}
			for i, r := range res.Records {
				ahead := r.Set - q.now()
				if r.Named || ahead <= 0 {
					continue
				}
				n++
				r.Due -= ahead
				if err := q.put(tx, res.IDs[i], r); err != nil {
					return err
				}
			}
			if after, more = res.Next, res.More; more {
				return nil
			}
			return clocks.Put(tx, daemon, q.name, &clockNote{Seen: q.now()})
		})
		if err != nil {
			return fmt.Errorf("move queue %s back with the clock: %w", q.name, err)
		}
		moved += n
	}
	slog.WarnContext(ctx, "the clock was set back; work that waited is moved with it", "queue", q.name, "items", moved)
	return nil
}
