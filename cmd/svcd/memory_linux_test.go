package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// group is a memory cgroup of a test's own.
type group struct{ dir string }

const groupRoot = "/sys/fs/cgroup/memory" // of cgroup v1

func newGroup(t *testing.T, limit int) *group {
	t.Helper()
	need(t, os.Getuid() == 0, "root, to make a memory cgroup")
	_, err := os.Stat(filepath.Join(groupRoot, "memory.limit_in_bytes"))
	need(t, err == nil, "the memory controller of cgroup v1")
	g := &group{filepath.Join(groupRoot, "svcd-test-"+strconv.Itoa(os.Getpid()))}
	err = os.Mkdir(g.dir, 0o700)
	need(t, err == nil, fmt.Sprint("a cgroup of its own: ", err))
	t.Cleanup(func() {
		if err := os.Remove(g.dir); err != nil {
			t.Error(err)
		}
	})
	err = os.WriteFile(filepath.Join(g.dir, "memory.limit_in_bytes"), []byte(strconv.Itoa(limit)), 0o600)
	need(t, err == nil, fmt.Sprint("a cgroup with a limit: ", err))
	return g
}

// run makes cmd run in the group from its first instruction on.
func (g *group) run(cmd *exec.Cmd) *exec.Cmd {
	in := exec.Command("/bin/sh", append([]string{"-c", `echo $$ >"$0/cgroup.procs" && exec "$@"`, g.dir}, cmd.Args...)...)
	in.Env = cmd.Env
	return in
}

// figure reads a number of the group, of a file like "name value" lines when
// name is not "".
func (g *group) figure(t *testing.T, file, name string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(g.dir, file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		fields := strings.Fields(line)
		if n, err := strconv.Atoi(fields[len(fields)-1]); err == nil && (name == "" || fields[0] == name) {
			return n
		}
	}
	t.Fatalf("%s has no %s", file, name)
	return 0
}

// bombs are small requests that want to become large.
func bombs() map[string]func(url, key string) *http.Request {
	post := func(body []byte, headers ...string) func(url, key string) *http.Request {
		return func(url, key string) *http.Request { return request("POST", url+api+"/posts", key, body, headers...) }
	}
	var members strings.Builder
	members.WriteString(`{"title":"x"`)
	for i := range 80_000 {
		fmt.Fprintf(&members, `,"m%d":1`, i)
	}
	return map[string]func(url, key string) *http.Request{
		"nested arrays":  post([]byte(strings.Repeat("[", 500_000))),
		"nested objects": post([]byte(strings.Repeat(`{"a":`, 190_000))),
		"many members":   post([]byte(members.String() + "}")),
		"one long array": post([]byte(`{"title":"x","tags":[` + strings.Repeat("0,", 500_000) + "0]}")),
		"gzip":           post(gzipped(1024), "Content-Encoding", "gzip"),
	}
}

// gzipped is so many MiB of zeros, of which each is a member of its own.
func gzipped(mib int) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(make([]byte, 1<<20)); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return bytes.Repeat(b.Bytes(), mib)
}

// TestSmallMemory runs under load and bombs in 128 MB.
func TestSmallMemory(t *testing.T) {
	const limit = 128 << 20
	all := bombs()
	g := newGroup(t, limit)
	data := t.TempDir()
	key := first(t, data)
	cmd := g.run(serving(data, "--memory-limit", "96MiB"))
	p := started(t, cmd)
	var done atomic.Bool
	acked := newLedger()
	var wg sync.WaitGroup
	padding := strings.Repeat("x", 2000)
	for w := range 8 {
		wg.Go(func() {
			for n := 0; !done.Load(); n++ {
				if acked.count() > 3000 { // enough to lose
					call(t.Context(), "GET", p.URL+api+"/posts?limit=100", key, "")
					continue
				}
				id, status, answer := p.write(t.Context(), key, fmt.Sprintf("Post %d %d", w, n), padding)
				if id == "" {
					t.Errorf("%d %s", status, answer)
					return
				}
				acked.add(id, padding)
				call(t.Context(), "GET", p.URL+api+"/posts?limit=100", key, "")
			}
		})
	}
	for name, bomb := range all {
		var bombers sync.WaitGroup
		for range 8 {
			bombers.Go(func() {
				for range 5 {
					res, err := http.DefaultClient.Do(bomb(p.URL, key))
					if err != nil {
						continue // refused before the whole of it was sent
					}
					if !slices.Contains([]int{400, 413, 415, 422}, res.StatusCode) {
						t.Errorf("%s: %s", name, res.Status)
					}
					_ = res.Body.Close()
				}
			})
		}
		bombers.Wait()
	}
	done.Store(true)
	wg.Wait()
	if status, body := call(t.Context(), "GET", p.URL+"/healthz", "", ""); status != http.StatusOK {
		t.Errorf("afterwards: %d %s", status, body)
	}
	if n := g.figure(t, "memory.oom_control", "oom_kill"); n > 0 {
		t.Errorf("killed %d times for its memory", n)
	}
	acked.keeps(t, p, key)
	peak := g.figure(t, "memory.max_usage_in_bytes", "") >> 20
	p.stop(t)
	verify(t, data)
	t.Logf("%d posts acknowledged, 0 kills, at most %d of %d MiB with the file's pages", acked.count(), peak, limit>>20)
}
