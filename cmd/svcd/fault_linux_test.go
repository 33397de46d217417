package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=16m")
	need(t, err == nil, fmt.Sprint("a small disk: ", err))
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
						if n == 5000 {
							t.Error("it does not end")
							_ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL)
							return
						}
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
