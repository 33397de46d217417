package bolt

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"edgesvc.dev/svc/kv"
)

// hold keeps the writer busy until release is called. What is queued meanwhile
// ends up in one commit.
func hold(t *testing.T, s *Store) (release func()) {
	t.Helper()
	running, open := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.Update(context.Background(), func(kv.Tx) error { close(running); <-open; return nil })
	})
	<-running
	return func() { close(open); wg.Wait() }
}

// waitQueue returns when n Updates wait.
func waitQueue(s *Store, n int) {
	for s.queue.length() != n {
		runtime.Gosched()
	}
}

func TestWaitingUpdateCanBeCancelled(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	release := hold(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error, 1)
	var wg sync.WaitGroup
	wg.Go(func() { result <- s.Update(ctx, put("waiting", "1")) })
	waitQueue(s, 1)
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while it waited: %v", err)
	}
	release()
	wg.Wait()
	if v := get(t, s, "waiting"); v != "" {
		t.Error("a cancelled Update ran")
	}
}

func TestTakenUpdateWaitsForItsOutcome(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	err := s.Update(ctx, func(tx kv.Tx) error {
		cancel()
		return tx.Put([]byte("taken"), []byte("1"))
	})
	if v := get(t, s, "taken"); err != nil || v != "1" {
		t.Errorf("cancelled while it ran: %v, stored %q", err, v)
	}
}

func TestOneCommitForAllThatWait(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	release := hold(t, s)
	before := s.Stats()
	var wg sync.WaitGroup
	var order []string
	for i := range 50 {
		wg.Go(func() {
			err := s.Update(context.Background(), func(tx kv.Tx) error {
				tx.OnCommit(func() { order = append(order, fmt.Sprint(i)) })
				if i == 10 {
					return errors.New("no")
				}
				_, err := kv.Next(tx, []byte("n"))
				return err
			})
			if (err != nil) != (i == 10) {
				t.Error(i, err)
			}
		})
		waitQueue(s, i+1)
	}
	release()
	wg.Wait()
	after := s.Stats()
	if n := after.Commits - before.Commits; n != 1 {
		t.Errorf("%d commits for 50 Updates that waited together", n)
	}
	if after.Functions-before.Functions != 51 || after.Failed-before.Failed != 1 || after.Queue != 0 {
		t.Errorf("stats %+v after %+v", after, before)
	}
	want := slices.DeleteFunc(strings.Fields(strings.Trim(fmt.Sprint(numbers(50)), "[]")), func(s string) bool { return s == "10" })
	if !slices.Equal(order, want) {
		t.Errorf("callbacks ran in the order %v", order)
	}
}

func numbers(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

func TestLargeQueueIsSplit(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	release := hold(t, s)
	large := strings.Repeat("x", maxBytes/4)
	var wg sync.WaitGroup
	const n = 11
	for i := range n {
		wg.Go(func() {
			if err := s.Update(context.Background(), put(fmt.Sprint("large", i), large)); err != nil {
				t.Error(err)
			}
		})
		waitQueue(s, i+1)
	}
	release()
	wg.Wait()
	if c := s.Stats().Commits; c != 3 {
		t.Errorf("%d commits for %d functions of a quarter of the limit each; want 3", c, n)
	}
	for i := range n {
		if v := get(t, s, fmt.Sprint("large", i)); v != large {
			t.Errorf("value %d has %d bytes", i, len(v))
		}
	}
}

func TestCloseAnswersThoseThatWait(t *testing.T) {
	s := open(t, Options{})
	release := hold(t, s)
	result := make(chan error, 1)
	var wg sync.WaitGroup
	wg.Go(func() { result <- s.Update(context.Background(), put("a", "1")) })
	waitQueue(s, 1)
	wg.Go(func() { closeStore(t, s) })
	if err := <-result; !errors.Is(err, kv.ErrClosed) {
		t.Errorf("Update that waited during Close: %v", err)
	}
	release()
	wg.Wait()
	closeStore(t, s) // again
}

func TestTransactionEndsWithItsFunction(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	var kept kv.Tx
	if err := s.Update(context.Background(), func(tx kv.Tx) error { kept = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	_, err := kept.Get([]byte("a"))
	for _, err := range []error{err, kept.Put([]byte("a"), []byte("1")), kept.Scan(kv.Range{}, nil)} {
		if !errors.Is(err, errTxEnded) {
			t.Errorf("use after the function: %v", err)
		}
	}
}

func TestWritesThatBboltCannotTake(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	for what, fn := range map[string]func(kv.Tx) error{
		"empty key": put("", "1"),
		"long key":  put(strings.Repeat("k", 40000), "1"),
		"in a scan": func(tx kv.Tx) error {
			return errors.Join(put("a", "1")(tx), tx.Scan(kv.Range{}, func(_, _ []byte) error { return put("b", "1")(tx) }))
		},
	} {
		if err := s.Update(context.Background(), fn); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
	if err := s.Update(context.Background(), put("a", "2")); err != nil || s.Err() != nil {
		t.Errorf("afterwards: %v, %v", err, s.Err())
	}
}

// TestEndedGoroutine calls runtime.Goexit in an Update, as t.FailNow does.
func TestEndedGoroutine(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	if err := s.Update(context.Background(), func(kv.Tx) error { runtime.Goexit(); return nil }); err == nil {
		t.Error("Update succeeded")
	}
	<-s.Failed()
	if err := s.View(context.Background(), func(kv.Tx) error { return nil }); err == nil {
		t.Error("View works in a stopped store")
	}
}

func TestStatsShowOpenViews(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	nested := func(kv.Tx) error {
		return s.View(context.Background(), func(kv.Tx) error {
			if st := s.Stats(); st.Views != 2 || st.OldestView <= 0 {
				t.Errorf("inside two Views: %+v", st)
			}
			return nil
		})
	}
	if err := s.View(context.Background(), nested); err != nil {
		t.Fatal(err)
	}
	if st := s.Stats(); st.Views != 0 || st.OldestView != 0 || st.Used == 0 {
		t.Errorf("outside: %+v", st)
	}
}

// TestReadersSeeOnlyDurableData stops a store between the moment when bbolt
// shows a commit and the end of its sync.
func TestReadersSeeOnlyDurableData(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	if err := s.Update(context.Background(), put("a", "1")); err != nil {
		t.Fatal(err)
	}
	s.syncing.Lock() // as the writer holds it
	s.durable.Add(-1)
	var entered atomic.Bool
	result := make(chan error, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		result <- s.View(context.Background(), func(kv.Tx) error { entered.Store(true); return nil })
	})
	for s.db.Stats().OpenTxN == 0 && !entered.Load() {
		runtime.Gosched()
	}
	broken := errors.New("the sync failed")
	s.fail(broken)
	s.syncing.Unlock()
	if err := <-result; !errors.Is(err, broken) || entered.Load() {
		t.Errorf("View: %v, ran %v", err, entered.Load())
	}
	wg.Wait()
	if err := s.Update(context.Background(), put("a", "2")); !errors.Is(err, broken) || !errors.Is(s.Err(), broken) {
		t.Errorf("Update of a stopped store: %v, %v", err, s.Err())
	}
}
