package guard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/surface/guard"
)

// start serves o on a loopback port until the test ends and returns the
// address. Every test here speaks to it over TCP.
func start(t *testing.T, o guard.Options) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if o.Handler == nil {
		o.Handler = echo
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := guard.New(o)
	var serving conc.WaitGroup
	serving.Go(func() {
		if err := s.Serve(ln); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		serving.Wait()
	})
	return ln.Addr().String()
}

// echo says what the server understood.
func echo(ctx *fasthttp.RequestCtx) {
	fmt.Fprintf(ctx, "reached %s %s with %d bytes", ctx.Method(), ctx.Path(), len(ctx.PostBody()))
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	// Far beyond anything the server may take; it only ends a test that hangs.
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	return c
}

// answer is everything that came back on one connection.
type answer struct {
	raw    []byte
	closed bool // by the server
}

var statusLine = regexp.MustCompile(`HTTP/1\.1 (\d{3}) `)

// statuses lists the final statuses in order, leaving out 100 Continue.
func (a answer) statuses() []int {
	var all []int
	for _, m := range statusLine.FindAllSubmatch(a.raw, -1) {
		if n, _ := strconv.Atoi(string(m[1])); n != 100 {
			all = append(all, n)
		}
	}
	return all
}

// exchange sends raw and reads until the server closes. The requests of a
// test either ask for the close or are refused with one.
func exchange(t *testing.T, addr string, raw []byte) answer {
	t.Helper()
	c := dial(t, addr)
	var sending conc.WaitGroup
	sending.Go(func() { _, _ = c.Write(raw) }) // a refusal may come before the last byte is sent
	out, err := io.ReadAll(c)
	_ = c.SetWriteDeadline(time.Now())
	sending.Wait()
	ne, timeout := errors.AsType[net.Error](err)
	return answer{raw: out, closed: err == nil || !timeout || !ne.Timeout()}
}

func wantOne(t *testing.T, a answer, status int) {
	t.Helper()
	if got := a.statuses(); len(got) != 1 || got[0] != status {
		t.Fatalf("statuses %v, want [%d]; answer:\n%s", got, status, a.raw)
	}
	if !a.closed {
		t.Fatal("the connection stayed open")
	}
}

func debugLog() (*slog.Logger, *optest.Output) {
	var b optest.Output
	return slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})), &b
}
