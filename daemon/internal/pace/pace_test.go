package pace_test

import (
	"strconv"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/pace"
)

func TestTake(t *testing.T) {
	l := pace.New[string](3, time.Second, 100)
	now := time.Now()
	for i, want := range []pace.State{
		{Left: 2, Full: time.Second}, {Left: 1, Full: 2 * time.Second}, {Left: 0, Full: 3 * time.Second},
		{Wait: time.Second, Full: 3 * time.Second}, {Wait: time.Second, Full: 3 * time.Second},
	} {
		if got := l.TakeAt("a", now); got != want {
			t.Errorf("%d: %+v, want %+v", i, got, want)
		}
	}
	if got := l.TakeAt("b", now); got.Wait != 0 || got.Left != 2 {
		t.Errorf("another key: %+v", got)
	}
	for i, row := range []struct {
		after time.Duration
		want  pace.State
	}{
		{400 * time.Millisecond, pace.State{Wait: 600 * time.Millisecond, Full: 2600 * time.Millisecond}},
		{time.Second, pace.State{Left: 0, Full: 3 * time.Second}},
		{2500 * time.Millisecond, pace.State{Left: 0, Full: 2500 * time.Millisecond}},
		{time.Hour, pace.State{Left: 2, Full: time.Second}},
	} {
		if got := l.TakeAt("a", now.Add(row.after)); got != row.want {
			t.Errorf("later %d: %+v, want %+v", i, got, row.want)
		}
	}
}

func TestSpent(t *testing.T) {
	l := pace.New[string](2, time.Hour, 100)
	for i, want := range []bool{false, false, true, true} {
		if got := l.Spent("a"); got != want {
			t.Errorf("after %d: %v", i, got)
		}
		l.Take("a")
	}
	l.TakeAt("b", time.Now().Add(-3*time.Hour))
	if l.TakeAt("b", time.Now().Add(-2*time.Hour)); l.Spent("b") {
		t.Error("what was used up is there again")
	}
	if l.Spent("c") || l.Len() != 2 {
		t.Error("asking counts")
	}
}

func TestForgetsKeysThatAreFullAgain(t *testing.T) {
	l := pace.New[int](1, time.Second, 1<<20)
	now := time.Now()
	for i := range 200_000 {
		l.TakeAt(i, now.Add(time.Duration(i)*time.Millisecond)) // 1,000 at a time are not full
	}
	if n := l.Len(); n > 10_000 {
		t.Errorf("%d keys are remembered", n)
	}
}

// A stranger who makes up keys, however many, takes bounded memory and does not
// set free a key that is used up.
func TestMadeUpKeysDoNotSetFree(t *testing.T) {
	const keys = 1 << 12
	l := pace.New[string](10, time.Minute, keys)
	now := time.Now()
	for range 10 {
		l.TakeAt("chosen", now)
	}
	for i := range 50 * keys {
		l.TakeAt(strconv.Itoa(i), now)
	}
	if n := l.Len(); n > keys {
		t.Errorf("%d keys are remembered, want at most %d", n, keys)
	}
	if got := l.TakeAt("chosen", now); got.Wait != time.Minute {
		t.Errorf("the key that is used up may go on: %+v", got)
	}
}

func BenchmarkTake(b *testing.B) {
	l := pace.New[string](1<<30, time.Nanosecond, 1<<12)
	for b.Loop() {
		l.Take("key_01h0000000000000000000000")
	}
}

func BenchmarkTakeMadeUp(b *testing.B) {
	l := pace.New[int](10, time.Minute, 1<<12)
	for i := 0; b.Loop(); i++ {
		l.Take(i)
	}
}
