package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/queue"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/kvtest"
)

// bench is a store with workers on a queue. In a synctest bubble its clock is
// the bubble's.
type bench struct {
	t     *testing.T
	store kv.Store
	wg    conc.WaitGroup
	stops []context.CancelFunc

	mu  sync.Mutex
	log []string
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, store: kvtest.Twice(optest.Store(t))}
	t.Cleanup(b.stop)
	return b
}

func (b *bench) run(q *queue.Queue, workers int, h queue.Handler) {
	ctx, cancel := context.WithCancel(context.Background())
	b.stops = append(b.stops, cancel)
	b.wg.Go(func() { q.Run(ctx, workers, h) })
}

func (b *bench) stop() {
	for _, stop := range b.stops {
		stop()
	}
	b.stops = nil
	b.wg.Wait()
}

func (b *bench) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.log = append(b.log, fmt.Sprintf(format, args...))
}

func (b *bench) want(want ...string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Equal(b.log, want) {
		b.t.Errorf("got  %s\nwant %s", strings.Join(b.log, " | "), strings.Join(want, " | "))
	}
}

func (b *bench) update(fn func(kv.Tx) error) {
	b.t.Helper()
	if err := b.store.Update(context.Background(), fn); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) add(q *queue.Queue, team, id string, in time.Duration) {
	b.t.Helper()
	b.update(func(tx kv.Tx) error {
		return q.Add(tx, queue.Item{ID: id, Team: team, Payload: []byte("p-" + id)}, time.Now().Add(in))
	})
}

// finish is a handler that notes what it got and when, and is done.
func (b *bench) finish(q *queue.Queue, start time.Time) queue.Handler {
	return func(ctx context.Context, c queue.Claim) error {
		return b.store.Update(ctx, func(tx kv.Tx) error {
			tx.OnCommit(func() { b.note("%s at %v", c.Payload, time.Since(start)) })
			return q.Finish(tx, c)
		})
	}
}

func TestItemsRunWhenTheyAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		q := queue.New(b.store, "work", queue.Options{})
		b.run(q, 2, b.finish(q, time.Now()))
		b.add(q, "team_a", "late", time.Hour)
		b.add(q, "team_a", "now", 0)
		b.add(q, "team_a", "soon", time.Minute)
		b.add(q, "team_a", "moved", time.Minute)
		b.add(q, "team_a", "moved", 2*time.Minute)
		b.add(q, "team_a", "removed", time.Minute)
		b.update(func(tx kv.Tx) error { return q.Remove(tx, "removed") })
		b.update(func(tx kv.Tx) error { return q.Remove(tx, "never there") })
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		b.want("p-now at 0s", "p-soon at 1m0s", "p-moved at 2m0s", "p-late at 1h0m0s")
	})
}

// TestRowsThatCannotBeRead: one that is due first, and one of another team's, keep
// nothing else waiting: neither in the window of a fair queue nor beyond it, nor
// after a restart or a clock that was set back.
func TestRowsThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		start := time.Now()
		q := queue.New(b.store, "work", queue.Options{Fair: true})
		b.add(q, "team_a", "bad", 0)
		b.add(q, "team_b", "bad too", time.Minute)
		b.update(func(tx kv.Tx) error {
			return errors.Join(kvtest.Damage(tx, kv.Key("queue", "r", "work/bad")), kvtest.Damage(tx, kv.Key("queue", "r", "work/bad too")))
		})
		b.update(func(tx kv.Tx) (err error) {
			for i := range 300 {
				err = errors.Join(err, q.Add(tx, queue.Item{ID: fmt.Sprintf("a%03d", i), Team: "team_a"}, time.Now().Add(time.Second)))
			}
			return err
		})
		b.add(q, "team_b", "b", time.Second)
		time.Sleep(time.Second)
		if err := q.Reclaim(t.Context()); err != nil {
			t.Error(err)
		}
		b.run(q, 2, b.finish(q, start))
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(b.log) != 301 || !slices.Contains(b.log, "p-b at 1s") {
			t.Errorf("%d items were worked on: %v", len(b.log), b.log)
		}
		b.update(func(tx kv.Tx) error {
			_, err := q.Depth(tx, 1000)
			return err
		})
	})
}

func TestFailuresAreRetriedAndThenBuried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		q := queue.New(b.store, "work", queue.Options{
			Attempts: 3, Delay: func(attempt int) time.Duration { return time.Duration(attempt) * time.Minute },
			Dead: func(tx kv.Tx, it queue.Item, reason string) error {
				tx.OnCommit(func() { b.note("dead %s %s", it.ID, reason) })
				return nil
			},
		})
		start := time.Now()
		b.run(q, 1, func(_ context.Context, c queue.Claim) error {
			b.note("try %d at %v", c.Attempt, time.Since(start))
			if c.Attempt == 2 {
				panic("boom")
			}
			return errors.New("no")
		})
		b.add(q, "team_a", "x", 0)
		time.Sleep(time.Hour)
		synctest.Wait()
		b.want("try 1 at 0s", "try 2 at 1m0s", "try 3 at 3m0s", "dead x no")
		b.update(func(tx kv.Tx) error {
			letters, err := q.Dead(tx, 10)
			if len(letters) != 1 || letters[0].ID != "x" || letters[0].Team != "team_a" || letters[0].Reason != "no" {
				t.Errorf("%+v", letters)
			}
			return err
		})
		b.add(q, "team_a", "x", 0) // adding it again brings it back
		synctest.Wait()
		b.want("try 1 at 0s", "try 2 at 1m0s", "try 3 at 3m0s", "dead x no", "try 1 at 1h0m0s")
	})
}

// A worker that works for long keeps its lease.
func TestLongWorkIsNotDoneTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		q := queue.New(b.store, "work", queue.Options{})
		for range 2 {
			b.run(queue.New(b.store, "work", queue.Options{}), 1, func(ctx context.Context, c queue.Claim) error {
				b.note("start")
				time.Sleep(5 * time.Minute)
				return b.store.Update(ctx, func(tx kv.Tx) error { return q.Finish(tx, c) })
			})
		}
		b.add(q, "team_a", "x", 0)
		time.Sleep(20 * time.Minute)
		synctest.Wait()
		b.want("start")
	})
}

// silentStore refuses every Update while it is on.
type silentStore struct {
	kv.Store
	on atomic.Bool
}

func (s *silentStore) Update(ctx context.Context, fn func(kv.Tx) error) error {
	if s.on.Load() {
		return errors.New("no word gets through")
	}
	return s.Store.Update(ctx, fn)
}

// A process that was stopped (SIGSTOP) loses its lease; what it does when it
// wakes up has no effect.
func TestAStalledWorkerCannotFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		silent := &silentStore{Store: b.store}
		stalled := queue.New(silent, "work", queue.Options{})
		q := queue.New(b.store, "work", queue.Options{})
		effects := 0
		effect := func(q *queue.Queue, c queue.Claim) error {
			return b.store.Update(context.Background(), func(tx kv.Tx) error {
				if err := q.Finish(tx, c); err != nil {
					return err
				}
				tx.OnCommit(func() { effects++ })
				return nil
			})
		}
		b.add(q, "team_a", "x", 0)
		b.run(stalled, 1, func(_ context.Context, c queue.Claim) error {
			silent.on.Store(true) // its renewals never come
			time.Sleep(time.Hour)
			err := effect(stalled, c)
			b.note("stalled: %v", err)
			return err
		})
		synctest.Wait()
		if err := q.Reclaim(context.Background()); err != nil { // as when its lease has run out
			t.Fatal(err)
		}
		b.run(q, 1, func(_ context.Context, c queue.Claim) error {
			time.Sleep(90 * time.Minute) // holds it when the other wakes up
			err := effect(q, c)
			b.note("attempt %d: %v", c.Attempt, err)
			return err
		})
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		b.want("stalled: "+queue.ErrLost.Error(), "attempt 2: <nil>")
		if effects != 1 {
			t.Errorf("%d effects", effects)
		}
	})
}

// The lease of a dead process runs out.
func TestAbandonedItemsBecomeDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		q := queue.New(b.store, "work", queue.Options{Attempts: 2, Dead: func(tx kv.Tx, it queue.Item, reason string) error {
			tx.OnCommit(func() { b.note("dead after %d", it.Attempt) })
			return nil
		}})
		b.add(q, "team_a", "x", 0)
		start := time.Now()
		for range 2 { // each claims and is never heard of again
			dying := queue.New(b.store, "work", queue.Options{})
			ctx, cancel := context.WithCancel(context.Background())
			b.stops = append(b.stops, cancel)
			claimed := make(chan struct{})
			b.wg.Go(func() {
				dying.Run(ctx, 1, func(ctx context.Context, c queue.Claim) error {
					b.note("claimed at %v", time.Since(start).Round(time.Minute))
					close(claimed)
					<-ctx.Done()
					return queue.ErrLost // a dead process settles nothing
				})
			})
			<-claimed
			cancel()
			time.Sleep(2 * time.Minute)
		}
		b.run(q, 1, b.finish(q, start))
		time.Sleep(time.Hour)
		synctest.Wait()
		b.want("claimed at 0s", "claimed at 2m0s", "dead after 2")
	})
}

// A worker that is told to stop gives its item back, and that is no attempt.
func TestStopGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		q := queue.New(b.store, "work", queue.Options{})
		b.add(q, "team_a", "x", 0)
		b.run(q, 1, func(ctx context.Context, c queue.Claim) error {
			b.note("attempt %d", c.Attempt)
			<-ctx.Done()
			return ctx.Err()
		})
		synctest.Wait()
		b.stop()
		b.run(q, 1, func(ctx context.Context, c queue.Claim) error {
			b.note("attempt %d", c.Attempt)
			return b.store.Update(ctx, func(tx kv.Tx) error { return q.Finish(tx, c) })
		})
		synctest.Wait()
		b.want("attempt 1", "attempt 1")
	})
}

// The context of the work ends when the item is taken away.
func TestRemovedWhileWorkedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		q := queue.New(b.store, "work", queue.Options{})
		b.add(q, "team_a", "x", 0)
		b.run(q, 1, func(ctx context.Context, c queue.Claim) error {
			<-ctx.Done()
			b.note("%v", context.Cause(ctx))
			return ctx.Err()
		})
		synctest.Wait()
		b.update(func(tx kv.Tx) error { return q.Remove(tx, "x") })
		time.Sleep(time.Minute)
		synctest.Wait()
		b.want(queue.ErrLost.Error())
	})
}

// An item that is added anew while it is worked on is another one.
func TestReplacedWhileWorkedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		q := queue.New(b.store, "work", queue.Options{})
		b.add(q, "team_a", "x", 0)
		b.run(q, 1, func(ctx context.Context, c queue.Claim) error {
			time.Sleep(time.Second)
			err := b.store.Update(ctx, func(tx kv.Tx) error { return q.Finish(tx, c) })
			b.note("%v", err)
			return err
		})
		synctest.Wait()
		b.add(q, "team_a", "x", 0)
		other := queue.New(b.store, "work", queue.Options{})
		b.run(other, 1, func(context.Context, queue.Claim) error {
			time.Sleep(time.Minute)
			return queue.ErrLost
		})
		time.Sleep(10 * time.Second)
		synctest.Wait()
		b.want(queue.ErrLost.Error())
	})
}

// One team's flood does not keep the others waiting: the next worker to be free
// takes the other team's item.
func TestTeamsShareTheWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		q := queue.New(b.store, "work", queue.Options{})
		for i := range 20 {
			b.add(q, "team_flood", fmt.Sprintf("f%02d", i), 0)
		}
		begun, next := make(chan string), make(chan struct{})
		b.run(q, 2, func(ctx context.Context, c queue.Claim) error {
			begun <- c.Team
			select {
			case <-next:
			case <-ctx.Done():
				return ctx.Err()
			}
			return b.store.Update(ctx, func(tx kv.Tx) error { return q.Finish(tx, c) })
		})
		for range 2 {
			if team := <-begun; team != "team_flood" {
				t.Error(team)
			}
		}
		b.add(q, "team_small", "s", 0) // while two of the flood are at work
		next <- struct{}{}
		if team := <-begun; team != "team_small" {
			t.Errorf("the worker that came free took an item of %s", team)
		}
		b.stop()
	})
}

// Items of one queue are invisible to another.
func TestQueuesAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		one, two := queue.New(b.store, "one", queue.Options{}), queue.New(b.store, "two", queue.Options{})
		b.add(one, "team_a", "x", 0)
		b.run(two, 1, b.finish(two, time.Now()))
		time.Sleep(time.Minute)
		synctest.Wait()
		b.want()
		b.update(func(tx kv.Tx) error {
			if n, err := one.Depth(tx, 10); n != 1 || err != nil {
				t.Error(n, err)
			}
			return nil
		})
	})
}

// Every item runs exactly once however many workers there are.
func TestManyWorkers(t *testing.T) {
	b := newBench(t)
	q := queue.New(b.store, "work", queue.Options{})
	for i := range 100 {
		b.add(q, fmt.Sprintf("team_%d", i%5), fmt.Sprintf("i%d", i), 0)
	}
	done := make(chan string, 200)
	for range 3 {
		b.run(queue.New(b.store, "work", queue.Options{}), 4, func(ctx context.Context, c queue.Claim) error {
			return b.store.Update(ctx, func(tx kv.Tx) error {
				tx.OnCommit(func() { done <- c.ID })
				return q.Finish(tx, c)
			})
		})
	}
	seen := map[string]bool{}
	for range 100 {
		seen[<-done] = true
	}
	b.stop()
	if len(seen) != 100 || len(done) != 0 {
		t.Errorf("%d items ran, %d more than once", len(seen), len(done))
	}
}
