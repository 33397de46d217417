package budget_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"edgesvc.dev/svc/daemon/internal/budget"
)

// TestTake walks one budget of 100 bytes through holders that come and go.
func TestTake(t *testing.T) {
	b := budget.New(100)
	releases := map[string]func(){}
	for _, step := range []struct {
		what, holder string
		n            int64
		ok           bool
		inUse        int64
	}{
		{"a half", "a", 50, true, 50},
		{"more than half for one holder", "a", 1, false, 50},
		{"what does not fit", "b", 51, false, 50},
		{"the other half", "b", 50, true, 100},
		{"nothing left", "c", 1, false, 100},
		{"release", "a", 0, true, 50},
		{"release", "b", 0, true, 0},
		{"larger than all, alone", "c", 150, true, 150},
		{"beside it", "d", 1, false, 150},
		{"release", "c", 0, true, 0},
	} {
		if step.what == "release" {
			releases[step.holder]()
			releases[step.holder]() // the second changes nothing
		} else if release, ok := b.Take(step.holder, step.n); ok != step.ok {
			t.Fatalf("%s: %v", step.what, ok)
		} else if ok {
			releases[step.holder] = release
		}
		if b.InUse() != step.inUse {
			t.Fatalf("%s: %d bytes in use, want %d", step.what, b.InUse(), step.inUse)
		}
	}
}

// TestCharge counts an answer that exists already: it goes beyond the total, and
// what is asked for meanwhile is refused.
func TestCharge(t *testing.T) {
	b := budget.New(100)
	first, second := b.Charge("a", 80), b.Charge("a", 80)
	if _, ok := b.Take("b", 1); ok || b.InUse() != 160 {
		t.Fatal(ok, b.InUse())
	}
	first()
	if release, ok := b.Take("b", 20); !ok {
		t.Fatal("80 are in use")
	} else {
		release()
	}
	second()
	if b.InUse() != 0 {
		t.Fatal(b.InUse())
	}
}

// TestTotalHoldsForAll lets many ask at once.
func TestTotalHoldsForAll(t *testing.T) {
	const total, piece = 1000, 30
	b := budget.New(total)
	var all sync.WaitGroup
	var taken atomic.Int64
	for i := range 16 {
		all.Go(func() {
			for range 500 {
				release, ok := b.Take(string(rune('a'+i)), piece)
				if now := b.InUse(); now > total {
					t.Errorf("%d bytes in use", now)
				}
				if ok {
					taken.Add(1)
					release()
				}
			}
		})
	}
	all.Wait()
	if b.InUse() != 0 || taken.Load() == 0 {
		t.Fatal(b.InUse(), taken.Load())
	}
}

// TestRunCollects lets a body of half the budget go and waits for the collector
// to have looked.
func TestRunCollects(t *testing.T) {
	b := budget.New(1 << 10)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { b.Run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })

	collected := make(chan struct{})
	body := new([1 << 20]byte)
	runtime.AddCleanup(body, func(struct{}) { close(collected) }, struct{}{})
	release, ok := b.Take("a", 512)
	if !ok {
		t.Fatal("no room")
	}
	runtime.KeepAlive(body)
	release()
	<-collected
}

func TestSize(t *testing.T) {
	for memory, want := range map[int64]int64{0: 64 << 20, 96 << 20: 12 << 20, 256 << 20: 32 << 20, 8 << 30: 64 << 20} {
		if got := budget.Size(memory); got != want {
			t.Errorf("%d of memory: %d, want %d", memory, got, want)
		}
	}
}
