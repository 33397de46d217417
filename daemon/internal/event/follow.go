package event

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
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
		batch, last, err := l.next(ctx, after, patterns)
		if err != nil {
			return fmt.Errorf("follow events as %s: %w", consumer, err)
		}
		if last == after {
			if err := wait(ctx, woken); err != nil {
				return err
			}
			continue
		}
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
		if batch, after, err = l.next(ctx, before, patterns); err != nil {
			break
		}
		if after == before {
			err = wait(ctx, woken)
			continue
		}
		for _, e := range batch {
			fn(e)
		}
	}
	return fmt.Errorf("tail events: %w", err)
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

// next returns the events behind a position that a pattern means, of those that
// one batch looks at, and the position of the last that it looked at. Most
// consumers want few of the events: the others are not decoded but for their type.
func (l *Log) next(ctx context.Context, after uint64, patterns []string) (batch []api.Event, last uint64, err error) {
	return l.take(ctx, after, func(h head) bool { return l.wanted(h.Type, patterns) })
}

// take is next for events whose heads are wanted.
func (l *Log) take(ctx context.Context, after uint64, wanted func(head) bool) (batch []api.Event, last uint64, err error) {
	heads, err := l.behind(ctx, after)
	if err != nil {
		return nil, after, err
	}
	last = after
	var meant []head
	for _, h := range heads {
		last = h.position
		if wanted(h) {
			meant = append(meant, h)
		}
	}
	if len(meant) == 0 {
		return nil, last, nil
	}
	err = l.store.View(ctx, func(tx kv.Tx) error {
		for _, h := range meant {
			r, err := events.Get(tx, h.team, recordID(h.position))
			if damaged, ok := errors.AsType[*kv.CorruptError](err); ok {
				op.Unreadable(damaged)
				continue
			}
			if _, gone := errors.AsType[*kv.NotFoundError](err); gone {
				continue // deleted since, by age
			}
			if err != nil {
				return err
			}
			batch = append(batch, l.event(r, h.team, recordID(h.position)))
		}
		return nil
	})
	return batch, last, err
}

// behind returns the heads of up to a batch of events that follow a position.
// Consumers near the end of the log wake together and ask for the same: what was
// read for the first of them serves the others.
func (l *Log) behind(ctx context.Context, after uint64) ([]head, error) {
	l.reading.Lock()
	defer l.reading.Unlock()
	if n := len(l.recent); n > 0 && after >= l.recentAfter && after < l.recent[n-1].position {
		i, _ := slices.BinarySearchFunc(l.recent, after+1, func(h head, position uint64) int { return cmp.Compare(h.position, position) })
		return slices.Clip(l.recent[i:]), nil
	}
	var read []head
	err := l.store.View(ctx, func(tx kv.Tx) error {
		last := after
		pass, skip := stepper(&last)
		_, err := heads.EachReadable(tx, recordID(after), followBatch, skip, func(team, id string, h *head) error {
			if err := pass(id); err != nil {
				return err
			}
			read = append(read, head{Type: h.Type, team: team, position: last})
			return nil
		})
		if passed := len(read) == 0 || read[len(read)-1].position < last; passed && last > after {
			read = append(read, head{position: last}) // unreadable ones at the end are looked at once
		}
		return err
	})
	if err == nil && len(read) > 0 && after >= l.recentAfter {
		l.recentAfter, l.recent = after, read
	}
	return read, err
}

// wanted says whether a pattern means an event of a type; without patterns all
// are meant.
func (l *Log) wanted(name string, patterns []string) bool {
	if name == "" {
		return false // an event that cannot be read
	}
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return l.Match(p, name) })
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
