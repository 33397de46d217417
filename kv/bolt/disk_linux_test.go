package bolt

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// need skips the test unless the kernel and the tools have the means and the user
// is root. Where CI is set, there is no excuse.
func need(t *testing.T, filesystem string, tools ...string) {
	t.Helper()
	missing := func(format string, args ...any) {
		t.Helper()
		if os.Getenv("CI") == "true" {
			t.Fatalf(format, args...)
		}
		t.Skipf("NOT TESTED: "+format, args...)
	}
	if known, err := os.ReadFile("/proc/filesystems"); err == nil && filesystem != "" && !strings.Contains(string(known), "\t"+filesystem+"\n") {
		missing("this kernel has no %s", filesystem)
	}
	if os.Getuid() != 0 {
		missing("only root can mount and trace")
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			missing("%s is not installed", tool)
		}
	}
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
}

// disk is a small ext4 file system in a file.
type disk struct {
	t          *testing.T
	image, dir string
	mounted    bool
}

func newDisk(t *testing.T) *disk {
	t.Helper()
	d := &disk{t: t, image: filepath.Join(t.TempDir(), "image"), dir: t.TempDir()}
	run(t, "truncate", "-s", "96M", d.image)
	run(t, "mkfs.ext4", "-q", d.image)
	d.mount()
	t.Cleanup(func() {
		if d.mounted {
			d.unmount()
		}
	})
	return d
}

func (d *disk) mount() {
	d.t.Helper()
	run(d.t, "mount", "-o", "loop", d.image, d.dir)
	d.mounted = true
}

func (d *disk) unmount() {
	d.t.Helper()
	run(d.t, "umount", d.dir)
	d.mounted = false
}

// cut ends all writing, as a power cut does: what the file system has not made
// durable is gone after the next mount.
func (d *disk) cut() {
	f, err := os.Open(d.dir)
	if err != nil {
		d.t.Error(err)
		return
	}
	defer f.Close()
	const shutdown, noLogFlush = 0x8004587d, 2 // EXT4_IOC_SHUTDOWN, EXT4_GOING_FLAGS_NOLOGFLUSH
	how := uint32(noLogFlush)
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, f.Fd(), shutdown, uintptr(unsafe.Pointer(&how))); e != 0 {
		d.t.Errorf("shut the file system down: %v", e)
	}
}

// cutRound loads a store on a fresh disk, cuts the power and returns what is
// wrong after it came back.
func cutRound(t *testing.T, round int, d defect) (acked, wrong []string) {
	disk := newDisk(t)
	path := filepath.Join(disk.dir, "svc.db")
	at := minAcks + rand.IntN(300)
	c := child(t, nil, "load", path, fmt.Sprint(round), string(d))
	all, _ := load(t, c, func(n int) {
		if n == at { // later acknowledgements may be of writes after the cut, which nobody can keep
			disk.cut()
			_ = c.Process.Kill() // gone already: Wait tells
		}
	})
	disk.unmount()
	disk.mount()
	acked = all[:min(at, len(all))]
	return acked, verify(path, acked)
}

// TestPowerCut shuts the file system down under load.
func TestPowerCut(t *testing.T) {
	need(t, "ext4", "mkfs.ext4", "mount", "umount", "truncate")
	total := 0
	for round := range 4 {
		acked, wrong := cutRound(t, round, sound)
		total += len(acked)
		if len(wrong) > 0 {
			t.Errorf("round %d: %d acknowledged: %.500s", round, len(acked), fmt.Sprint(wrong))
		}
	}
	t.Logf("4 rounds, %d acknowledged, 0 lost", total)
}

// TestPowerCutNoticesNoSync wants the rounds above to notice a store that does
// not sync.
func TestPowerCutNoticesNoSync(t *testing.T) {
	need(t, "ext4", "mkfs.ext4", "mount", "umount", "truncate")
	for round := range 4 {
		if _, wrong := cutRound(t, round, unsynced); len(wrong) > 0 {
			t.Logf("noticed in round %d: %.200s", round, wrong[0])
			return
		}
	}
	t.Error("4 rounds noticed nothing")
}

// faultRound runs the load with a system call that fails, and returns the
// child's last words.
func faultRound(t *testing.T, path, round, inject, most string) (acked []string, last string) {
	t.Helper()
	front := []string{"strace", "-f", "-o", "/dev/null", "-e", "trace=fdatasync,pwrite64", "-e", "inject=" + inject}
	acked, last = load(t, child(t, front, "load", path, round, string(sound), most), func(int) {})
	if wrong := verify(path, acked); len(wrong) > 0 {
		t.Errorf("%s: %d acknowledged: %.500s", inject, len(acked), fmt.Sprint(wrong))
	}
	return acked, last
}

// TestStorageErrorStopsTheStore lets the nth sync or write of a thread fail.
// From then on the store must do nothing any more, and have kept what it
// acknowledged.
func TestStorageErrorStopsTheStore(t *testing.T) {
	need(t, "", "strace")
	path := filepath.Join(t.TempDir(), "svc.db")
	if err := create(path); err != nil {
		t.Fatal(err)
	}
	total := 0
	for i, inject := range []string{
		"fdatasync:error=EIO:when=1", "fdatasync:error=EIO:when=2", "fdatasync:error=EIO:when=40", "fdatasync:error=EIO:when=41",
		"pwrite64:error=EIO:when=1", "pwrite64:error=EIO:when=200", "pwrite64:error=EROFS:when=300",
	} {
		acked, last := faultRound(t, path, fmt.Sprint(i), inject, "1000")
		total += len(acked)
		if !strings.HasPrefix(last, "stopped ") || !strings.Contains(last, "done=0 err=store") {
			t.Errorf("%s: after %d acknowledgements the child says %q", inject, len(acked), last)
		}
	}
	if total < minAcks {
		t.Errorf("%d acknowledged: too few to tell", total)
	}
	t.Logf("7 faults, %d acknowledged, 0 lost", total)
}

// TestNoSpaceIsSurvived lets every nth write of data say that the disk is full.
// Those of that commit are refused, everyone else goes on. In the sync of the
// page that makes a commit visible the same error must stop the store.
func TestNoSpaceIsSurvived(t *testing.T) {
	need(t, "", "strace")
	path := filepath.Join(t.TempDir(), "svc.db")
	if err := create(path); err != nil {
		t.Fatal(err)
	}
	survived := 0
	for i, inject := range []string{
		"pwrite64:error=ENOSPC:when=3..100+13", "pwrite64:error=ENOSPC:when=1", "fdatasync:error=ENOSPC:when=2", "fdatasync:error=ENOSPC:when=3",
	} {
		acked, last := faultRound(t, path, fmt.Sprint(i), inject, "60")
		switch {
		case strings.HasSuffix(last, "err=<nil>") && !strings.Contains(last, "full=0 "):
			survived++
		case !strings.Contains(last, "done=0 err=store"):
			t.Errorf("%s: after %d acknowledgements the child says %q", inject, len(acked), last)
		}
	}
	if survived == 0 {
		t.Error("no full disk was survived")
	}
	t.Logf("4 faults, %d survived", survived)
}

// TestFullDisk fills a small disk, frees it and goes on.
func TestFullDisk(t *testing.T) {
	need(t, "tmpfs", "mount", "umount")
	for _, filesystem := range []string{"tmpfs", "ext4"} {
		t.Run(filesystem, func(t *testing.T) {
			dir := t.TempDir()
			if filesystem == "tmpfs" {
				run(t, "mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", dir)
				t.Cleanup(func() { run(t, "umount", dir) })
			} else {
				need(t, "ext4", "mkfs.ext4", "truncate")
				dir = newDisk(t).dir
			}
			filler := filepath.Join(dir, "filler")
			fill(t, filler, dir, 1<<20)
			testFull(t, filepath.Join(dir, "svc.db"), Options{}, func(_ *Store, acked []string) []string {
				if err := os.Remove(filler); err != nil {
					t.Fatal(err)
				}
				return acked
			})
		})
	}
}

// fill leaves about free bytes in the file system of dir.
func fill(t *testing.T, filler, dir string, free int64) {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	size := int64(st.Bavail)*st.Bsize - free
	run(t, "dd", "if=/dev/zero", "of="+filler, "bs=64k", fmt.Sprint("count=", max(size>>16, 1)), "status=none")
}
