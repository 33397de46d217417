package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// gigabyte is a body without an end that anyone waits for.
const gigabyte = 1 << 30

// misbehaviours are servers that are not svc, or not well.
var misbehaviours = map[string]http.HandlerFunc{
	"html": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><body>Welcome to nginx</body></html>")
	},
	"giant-error": func(w http.ResponseWriter, _ *http.Request) { giant(w, 500, "text/html") },
	"giant-page":  func(w http.ResponseWriter, _ *http.Request) { giant(w, 200, "application/json") },
	"cut": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"data":[{"id":"post_1","title":"cut`)
	},
	"cut-connection": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"data":[`)
	},
	"wrong-version": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"version":"v9","items":[]}`)
	},
	"many-records": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"data":[{}`, strings.Repeat(",{}", 1<<20), `]}`)
	},
	"redirect": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://example.test"+r.URL.Path, http.StatusFound)
	},
	"busy": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Retry-After", "3600")
		w.Header().Set("X-Request-Id", "req_busy")
		w.WriteHeader(429)
		fmt.Fprint(w, `{"code":"rate_limited","status":429,"detail":"Too many requests."}`)
	},
	"hostile-text": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(404)
		fmt.Fprint(w, `{"code":"not_found","status":404,"detail":"\u001b]0;owned\u0007gone\u202e \u009b31mred"}`)
	},
}

func giant(w http.ResponseWriter, status int, kind string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(gigabyte))
	w.WriteHeader(status)
	chunk := make([]byte, 1<<20)
	for i := range chunk {
		chunk[i] = ' '
	}
	for range gigabyte / len(chunk) {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// startMisbehaving points the environment to such a server.
func startMisbehaving(ts *testscript.TestScript, _ bool, args []string) {
	handle, ok := misbehaviours[args[0]]
	if !ok {
		ts.Fatalf("no misbehaviour %q", args[0])
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		handle(w, r)
	}))
	ts.Defer(server.Close)
	ts.Setenv("SVC_URL", server.URL)
	ts.Setenv("SVC_API_KEY", fakeKey)
}
