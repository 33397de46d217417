package live_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/live"
	"edgesvc.dev/svc/sdk/api"
)

// TestBoxIsBounded: what a reader starts with is let in whole; what comes later is
// bounded in items and in bytes, a join among them.
func TestBoxIsBounded(t *testing.T) {
	fill := func(n, size int) *live.Box[string] {
		var b live.Box[string]
		for range 1000 {
			b.Add("start", 1<<20, "end")
		}
		b.Bound(true)
		for range n {
			b.Add("more", size, "end")
		}
		return &b
	}
	for name, b := range map[string]*live.Box[string]{"items": fill(65, 1), "bytes": fill(5, 64<<10)} {
		if got := b.Take(); !slices.Equal(got, []string{"end"}) || !b.Lost() {
			t.Errorf("%s: %d items wait", name, len(got))
		}
		if b.Add("later", 1, "end"); len(b.Take()) != 0 {
			t.Errorf("%s: something follows the end", name)
		}
	}
	b := fill(4, 64<<10)
	if got := len(b.Items()); got != 1004 || b.Lost() {
		t.Errorf("%d items wait", got)
	}
	if b.Grow(1) {
		t.Error("the last item grows beyond the bound")
	}
	if b := fill(0, 0); b.Grow(1) {
		t.Error("what the reader starts with grows")
	}
}

// TestReaderIsWokenOnce from each Take to the next, and at once when something waits.
func TestReaderIsWokenOnce(t *testing.T) {
	var b live.Box[int]
	b.Add(1, 0, 0)
	woken := 0
	b.Wake(func() { woken++ })
	b.Add(2, 0, 0)
	if woken != 1 {
		t.Errorf("woken %d times", woken)
	}
	b.Take()
	b.Add(3, 0, 0)
	if b.Add(4, 0, 0); woken != 2 {
		t.Errorf("woken %d times", woken)
	}
}

func TestDrain(t *testing.T) {
	var mu sync.Mutex
	var b live.Box[int]
	b.Add(1, 0, 0)
	var got []int
	err := live.Drain(t.Context(), &mu, &b, func(items []int) (bool, error) {
		if got = append(got, items...); len(got) < 3 {
			mu.Lock()
			b.Add(len(got)+1, 0, 0)
			mu.Unlock()
		}
		return len(got) == 3, nil
	})
	if err != nil || !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("%v, %v", got, err)
	}
	b.End(0)
	err = live.Drain(t.Context(), &mu, &b, func([]int) (bool, error) { return false, nil })
	if e, ok := errors.AsType[*api.Error](err); !ok || e.Code != api.CodeOverloaded {
		t.Errorf("a reader that is too slow gets %v", err)
	}
}

func TestResumed(t *testing.T) {
	for id, want := range map[string]int64{"": 0, "7": 7} {
		if n, err := live.Resumed(id); n != want || err != nil {
			t.Errorf("%q: %d, %v", id, n, err)
		}
	}
	for _, id := range []string{"-1", "x", "1.5"} {
		if _, err := live.Resumed(id); err == nil {
			t.Errorf("%q is taken", id)
		}
	}
}

// TestGroups forget a group with its last reader.
func TestGroups(t *testing.T) {
	var g live.Groups[int]
	g.Join("a", 1)
	g.Join("a", 2)
	if g.Leave("a", 1); len(g["a"]) != 1 {
		t.Errorf("%v", g)
	}
	if g.Leave("a", 2); len(g) != 0 {
		t.Errorf("%v", g)
	}
}

// serve answers with a stream whose producer and stop are given, and returns the
// whole answer.
func serve(t *testing.T, every time.Duration, produce func(context.Context, func([]byte) error) []byte, stop func() ([]byte, bool)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := live.NewStream(r.Context(), w, every, ".")
		defer s.Close()
		s.Follow(r.Context(), produce, stop)
	}))
	defer s.Close()
	res, err := s.Client().Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestStream(t *testing.T) {
	got := serve(t, time.Hour, func(_ context.Context, send func([]byte) error) []byte {
		if err := send(live.Event("job", []byte("{}"))); err != nil {
			return nil
		}
		return live.Event("return", nil)
	}, func() ([]byte, bool) { return nil, false })
	if got != "event: job\ndata: {}\n\nevent: return\ndata: \n\n" {
		t.Errorf("%q", got)
	}
}

// TestStreamStops: a quiet stream shows life, is asked whether it may go on, and its
// producer ends before Follow returns.
func TestStreamStops(t *testing.T) {
	asked, ended := 0, false
	got := serve(t, time.Millisecond, func(ctx context.Context, _ func([]byte) error) []byte {
		<-ctx.Done()
		ended = true
		return []byte("never sent")
	}, func() ([]byte, bool) {
		asked++
		return []byte("stopped"), asked == 3
	})
	if got != "..stopped" || !ended {
		t.Errorf("%q, ended %t", got, ended)
	}
	if strings.Contains(got, "never") {
		t.Error("what was cut off was sent")
	}
}
