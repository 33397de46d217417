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
// sends (C06), beyond what the program takes that only says its version: here it is
// the tests' own, which has a daemon in it.
func TestBoundedMemory(t *testing.T) {
	atRest, _ = memoryOf(t, "version")
	for name, handle := range misbehaviours {
		t.Run(name, func(t *testing.T) { boundedMemory(t, handle) })
	}
	t.Run("giant page of unknown length", func(t *testing.T) {
		boundedMemory(t, func(w http.ResponseWriter, r *http.Request) { misbehaviours["giant-page"](unsized{w}, r) })
	})
}

func boundedMemory(t *testing.T, handle http.HandlerFunc) {
	const limit = memoryFactor * 80 << 10 // KiB
	server := httptest.NewServer(handle)
	defer server.Close()
	used, out := memoryOf(t, "posts", "list", "--all", "--url", server.URL)
	if strings.Contains(out, "panic") || !strings.HasPrefix(out, "error: ") {
		t.Errorf("got %q, want a clear error", out)
	}
	if more := used - atRest; more > limit {
		t.Errorf("used %d KiB beyond %d, want at most %d", more, atRest, limit)
	}
}

// atRest is what the program takes that does nothing, in KiB.
var atRest int

// memoryOf runs svcctl and returns the most memory that it had, and what it said.
func memoryOf(t *testing.T, args ...string) (used int, out string) {
	t.Helper()
	program, err := exec.LookPath("svcctl")
	if err != nil {
		t.Fatal(err)
	}
	status := filepath.Join(t.TempDir(), "status")
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = append(os.Environ(), "SVC_API_KEY="+fakeKey, "SVC_CONFIG_DIR="+t.TempDir(), "PEAK="+status)
	said, _ := cmd.CombinedOutput() // it fails where it should
	return peak(t, status), string(said)
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
