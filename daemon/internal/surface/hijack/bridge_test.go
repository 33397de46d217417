package hijack_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"
	"go.uber.org/goleak"

	"edgesvc.dev/svc/daemon/internal/surface/hijack"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp refreshes its Date header for as long as the process lives,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		// and a stopped pool sees that it is stopped when it next wakes.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

// site is a bridge behind a real fasthttp listener.
type site struct {
	bridge *hijack.Bridge
	url    string
	log    *bytes.Buffer // read it after drain
	client *http.Client
	closed atomic.Int32 // connections that the server has closed
}

// counting is a listener whose connections report their end to a site.
type counting struct {
	net.Listener
	s *site
}

func (l counting) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return &countedConn{Conn: c, s: l.s}, err
}

type countedConn struct {
	net.Conn
	s *site
}

func (c *countedConn) Close() error {
	c.s.closed.Add(1)
	return c.Conn.Close()
}

func serve(t *testing.T, h http.HandlerFunc) *site {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{url: "http://" + ln.Addr().String(), log: new(bytes.Buffer), client: &http.Client{Transport: &http.Transport{}}}
	s.bridge = hijack.New(slog.New(slog.NewTextHandler(s.log, nil)), 5*time.Second)
	bridged := s.bridge.Handler(h)
	server := &fasthttp.Server{KeepHijackedConns: true, CloseOnShutdown: true, Handler: func(ctx *fasthttp.RequestCtx) {
		ctx.Response.Header.Set("X-Request-Id", "req_7")
		bridged(ctx)
	}}
	var serving conc.WaitGroup
	serving.Go(func() {
		if err := server.Serve(counting{ln, s}); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := errors.Join(server.ShutdownWithContext(ctx), s.bridge.Close(ctx)); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		serving.Wait()
	})
	return s
}

func (s *site) do(t *testing.T, method, path, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+path)
	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func text(t *testing.T, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestWholeAnswerKeepsTheConnection(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("X-Two", "1")
		w.Header().Add("X-Two", "2")
		w.WriteHeader(http.StatusTeapot)
		w.Header().Set("X-Late", "too late")
		fmt.Fprintf(w, "<p>%s %s %s %s", r.Method, r.URL.Path, r.URL.Query().Get("q"), text(t, r.Body))
	})
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	br := bufio.NewReader(c)
	for range 2 {
		fmt.Fprint(c, "PUT /a?q=b HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody")
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := text(t, resp.Body); got != "<p>PUT /a b body" || resp.StatusCode != http.StatusTeapot {
			t.Errorf("%d %q", resp.StatusCode, got)
		}
		if got := resp.Header; got.Get("X-Late") != "" || len(got["X-Two"]) != 2 || got.Get("X-Request-Id") != "req_7" ||
			!strings.HasPrefix(got.Get("Content-Type"), "text/html") {
			t.Errorf("header %v", got)
		}
	}
}

func TestStream(t *testing.T) {
	proceed := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Length", "3")
		for i := range 3 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Errorf("flush: %v", err)
			}
			<-proceed
		}
		fmt.Fprint(w, strings.Repeat("x", 200<<10))
	})
	resp := s.do(t, "GET", "/", "")
	if resp.Header.Get("Content-Type") != "text/event-stream" || resp.Header.Get("X-Request-Id") != "req_7" || resp.ContentLength != -1 {
		t.Errorf("header %v, length %d", resp.Header, resp.ContentLength)
	}
	events := bufio.NewReader(resp.Body)
	for i := range 3 {
		line, err := events.ReadString('\n')
		if err != nil || line != fmt.Sprintf("data: %d\n", i) {
			t.Fatalf("event %d: %q, %v", i, line, err)
		}
		_, _ = events.Discard(1)
		proceed <- struct{}{} // only now may the handler go on: each event came by itself
	}
	if got := len(text(t, events)); got != 200<<10 {
		t.Errorf("%d bytes after the events", got)
	}
}

func TestStreamToHTTP10EndsWithTheConnection(t *testing.T) {
	read := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "one ")
		w.(http.Flusher).Flush()
		<-read
		fmt.Fprint(w, "two")
	})
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "GET / HTTP/1.0\r\nHost: a\r\n\r\n")
	br := bufio.NewReader(c)
	resp, err := http.ReadResponse(br, nil)
	if err != nil {
		t.Fatal(err)
	}
	close(read)
	if got := text(t, resp.Body); got != "one two" || len(resp.TransferEncoding) != 0 {
		t.Errorf("%q %v", got, resp.TransferEncoding)
	}
}

// TestHeadOfAStream flushes an answer to HEAD, which has nothing to
// stream.
func TestHeadOfAStream(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "body")
		w.(http.Flusher).Flush()
	})
	if resp := s.do(t, "HEAD", "/", ""); resp.StatusCode != http.StatusOK || text(t, resp.Body) != "" {
		t.Error(resp.Status)
	}
}

func TestClientLeaving(t *testing.T) {
	ended := make(chan error, 1)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		ended <- r.Context().Err()
	})
	resp := s.do(t, "GET", "/", "")
	if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestPanics(t *testing.T) {
	streaming := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "half an answer")
		if r.URL.Path == "/stream" {
			w.(http.Flusher).Flush()
			<-streaming
		}
		panic("secret cause")
	})
	whole := s.do(t, "GET", "/whole", "")
	if got := text(t, whole.Body); whole.StatusCode != http.StatusInternalServerError || strings.Contains(got, "half") || !strings.Contains(got, `"code":"internal"`) {
		t.Errorf("%d %q", whole.StatusCode, got)
	}
	broken := s.do(t, "GET", "/stream", "")
	close(streaming)
	if _, err := io.ReadAll(broken.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a stream that broke off reads as complete: %v", err)
	}
	s.drain(t)
	if got := s.log.String(); strings.Count(got, "secret cause") < 2 || !strings.Contains(got, "requestId=req_7") || !strings.Contains(got, "bridge_test.go") {
		t.Errorf("log:\n%s", got)
	}
}

// drain closes the bridge, after which its log is complete.
func (s *site) drain(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.bridge.Close(ctx); err != nil {
		t.Error(err)
	}
}

func TestCloseWaitsThenEnds(t *testing.T) {
	running, proceed := make(chan struct{}, 2), make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "begun ")
		w.(http.Flusher).Flush()
		running <- struct{}{}
		select {
		case <-proceed:
			fmt.Fprint(w, "finished")
		case <-r.Context().Done():
			fmt.Fprint(w, "ended")
		}
	})
	patient := s.do(t, "GET", "/patient", "")
	<-running
	close(proceed)
	s.drain(t)
	if s.closed.Load() != 1 {
		t.Error("Close returned before the stream was sent to its end")
	}
	if got := text(t, patient.Body); got != "begun finished" {
		t.Errorf("%q", got)
	}
	if resp := s.do(t, "GET", "/", ""); resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%s after Close", resp.Status)
	}
}

func TestCloseEndsWhatDoesNotFinish(t *testing.T) {
	running := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "begun ")
		w.(http.Flusher).Flush()
		close(running)
		<-r.Context().Done()
		fmt.Fprint(w, "ended")
	})
	resp := s.do(t, "GET", "/", "")
	<-running
	expired, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.bridge.Close(expired); !errors.Is(err, context.Canceled) {
		t.Errorf("Close: %v", err)
	}
	if got := text(t, resp.Body); got != "begun ended" {
		t.Errorf("%q", got)
	}
}

// TestRequestsStayApart runs many clients' handlers at the same time and lets
// none answer before all have arrived.
func TestRequestsStayApart(t *testing.T) {
	const clients = 16
	var arrived sync.WaitGroup
	arrived.Add(clients)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		arrived.Done()
		arrived.Wait()
		fmt.Fprintf(w, "%s %s %s", r.URL.Path, r.Header.Get("Authorization"), text(t, r.Body))
	})
	var all conc.WaitGroup
	for i := range clients {
		all.Go(func() {
			path := fmt.Sprintf("/client-%d", i)
			body := strings.Repeat(path, 500)
			want := path + " Bearer " + path + " " + body
			if got := text(t, s.do(t, "POST", path, body).Body); got != want {
				t.Errorf("client %d read %.80q", i, got)
			}
		})
	}
	all.Wait()
}

// TestRequestOutlivesItsHandler reads a request after fasthttp has used its
// memory for other clients: an adapter that lends it shows their credentials.
func TestRequestOutlivesItsHandler(t *testing.T) {
	kept := make(chan *http.Request, 1)
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/kept" {
			kept <- r
		}
	})
	if got := s.do(t, "POST", "/kept", "body of kept"); text(t, got.Body) != "" {
		t.Fatal(got.Status)
	}
	for i := range 20 {
		text(t, s.do(t, "POST", fmt.Sprintf("/later-%d", i), "body of another").Body)
	}
	r := <-kept
	if got := r.Header.Get("Authorization") + " " + r.RequestURI + " " + text(t, r.Body); got != "Bearer /kept /kept body of kept" {
		t.Errorf("the request now reads %q", got)
	}
	if r.Host != strings.TrimPrefix(s.url, "http://") || r.RemoteAddr == "" || r.Method != "POST" {
		t.Errorf("%s %s %s", r.Method, r.Host, r.RemoteAddr)
	}
}

// TestCloseCutsAClientThatTakesNothing streams to a client that never reads. Its
// write time-out alone would hold the stop up for an hour.
func TestCloseCutsAClientThatTakesNothing(t *testing.T) {
	bridge := hijack.New(slog.New(slog.DiscardHandler), time.Hour)
	full := make(chan struct{})
	bridged := bridge.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		out := http.NewResponseController(w)
		for n := 0; ; n++ {
			if n == 2 {
				close(full) // it streams; what follows fills every buffer
			}
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
			if out.Flush() != nil {
				return
			}
		}
	}))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &fasthttp.Server{KeepHijackedConns: true, Handler: bridged}
	var serving conc.WaitGroup
	serving.Go(func() { _ = server.Serve(ln) })
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	<-full
	expired, cancel := context.WithCancel(context.Background())
	cancel()
	if err := bridge.Close(expired); !errors.Is(err, context.Canceled) {
		t.Errorf("Close: %v", err)
	}
	_ = c.Close()
	if err := server.Shutdown(); err != nil {
		t.Error(err)
	}
	serving.Wait()
}
