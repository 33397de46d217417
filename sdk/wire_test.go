package sdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"edgesvc.dev/svc/sdk"
)

const key = "svc_0123456789abcdefghijklmnopqrstuvwxABCD"

// wire is a server that answers a list of answers in order, and keeps what it
// was sent.
type wire struct {
	*httptest.Server
	mu       sync.Mutex // guards all below
	answers  []http.HandlerFunc
	requests []request
	waits    []time.Duration
}

type request struct {
	Method, Path string
	Header       http.Header
	Body         string
}

func newWire(t *testing.T, answers ...http.HandlerFunc) *wire {
	t.Helper()
	w := &wire{answers: answers}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

// ServeHTTP gives the next answer.
func (w *wire) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.mu.Lock()
	w.requests = append(w.requests, request{r.Method, r.URL.RequestURI(), r.Header.Clone(), string(body)})
	next := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { problem(rw, 500, "internal", "no answer left") })
	if len(w.answers) > 0 {
		next, w.answers = w.answers[0], w.answers[1:]
	}
	w.mu.Unlock()
	next(rw, r)
}

// client waits for nothing and notes how long it would have.
func (w *wire) client(options ...sdk.Option) *sdk.Client {
	return sdk.New(w.URL, append([]sdk.Option{sdk.WithAPIKey(key), sdk.WithSleep(w.sleep)}, options...)...)
}

func (w *wire) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waits = append(w.waits, d)
	return ctx.Err()
}

func (w *wire) sent(t *testing.T, n int) []request {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.requests) != n {
		t.Fatalf("%d requests were sent, want %d: %v", len(w.requests), n, w.requests)
	}
	return w.requests
}

func ok(v any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("X-Request-Id", "req_ok")
		_ = json.NewEncoder(w).Encode(v)
	}
}

func raw(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("X-Request-Id", "req_raw")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func refuse(status int, code, detail string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		problem(w, status, code, detail)
	}
}

func problem(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("X-Request-Id", "req_bad")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"status":%d,"code":%q,"detail":%q,"requestId":"req_bad","errors":[{"pointer":"/title","code":"required","message":"is needed"}]}`, status, code, detail)
}

// cut breaks the connection without an answer.
func cut(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}
