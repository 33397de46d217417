package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"edgesvc.dev/svc/kv"
)

// TestBackupUnderLoad backs up a store that is being written, several times,
// and restores each copy: it must hold everything acknowledged before.
func TestBackupUnderLoad(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	dir := t.TempDir()
	var mu sync.Mutex // guards acked
	var acked []string
	enough := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				id := fmt.Sprintf("i%d-%05d", w, i)
				if err := s.Update(context.Background(), command(id)); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if acked = append(acked, id); len(acked)%minAcks == 0 {
					select {
					case enough <- struct{}{}:
					default:
					}
				}
				mu.Unlock()
			}
		})
	}
	for i := range 5 {
		<-enough
		mu.Lock()
		before := append([]string{}, acked...)
		mu.Unlock()
		name := filepath.Join(dir, fmt.Sprint("backup", i))
		if err := s.BackupFile(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		restored := filepath.Join(dir, "new", fmt.Sprint("restored", i, ".db"))
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(Restore(f, restored), f.Close()); err != nil {
			t.Fatal(err)
		}
		if wrong := verify(restored, before); len(wrong) > 0 {
			t.Errorf("backup %d of %d items: %.500s", i, len(before), fmt.Sprint(wrong))
		}
	}
	cancel()
	wg.Wait()
}

func TestRestoreRefuses(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	for i := range 50 {
		if err := s.Update(t.Context(), command(fmt.Sprint("i", i))); err != nil {
			t.Fatal(err)
		}
	}
	var backup bytes.Buffer
	if err := s.Backup(t.Context(), &backup); err != nil {
		t.Fatal(err)
	}
	if err := Restore(bytes.NewReader(backup.Bytes()), s.path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over an existing store: %v", err)
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"empty": nil, "cut": backup.Bytes()[:backup.Len()/2], "other": []byte("something else"),
	} {
		path := filepath.Join(dir, name)
		if err := Restore(bytes.NewReader(content), path); err == nil {
			t.Errorf("restored a backup that is %s", name)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("refused backups left %v, %v", left, err)
	}
}

func TestBackupStopsWithItsContext(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "backup")
	if err := s.BackupFile(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("backup: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unfinished backup is there: %v", err)
	}
}

func TestCheckFindsWhatTablesKnow(t *testing.T) {
	s := open(t, Options{})
	for i := range 10 {
		if err := s.Update(t.Context(), command(fmt.Sprint("i", i))); err != nil {
			t.Fatal(err)
		}
	}
	lost := kv.Key("item", "i", "name", teamOf("i3"), "name-i3")
	err := s.Update(t.Context(), func(tx kv.Tx) error {
		return errors.Join(tx.Delete(lost), tx.Put([]byte("junk"), []byte("no checksum at all")))
	})
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	found := map[string]string{}
	n, err := Check(s.path, func(key []byte, reason string) { found[string(key)] += reason }, items)
	want := map[string]string{"junk": "unknown value version", string(kv.Key("item", "r", "i3")): "index name does not list the record"}
	if err != nil || n != (Found{Pairs: 10*5 + 1, Problems: 2, Damaged: 1}) || fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("%+v, %v\n got %q\nwant %q", n, err, found, want)
	}
}
