package main

import (
	"errors"
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
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// need skips the test where the machine lacks something. Where CI is set, only
// the kernel is an excuse.
func need(t *testing.T, ok bool, what string) {
	t.Helper()
	switch {
	case ok:
	case os.Getenv("CI") == "true":
		t.Fatal("CI lacks " + what)
	default:
		t.Skip("NOT TESTED: needs " + what)
	}
}

// TestFullDisk fills a small disk, makes room and goes on without a restart.
func TestFullDisk(t *testing.T) {
	need(t, os.Getuid() == 0, "root, to mount a small disk")
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=16m"); err != nil {
		t.Skip("NOT TESTED: mount tmpfs: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	filler := filepath.Join(disk, "filler")
	if err := os.WriteFile(filler, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(disk, "data")
	key := first(t, data)
	p := serve(t, data)
	acked := newLedger()
	if n := fillUp(t, p, key, acked); n < 20 {
		t.Errorf("full after %d posts: too few to tell", n)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	writes(t, p, key, acked)
	acked.keeps(t, p, key)
	p.stop(t)
	verify(t, data)
	p = serve(t, data)
	acked.keeps(t, p, key)
	p.stop(t)
}

// traced lets a system call of svcd fail. A signal of the test reaches both
// strace and svcd, which are one process group.
func traced(t *testing.T, cmd *exec.Cmd, inject string) *exec.Cmd {
	t.Helper()
	strace, err := exec.LookPath("strace")
	need(t, err == nil, "strace")
	name, _, _ := strings.Cut(inject, ":")
	out := exec.Command(strace, append([]string{"-f", "-qq", "-o", "/dev/null", "-e", "trace=" + name, "-e", "signal=none", "-e", "inject=" + inject}, cmd.Args...)...)
	out.Env, out.SysProcAttr = cmd.Env, &syscall.SysProcAttr{Setpgid: true}
	t.Cleanup(func() {
		if out.Process != nil {
			_ = syscall.Kill(-out.Process.Pid, syscall.SIGKILL) // both ended by themselves if all went well
		}
	})
	return out
}

// TestStorageError lets every sync from the nth on fail. The daemon answers no
// write with success from then on, ends by itself with the reason, and has kept
// what it acknowledged.
func TestStorageError(t *testing.T) {
	for _, inject := range []string{"fdatasync:error=EIO:when=20+", "fdatasync:error=EIO:when=41+", "pwrite64:error=EIO:when=200+"} {
		t.Run(inject, func(t *testing.T) {
			data := t.TempDir()
			key := first(t, data)
			p := started(t, traced(t, serving(data), inject))
			acked := newLedger()
			var failed atomic.Bool
			var wg sync.WaitGroup
			for w := range 8 {
				wg.Go(func() {
					for n := 0; ; n++ {
						late := failed.Load()
						id, status, answer := p.write(t.Context(), key, fmt.Sprintf("Post %d %d", w, n), "<p>x</p>")
						switch {
						case id == "" && status == 0: // it has ended
							return
						case id == "" && status < 500:
							t.Errorf("%d %s", status, answer)
						case id == "":
							failed.Store(true)
						case late:
							t.Error("a write succeeded after another had failed")
						default:
							acked.add(id, "<p>x</p>")
						}
					}
				})
			}
			wg.Wait()
			<-p.exited
			log := strings.TrimSpace(p.log.String())
			last := log[strings.LastIndexByte(log, '\n')+1:]
			if exit, ok := errors.AsType[*exec.ExitError](p.err); !ok || exit.ExitCode() != 1 {
				t.Errorf("exit: %v", p.err)
			}
			if !strings.HasPrefix(last, "svcd: the store failed, nothing more can be written safely: ") || !strings.HasSuffix(last, "input/output error") {
				t.Errorf("the last word is %q", last)
			}
			again := serve(t, data)
			acked.keeps(t, again, key)
			again.stop(t)
			verify(t, data)
			t.Logf("%d acknowledged, 0 lost", acked.count())
			if acked.count() == 0 {
				t.Error("nothing was acknowledged before the fault")
			}
		})
	}
}

// group is a memory cgroup of a test's own.
type group struct{ dir string }

const groupRoot = "/sys/fs/cgroup/memory" // of cgroup v1

func newGroup(t *testing.T, limit int) *group {
	t.Helper()
	need(t, os.Getuid() == 0, "root, to make a memory cgroup")
	if _, err := os.Stat(filepath.Join(groupRoot, "memory.limit_in_bytes")); err != nil {
		t.Skip("NOT TESTED: this machine has no cgroup v1 memory controller")
	}
	g := &group{filepath.Join(groupRoot, "svcd-test-"+strconv.Itoa(os.Getpid()))}
	if err := os.Mkdir(g.dir, 0o700); err != nil {
		t.Skip("NOT TESTED: make a cgroup: ", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(g.dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(g.dir, "memory.limit_in_bytes"), []byte(strconv.Itoa(limit)), 0o600); err != nil {
		t.Skip("NOT TESTED: limit a cgroup: ", err)
	}
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
		"gzip":           post(gzipped(256<<20), "Content-Encoding", "gzip"),
	}
}

// TestSmallMemory runs under load and bombs in 128 MB.
func TestSmallMemory(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector alone takes more than the memory that is to suffice")
	}
	const limit = 128 << 20
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
	for name, bomb := range bombs() {
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
