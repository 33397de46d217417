package trpc_test

import (
	"bufio"
	"context"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/surface/trpc"
)

// feed is a server with one subscription, which sends what the test gives it.
type feed struct {
	values chan string
	gone   atomic.Bool // the caller's session
	lines  *bufio.Scanner
	left   chan struct{} // closed when the procedure has returned
}

func subscribed(t *testing.T, ping time.Duration, ending context.Context) *feed {
	t.Helper()
	f := &feed{values: make(chan string), left: make(chan struct{})}
	url := listen(t, &trpc.Router{
		Session: session(false), Finish: func(*fasthttp.RequestCtx, *trpc.Call) {}, MaxBatch: 1, MaxBody: 100, Ping: ping, Ending: ending,
		Present: func(context.Context, *trpc.Call) error {
			if f.gone.Load() {
				return &trpc.Error{Code: "UNAUTHORIZED", Message: "over"}
			}
			return nil
		},
		Procedures: map[string]*trpc.Procedure{"live": {Type: trpc.Subscription, Subscribe: func(ctx context.Context, _ *trpc.Call, emit func(trpc.Event) error) error {
			defer close(f.left)
			for {
				select {
				case v := <-f.values:
					if err := emit(trpc.Event{Data: []byte(`{"json":"` + v + `"}`)}); err != nil {
						return err
					}
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}}},
	})
	res, err := http.Get(url + "/trpc/live") //nolint:noctx // ends with the server
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	f.lines = bufio.NewScanner(res.Body)
	f.until(t, "data: {}")
	return f
}

// until reads up to a line and returns what stood before.
func (f *feed) until(t *testing.T, want string) (before []string) {
	t.Helper()
	for f.lines.Scan() {
		if f.lines.Text() == want {
			return before
		}
		before = append(before, f.lines.Text())
	}
	t.Fatalf("no %q in %q", want, before)
	return nil
}

func TestSessionEndsAtTheNextEvent(t *testing.T) {
	f := subscribed(t, time.Hour, nil)
	f.values <- "seen"
	f.until(t, `data: {"json":"seen"}`)
	f.gone.Store(true)
	f.values <- "secret"
	if said := f.until(t, "event: serialized-error"); slices.Contains(said, `data: {"json":"secret"}`) {
		t.Error("an event came after the session's end")
	}
	<-f.left
}

func TestSessionEndsAtTheNextPing(t *testing.T) {
	f := subscribed(t, time.Millisecond, nil)
	f.until(t, "event: ping")
	f.gone.Store(true)
	f.until(t, "event: serialized-error")
	<-f.left
}

// TestStopLetsSubscribersComeBack ends the stream without the event that would
// tell a client that it is over.
func TestStopLetsSubscribersComeBack(t *testing.T) {
	ending, end := context.WithCancel(t.Context())
	f := subscribed(t, time.Hour, ending)
	end()
	for f.lines.Scan() {
		if line := f.lines.Text(); line == "event: return" || line == "event: serialized-error" {
			t.Errorf("told %q", line)
		}
	}
	<-f.left
}
