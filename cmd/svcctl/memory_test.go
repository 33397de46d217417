//go:build linux

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestBoundedMemory holds svcctl to a fixed amount of memory whatever a server
// sends (C06).
func TestBoundedMemory(t *testing.T) {
	for name, handle := range misbehaviours {
		t.Run(name, func(t *testing.T) { boundedMemory(t, handle) })
	}
	t.Run("giant page of unknown length", func(t *testing.T) {
		boundedMemory(t, func(w http.ResponseWriter, r *http.Request) { misbehaviours["giant-page"](unsized{w}, r) })
	})
}

func boundedMemory(t *testing.T, handle http.HandlerFunc) {
	const limit = memoryFactor * 128 << 10 // KiB
	server := httptest.NewServer(handle)
	defer server.Close()
	program, err := exec.LookPath("svcctl")
	if err != nil {
		t.Fatal(err)
	}
	status := filepath.Join(t.TempDir(), "status")
	cmd := exec.CommandContext(t.Context(), program, "posts", "list", "--all")
	cmd.Env = append(os.Environ(), "SVC_URL="+server.URL, "SVC_API_KEY="+fakeKey, "SVC_CONFIG_DIR="+t.TempDir(), "PEAK="+status)
	out, err := cmd.CombinedOutput()
	if err == nil || strings.Contains(string(out), "panic") || !strings.HasPrefix(string(out), "error: ") {
		t.Errorf("got %v and %q, want a clear error", err, out)
	}
	if used := peak(t, status); used > limit {
		t.Errorf("used %d KiB, want at most %d", used, limit)
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// peak reads the most memory that a process had (proc(5)).
func peak(t *testing.T, status string) int {
	t.Helper()
	b, err := os.ReadFile(status)
	if err != nil {
		t.Fatal(err)
	}
	found := highWater.FindSubmatch(b)
	if found == nil {
		t.Fatalf("no VmHWM in %s", b)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// unsized keeps an answer from telling its length.
type unsized struct{ http.ResponseWriter }

func (w unsized) WriteHeader(status int) {
	w.Header().Del("Content-Length")
	w.ResponseWriter.WriteHeader(status)
}
