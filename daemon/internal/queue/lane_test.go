package queue_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"edgesvc.dev/svc/daemon/internal/queue"
	"edgesvc.dev/svc/kv"
)

// Work of RunTx happens with the item that it is for, or not at all.
func TestRunTxTakesItemsWithTheirEffects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		q := queue.New(b.store, "work", queue.Options{
			Attempts: 3, Delay: func(attempt int) time.Duration { return time.Duration(attempt) * time.Minute },
			Dead: func(tx kv.Tx, it queue.Item, reason string) error {
				tx.OnCommit(func() { b.note("dead %s after %d: %s", it.ID, it.Attempt, reason) })
				return nil
			},
		})
		start := time.Now()
		effect := func(tx kv.Tx, it queue.Item) error {
			if _, err := kv.Next(tx, kv.Key("effects", it.ID)); err != nil {
				return err
			}
			attempt, at := it.Attempt, time.Since(start).Round(time.Minute)
			switch {
			case it.ID == "bad":
				return errors.New("no")
			case it.ID == "panics":
				panic("boom")
			case it.ID == "again" && attempt == 1 && at == 0:
				tx.OnCommit(func() { b.note("again at %v", at) })
				return q.Add(tx, it, time.Now().Add(time.Hour))
			case it.ID == "again":
				tx.OnCommit(func() { b.note("again at %v", at) })
			}
			return nil
		}
		for i := range 50 {
			b.add(q, "team_a", fmt.Sprintf("i%02d", i), 0)
		}
		for _, id := range []string{"bad", "panics", "again"} {
			b.add(q, "team_a", id, 0)
		}
		b.add(q, "team_a", "later", 30*time.Minute)
		ctx, cancel := context.WithCancel(t.Context())
		b.stops = append(b.stops, cancel)
		b.wg.Go(func() { q.RunTx(ctx, 8, effect) })
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		b.want("again at 0s", "dead bad after 3: no", "dead panics after 3: panic: boom", "again at 1h0m0s")
		b.update(func(tx kv.Tx) error {
			for id, want := range map[string]uint64{"i00": 1, "i49": 1, "later": 1, "again": 2, "bad": 0, "panics": 0} {
				if n, err := kv.Count(tx, kv.Key("effects", id)); n != want || err != nil {
					t.Errorf("%d effects of %s, %v; want %d", n, id, err, want)
				}
			}
			letters, err := q.Dead(tx, 10)
			if len(letters) != 2 {
				t.Errorf("%+v", letters)
			}
			return err
		})
	})
}

// However much one team has to do, another team's item is among the next.
func TestFairQueuesSeeEveryTeam(t *testing.T) {
	for _, c := range []struct {
		name    string
		workers int
		within  int // claims after which every small team has had its turn
	}{{"one worker", 1, 8}, {"eight workers", 8, 16}} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			q := queue.New(b.store, "work", queue.Options{Fair: true})
			due := time.Now()
			b.update(func(tx kv.Tx) error {
				for i := range 600 { // more than a claim looks at, all due before the others
					it := queue.Item{ID: fmt.Sprintf("f%03d", i), Team: "team_flood"}
					if err := q.Add(tx, it, due.Add(-time.Hour)); err != nil {
						return err
					}
				}
				for _, team := range []string{"team_a", "team_m", "team_z"} {
					if err := q.Add(tx, queue.Item{ID: team, Team: team}, due); err != nil {
						return err
					}
				}
				return nil
			})
			begun, next := make(chan string), make(chan struct{})
			b.run(q, c.workers, func(ctx context.Context, claim queue.Claim) error {
				select {
				case begun <- claim.Team:
				case <-ctx.Done():
					return ctx.Err()
				}
				select {
				case <-next:
				case <-ctx.Done():
					return ctx.Err()
				}
				return b.store.Update(ctx, func(tx kv.Tx) error { return q.Finish(tx, claim) })
			})
			small := 0
			for i := 1; small < 3; i++ {
				if team := <-begun; team != "team_flood" {
					small++
				}
				if i > c.within {
					t.Fatalf("after %d claims %d of 3 small teams had their turn", i, small)
				}
				if i >= c.workers {
					next <- struct{}{}
				}
			}
			b.stop()
		})
	}
}

// A team has no more under way than its share, and the rest comes after.
func TestPerTeam(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		q := queue.New(b.store, "work", queue.Options{Fair: true, PerTeam: 2})
		for i := range 6 {
			b.add(q, "team_a", fmt.Sprint("a", i), 0)
		}
		b.add(q, "team_b", "b", 0)
		start := time.Now()
		b.run(q, 8, func(ctx context.Context, c queue.Claim) error {
			time.Sleep(time.Minute)
			return b.store.Update(ctx, func(tx kv.Tx) error {
				tx.OnCommit(func() { b.note("%s at %v", c.Team, time.Since(start)) })
				return q.Finish(tx, c)
			})
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		at := map[string]int{}
		for _, line := range b.log {
			at[line]++
		}
		want := map[string]int{"team_a at 1m0s": 2, "team_b at 1m0s": 1, "team_a at 2m0s": 2, "team_a at 3m0s": 2}
		if fmt.Sprint(at) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", at, want)
		}
	})
}

// countingStore counts the pairs that scans pass.
type countingStore struct {
	kv.Store
	pairs int
}

type countingTx struct {
	kv.Tx
	s *countingStore
}

func (s *countingStore) Update(ctx context.Context, fn func(kv.Tx) error) error {
	return s.Store.Update(ctx, func(tx kv.Tx) error { return fn(countingTx{tx, s}) })
}

func (t countingTx) Scan(r kv.Range, fn func(key, value []byte) error) error {
	return t.Tx.Scan(r, func(k, v []byte) error { t.s.pairs++; return fn(k, v) })
}

// Reclaim frees what is leased and looks at nothing that is due later.
func TestReclaimLooksNoFurtherThanLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		counting := &countingStore{Store: b.store}
		q := queue.New(counting, "work", queue.Options{})
		b.update(func(tx kv.Tx) error {
			for i := range 2000 {
				if err := q.Add(tx, queue.Item{ID: fmt.Sprint("later", i)}, time.Now().Add(time.Hour)); err != nil {
					return err
				}
			}
			return q.Add(tx, queue.Item{ID: "x"}, time.Now())
		})
		dying := queue.New(b.store, "work", queue.Options{})
		b.run(dying, 1, func(ctx context.Context, _ queue.Claim) error {
			<-ctx.Done()
			return queue.ErrLost // a dead process settles nothing
		})
		synctest.Wait()
		b.stop()
		counting.pairs = 0
		if err := q.Reclaim(t.Context()); err != nil {
			t.Fatal(err)
		}
		if counting.pairs > 10 {
			t.Errorf("%d pairs were read for one lease", counting.pairs)
		}
		b.run(q, 1, b.finish(q, time.Now()))
		synctest.Wait()
		b.want(" at 0s")
	})
}

// Touching adds, brings forward, and has a worker's item come back at once.
func TestTouchAndYield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		q := queue.New(b.store, "lane", queue.Options{})
		touch := func(id string, in time.Duration) {
			b.update(func(tx kv.Tx) error {
				return q.Touch(tx, queue.Item{ID: id, Payload: []byte("p-" + id)}, time.Now().Add(in))
			})
		}
		touch("forward", time.Hour)
		touch("forward", time.Minute)
		touch("forward", 2*time.Hour) // no later
		touch("busy", 0)
		start := time.Now()
		b.run(q, 4, func(ctx context.Context, c queue.Claim) error {
			at := time.Since(start)
			time.Sleep(10 * time.Second)
			return b.store.Update(ctx, func(tx kv.Tx) error {
				tx.OnCommit(func() { b.note("%s attempt %d at %v", c.Payload, c.Attempt, at) })
				due := time.Time{}
				if c.ID == "busy" && at < time.Minute {
					due = start.Add(30 * time.Minute)
				}
				return q.Yield(tx, c, due)
			})
		})
		time.Sleep(5 * time.Second)
		touch("busy", time.Hour) // while it is worked on
		touch("busy", 0)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		b.want("p-busy attempt 1 at 0s", "p-busy attempt 1 at 10s", "p-forward attempt 1 at 1m0s", "p-busy attempt 1 at 30m0s")
		b.update(func(tx kv.Tx) error {
			if n, err := q.Depth(tx, 9); n != 0 || err != nil {
				t.Errorf("%d items are left, %v", n, err)
			}
			return nil
		})
	})
}

// A lane whose claim was taken away cannot be given back.
func TestYieldNeedsTheClaim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		q := queue.New(b.store, "lane", queue.Options{})
		b.add(q, "", "x", 0)
		b.run(q, 1, func(ctx context.Context, c queue.Claim) error {
			b.update(func(tx kv.Tx) error { return q.Remove(tx, "x") })
			err := b.store.Update(ctx, func(tx kv.Tx) error { return q.Yield(tx, c, time.Now()) })
			b.note("%v", err)
			return err
		})
		synctest.Wait()
		b.want(queue.ErrLost.Error())
	})
}

// After a step back of the clock, what was due is done at once, what was to come
// after a while comes after that while, and what has its time keeps it.
func TestAClockThatIsSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		var ahead time.Duration // of the clock that the queue is told
		options := queue.Options{Attempts: 5, Delay: func(int) time.Duration { return 10 * time.Minute }, Now: func() time.Time {
			b.mu.Lock()
			defer b.mu.Unlock()
			return time.Now().Add(ahead)
		}}
		set := func(d time.Duration) {
			b.mu.Lock()
			defer b.mu.Unlock()
			ahead = d
		}
		q := queue.New(b.store, "work", options)
		set(time.Hour)
		start := time.Now()
		work := func(ctx context.Context, c queue.Claim) error {
			if c.ID == "retried" && c.Attempt == 1 {
				return errors.New("not yet")
			}
			return b.finish(q, start)(ctx, c)
		}
		b.add(q, "team_a", "retried", 0)
		b.run(q, 1, work)
		synctest.Wait()
		b.stop()
		b.update(func(tx kv.Tx) error { // with the clock that is ahead
			if err := q.Add(tx, queue.Item{ID: "now", Payload: []byte("p-now")}, options.Now()); err != nil {
				return err
			}
			return q.Add(tx, queue.Item{ID: "named", Payload: []byte("p-named")}, start.Add(90*time.Minute))
		})
		set(0)
		b.run(q, 1, work)
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		b.want("p-now at 0s", "p-retried at 10m0s", "p-named at 1h30m0s")
	})
}
