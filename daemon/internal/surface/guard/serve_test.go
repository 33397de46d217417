package guard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"
	"go.uber.org/goleak"

	"edgesvc.dev/svc/daemon/internal/surface/guard"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp refreshes its Date header for as long as the process lives,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		// and a stopped pool sees that it is stopped when it next wakes.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

func TestPanicIsAnswered(t *testing.T) {
	log, logged := debugLog()
	addr := start(t, guard.Options{Log: log, Handler: func(ctx *fasthttp.RequestCtx) {
		ctx.Response.Header.Set("Set-Cookie", "half=done")
		panic("secret cause")
	}})
	a := exchange(t, addr, []byte("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: trace-7\r\n\r\n"))
	wantOne(t, a, 500)
	wantProblem(t, a, 500)
	if strings.Contains(string(a.raw), "secret cause") || strings.Contains(string(a.raw), "half=done") {
		t.Errorf("the answer shows what the handler was doing:\n%s", a.raw)
	}
	for _, want := range []string{"secret cause", "requestId=trace-7", "serve_test.go"} {
		if !strings.Contains(logged.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, logged)
		}
	}
	wantOne(t, exchange(t, addr, []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n")), 500)
}

func TestRequestID(t *testing.T) {
	addr := start(t, guard.Options{})
	for in, kept := range map[string]bool{
		"trace-7": true, "0af7651916cd43dd.8448": true, strings.Repeat("a", 128): true,
		strings.Repeat("a", 129): false, "a b": false, "<script>": false, "": false,
	} {
		a := exchange(t, addr, []byte("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-Id: "+in+"\r\n\r\n"))
		wantOne(t, a, 200)
		if got := strings.Contains(string(a.raw), "X-Request-Id: "+in+"\r\n") && in != ""; got != kept {
			t.Errorf("%q: kept %v, want %v:\n%s", in, got, kept, a.raw)
		}
		if !kept && !strings.Contains(string(a.raw), "X-Request-Id: req_") {
			t.Errorf("%q: no fresh id:\n%s", in, a.raw)
		}
	}
}

// TestLogHoldsNoHeader sends a credential inside lines that cannot be parsed,
// which parsers like to quote.
func TestLogHoldsNoHeader(t *testing.T) {
	log, logged := debugLog()
	addr := start(t, guard.Options{Log: log})
	for _, raw := range []string{
		"GET / HTTP/1.1\r\nHost: a\r\nAuthorization Bearer " + secret + "\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + secret + "\x00\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nAuthori zation: Bearer " + secret + "\r\nX\r\n\r\n",
		"GET /?key=" + secret + " HTTP/9\r\nHost: a\r\n\r\n",
		"GET /?key=" + secret + "\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
		secret + "\r\n\r\n",
	} {
		wantOne(t, exchange(t, addr, []byte(raw)), 400)
	}
	if strings.Contains(logged.String(), secret) {
		t.Errorf("the log holds the key:\n%s", logged)
	}
	if !strings.Contains(logged.String(), "malformed request") {
		t.Errorf("the log does not tell what happened:\n%s", logged)
	}
}

// TestShutdownAnswersWhatIsInFlight holds a request inside the handler while
// the server shuts down.
func TestShutdownAnswersWhatIsInFlight(t *testing.T) {
	entered, proceed := make(chan struct{}), make(chan struct{})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := guard.New(guard.Options{Log: slog.New(slog.DiscardHandler), Handler: func(ctx *fasthttp.RequestCtx) {
		close(entered)
		<-proceed
		fmt.Fprint(ctx, "done")
	}})
	var running conc.WaitGroup
	running.Go(func() {
		if err := s.Serve(ln); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	c := dial(t, ln.Addr().String())
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	<-entered
	running.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	})
	for accepting := true; accepting; { // until the shutdown has begun
		probe, err := net.Dial("tcp", ln.Addr().String())
		if accepting = err == nil; accepting {
			_ = probe.Close()
		}
	}
	close(proceed)
	out, err := io.ReadAll(c)
	if err != nil || !strings.HasSuffix(string(out), "\r\n\r\ndone") {
		t.Errorf("%q, %v", out, err)
	}
	running.Wait()
}

// TestShutdownDoesNotWaitForTheSilent stops a server with a crowd of connections
// that never sent anything, and some that pause between two requests.
func TestShutdownDoesNotWaitForTheSilent(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := guard.New(guard.Options{Handler: echo, Log: slog.New(slog.DiscardHandler), ReadTimeout: time.Hour, IdleTimeout: time.Hour})
	var running conc.WaitGroup
	running.Go(func() {
		if err := s.Serve(ln); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	for range 50 {
		dial(t, ln.Addr().String())
		idle := dial(t, ln.Addr().String())
		fmt.Fprint(idle, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		if _, err := idle.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	running.Wait()
}

// TestShutdownBeforeServe stops a server that was about to start.
func TestShutdownBeforeServe(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := guard.New(guard.Options{Handler: func(*fasthttp.RequestCtx) {}})
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(ln); err != nil {
		t.Errorf("Serve after Shutdown: %v", err)
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open: %v", err)
	}
}
