package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// stored is a data folder with one post, and no daemon.
func stored(t *testing.T) (data, key, id string) {
	t.Helper()
	data = t.TempDir()
	key = first(t, data)
	p := serve(t, data)
	id, _, _ = p.write(t.Context(), key, "To keep", "<p>every word of it</p>")
	p.stop(t)
	return data, key, id
}

func TestCheck(t *testing.T) {
	data, key, id := stored(t)
	if out := does(t, "check", "--data", data); !strings.Contains(out, " pairs, 0 problems") {
		t.Error(out)
	}
	p := serve(t, data)
	if out := does(t, "check", "--data", data); !strings.Contains(out, " pairs, 0 problems") {
		t.Errorf("while it runs: %s", out)
	}
	if left, err := filepath.Glob(filepath.Join(data, "check-*")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	p.stop(t)

	damage(t, dataFile(data), "every word")
	out, said, status := run(t, svcd("check", "--data", data))
	if status != 1 || said != "" || !strings.Contains(out, "✗") || !strings.Contains(out, "problem") || !strings.Contains(out, "svcd restore") {
		t.Errorf("damaged: exit %d\n%s%s", status, out, said)
	}
	p = serve(t, data)
	if status, body := call(t.Context(), "GET", p.URL+api+"/posts/"+id, key, ""); status != 500 || code(body) != "internal" {
		t.Errorf("the damaged post: %d %s", status, body)
	}
	p.stop(t)

	if err := os.Truncate(dataFile(data), 20000); err != nil {
		t.Fatal(err)
	}
	if said := refuses(t, svcd("check", "--data", data)); !strings.Contains(said, "cut off") && !strings.Contains(said, "damaged") {
		t.Error(said) // which of the two depends on the pages that are gone
	}
	refuses(t, svcd("check", "--data", t.TempDir()))
	refuses(t, svcd("check", file(t, "text", "not a store")))
}

// damage changes one letter of every place where text is in the file.
func damage(t *testing.T, path, text string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.ReplaceAll(string(b), text, "E"+text[1:])
	if broken == string(b) {
		t.Fatalf("%q is not in the file", text)
	}
	if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestBackupAndRestore(t *testing.T) {
	data, key, id := stored(t)
	stopped := filepath.Join(t.TempDir(), "stopped.db")
	does(t, "backup", "--data", data, stopped)
	p := serve(t, data)
	running := filepath.Join(t.TempDir(), "running.db")
	does(t, "backup", "--data", data, running)
	p.stop(t)
	for _, backup := range []string{stopped, running} {
		if info, err := os.Stat(backup); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(info.Mode(), err)
		}
		before := sum(t, backup)
		refuses(t, svcd("backup", "--data", data, backup)) // it is there already
		if sum(t, backup) != before {
			t.Error("an existing file was changed")
		}
		p := restored(t, backup)
		if got := get[struct{ Title string }](t, p.URL+api+"/posts/"+id, key); got.Title != "To keep" {
			t.Errorf("%+v", got)
		}
		p.stop(t)
	}
	before := sum(t, dataFile(data))
	if said := refuses(t, svcd("restore", "--data", data, stopped)); !strings.Contains(said, "is there already") || sum(t, dataFile(data)) != before {
		t.Error(said)
	}
	refuses(t, svcd("backup", "--data", t.TempDir(), filepath.Join(t.TempDir(), "b.db")))
	refuses(t, svcd("restore", "--data", t.TempDir(), "/does/not/exist.db"))
}

// restored serves a backup from a new folder, after svcd check found it whole.
func restored(t *testing.T, backup string) *process {
	t.Helper()
	data := filepath.Join(t.TempDir(), "restored")
	does(t, "restore", "--data", data, backup)
	verify(t, data)
	return serve(t, data)
}

// A backup that is not whole puts nothing into the folder.
func TestBadBackupIsRefused(t *testing.T) {
	data, _, _ := stored(t)
	whole, err := os.ReadFile(dataFile(data))
	if err != nil {
		t.Fatal(err)
	}
	flipped := filepath.Join(t.TempDir(), "flipped.db")
	if err := os.WriteFile(flipped, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	damage(t, flipped, "every word")
	for name, backup := range map[string]string{
		"text": file(t, "b", "not a store"), "empty": file(t, "b", ""),
		"cut off": file(t, "b", string(whole[:20000])), "flipped": flipped,
	} {
		empty := filepath.Join(t.TempDir(), "data")
		out, said, status := run(t, svcd("restore", "--data", empty, backup))
		if status != 1 || out+said == "" {
			t.Errorf("%s: exit %d\n%s%s", name, status, out, said)
		}
		if _, err := os.Stat(dataFile(empty)); err == nil {
			t.Errorf("%s is in place", name)
		}
	}
}

const hotBackups = 10

// TestHotBackups takes backups under load. Each must be whole and have all that
// was acknowledged before it began.
func TestHotBackups(t *testing.T) {
	data, dir := t.TempDir(), t.TempDir()
	key := first(t, data)
	p := serve(t, data)
	acked := newLedger()
	var wg sync.WaitGroup
	wg.Go(func() { load(t, p, key, 2, acked) })
	var before [hotBackups]*ledger
	for i := range before {
		acked.await((i + 1) * leastAcks / hotBackups)
		before[i] = acked.clone()
		does(t, "backup", "--data", data, filepath.Join(dir, fmt.Sprint(i)))
	}
	p.end(syscall.SIGTERM)
	wg.Wait()
	for i, want := range before {
		r := restored(t, filepath.Join(dir, fmt.Sprint(i)))
		if i%3 == 0 { // reading all of it takes longest
			want.keeps(t, r, key)
		}
		r.end(syscall.SIGKILL)
	}
	if n := before[hotBackups-1].count(); n < leastAcks {
		t.Errorf("only %d posts were acknowledged; the run proves nothing", n)
	}
	t.Logf("%d backups during %d acknowledged posts", hotBackups, acked.count())
}
