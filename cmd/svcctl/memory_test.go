//go:build linux

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestBoundedMemory holds svcctl to a fixed amount of memory whatever a server
// sends (C06).
func TestBoundedMemory(t *testing.T) {
	const limit = 128 << 10 // KiB
	for name, handle := range misbehaviours {
		for _, encoding := range []string{"sized", "chunked"} {
			t.Run(name+" "+encoding, func(t *testing.T) {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if encoding == "chunked" {
						w = unsized{w}
					}
					handle(w, r)
				}))
				defer server.Close()
				program, err := exec.LookPath("svcctl")
				if err != nil {
					t.Fatal(err)
				}
				cmd := exec.CommandContext(t.Context(), program, "posts", "list", "--all")
				cmd.Env = append(os.Environ(), "SVC_URL="+server.URL, "SVC_API_KEY="+fakeKey, "SVC_CONFIG_DIR="+t.TempDir())
				out, err := cmd.CombinedOutput()
				if err == nil || strings.Contains(string(out), "panic") || !strings.HasPrefix(string(out), "error: ") {
					t.Errorf("got %v and %q, want a clear error", err, out)
				}
				if used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; used > limit {
					t.Errorf("used %d KiB, want at most %d", used, limit)
				}
			})
		}
	}
}

// unsized keeps an answer from telling its length.
type unsized struct{ http.ResponseWriter }

func (w unsized) WriteHeader(status int) {
	w.Header().Del("Content-Length")
	w.ResponseWriter.WriteHeader(status)
}
