package event

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Wake returns a channel that gets a token after commits that appended events:
// one token may stand for many commits. The returned func ends it.
func (l *Log) Wake() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiters[ch] = struct{}{}
	return ch, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.waiters, ch)
	}
}

func (l *Log) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for ch := range l.waiters {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// cursor is how far a consumer has come.
type cursor struct {
	Sequence uint64 `json:"s"`
}

// cursors belong to the daemon, not to a team.
var cursors = kv.NewTable[cursor]("eventcursor")

const (
	followBatch = 256
	retryFirst  = 100 * time.Millisecond
	retryLast   = time.Minute
)

// noteEvery is how many events that a consumer does not want pass before its
// position is noted all the same: they are what it passes over again after a
// start. Noting each would double the commits of those who write.
const noteEvery = 20_000

// Follow calls fn with batches of the log in order, from where the consumer of
// that name left off; a new one begins at the oldest event that is kept. With
// patterns, as Match reads them, it gets only the events that one of them means. Each
// event is handed over at least once: again when fn fails, after a pause that
// grows to a minute, and again after a crash between fn and the note that it is
// done. Follow returns when ctx ends, with its error, or when the store fails.
// A consumer is followed by one call at a time. An event that cannot be read is
// left out.
func (l *Log) Follow(ctx context.Context, consumer string, fn func(context.Context, []api.Event) error, patterns ...string) error {
	woken, cancel := l.Wake()
	defer cancel()
	after, err := l.cursor(ctx, consumer)
	if err != nil {
		return fmt.Errorf("follow events as %s: %w", consumer, err)
	}
	pause, noted := retryFirst, after
	for {
		batch, last, err := l.next(ctx, after)
		if err != nil {
			return fmt.Errorf("follow events as %s: %w", consumer, err)
		}
		if last == after {
			if err := wait(ctx, woken); err != nil {
				return err
			}
			continue
		}
		batch = l.wanted(batch, patterns)
		if len(batch) == 0 && last-noted < noteEvery {
			after = last
			continue
		}
		if err := call(ctx, fn, batch); err != nil {
			slog.WarnContext(ctx, "consumer of events failed, trying again", "consumer", consumer, "after", after, "pause", pause, "err", err)
			if err := wait(ctx, time.After(pause)); err != nil {
				return err
			}
			pause = min(2*pause, retryLast)
			continue
		}
		pause = retryFirst
		after, noted = last, last
		if err := l.advance(ctx, consumer, after); err != nil {
			return fmt.Errorf("follow events as %s: %w", consumer, err)
		}
	}
}

// Tail calls fn with each event that one of the patterns means, from those that
// follow its call on, in every process that tails. Nothing is kept of how far it
// has come. It returns when ctx ends, or when the store fails.
func (l *Log) Tail(ctx context.Context, fn func(api.Event), patterns ...string) error {
	woken, cancel := l.Wake()
	defer cancel()
	var after uint64
	err := l.store.View(ctx, func(tx kv.Tx) (err error) {
		after, err = l.Last(tx)
		return err
	})
	for err == nil {
		var batch []api.Event
		before := after
		if batch, after, err = l.next(ctx, before); err != nil {
			break
		}
		if after == before {
			err = wait(ctx, woken)
			continue
		}
		for _, e := range l.wanted(batch, patterns) {
			fn(e)
		}
	}
	return fmt.Errorf("tail events: %w", err)
}

// wanted are the events that a pattern means, or all without any. They are the
// caller's; batch is shared.
func (l *Log) wanted(batch []api.Event, patterns []string) (own []api.Event) {
	for _, e := range batch {
		if len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return l.Match(p, e.Type) }) {
			own = append(own, e)
		}
	}
	return own
}

func call(ctx context.Context, fn func(context.Context, []api.Event) error, batch []api.Event) error {
	if len(batch) == 0 {
		return nil
	}
	return fn(ctx, batch)
}

func wait[T any](ctx context.Context, ch <-chan T) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-ch:
		return nil
	}
}

// page is a part of the log: the events that follow a position.
type page struct {
	after, last uint64
	events      []api.Event
}

// next returns the events that follow a position, and the position of the last.
// Consumers that have come to the end wake together and ask for the same: what
// was read for the first serves all. They must not change it.
func (l *Log) next(ctx context.Context, after uint64) (batch []api.Event, last uint64, err error) {
	l.reading.Lock()
	defer l.reading.Unlock()
	known := page{after: after, last: after}
	if l.newest.after == after {
		known = l.newest
	}
	if len(known.events) >= followBatch {
		return known.events, known.last, nil
	}
	err = l.store.View(ctx, func(tx kv.Tx) (err error) {
		batch, last, err = l.Read(tx, known.last, followBatch-len(known.events))
		return err
	})
	if err != nil {
		return nil, after, err
	}
	known = page{after, last, append(slices.Clip(known.events), batch...)}
	if after >= l.newest.after {
		l.newest = known
	}
	return known.events, known.last, nil
}

func (l *Log) cursor(ctx context.Context, consumer string) (after uint64, err error) {
	err = l.store.View(ctx, func(tx kv.Tx) error {
		c, err := cursors.Get(tx, "", consumer)
		if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
			return nil
		}
		if err == nil {
			after = c.Sequence
		}
		return err
	})
	return after, err
}

func (l *Log) advance(ctx context.Context, consumer string, after uint64) error {
	return l.store.Update(ctx, func(tx kv.Tx) error {
		c := &cursor{Sequence: after}
		known, err := cursors.Exists(tx, "", consumer)
		if err != nil {
			return err
		}
		if known {
			return cursors.Put(tx, "", consumer, c)
		}
		return cursors.Insert(tx, "", consumer, c)
	})
}
