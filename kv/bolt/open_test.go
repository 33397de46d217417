package bolt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"edgesvc.dev/svc/kv"
)

func open(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "data", "svc.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeStore(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func put(key, value string) func(kv.Tx) error {
	return func(tx kv.Tx) error { return tx.Put([]byte(key), []byte(value)) }
}

func get(t testing.TB, s *Store, key string) (value string) {
	t.Helper()
	err := s.View(context.Background(), func(tx kv.Tx) error {
		v, err := tx.Get([]byte(key))
		value = string(v)
		return err
	})
	if err != nil {
		t.Errorf("get %s: %v", key, err)
	}
	return value
}

func TestOpenMakesPrivateFiles(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	for path, want := range map[string]fs.FileMode{s.path: 0o600, filepath.Dir(s.path): fs.ModeDir | 0o700} {
		st, err := os.Stat(path)
		if err != nil || st.Mode() != want {
			t.Errorf("%s: %v, %v; want %v", path, st.Mode(), err, want)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(s.path)); err != nil || len(left) != 1 {
		t.Errorf("files: %v, %v; want the store alone", left, err)
	}
}

// lockChild holds the store until its standard input ends.
func lockChild(args []string) error {
	s, err := Open(args[0], Options{})
	if err != nil {
		return err
	}
	fmt.Println("ok")
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, s.Close())
}

func TestOpenNamesALockedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db")
	c := child(t, nil, "lock", path)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(path, Options{}); err == nil {
		closeStore(t, s)
		t.Error("opened twice")
	} else if !errors.Is(err, errLocked) || !strings.Contains(err.Error(), path) {
		t.Errorf("error does not say who locks what: %v", err)
	}
	if err := errors.Join(in.Close(), c.Wait()); err != nil {
		t.Fatal(err)
	}
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
}

func TestOpenRefusesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	newer := filepath.Join(dir, "newer.db")
	if err := create(newer); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign.db")
	for path, fn := range map[string]func(tx *bolt.Tx) error{
		newer:   func(tx *bolt.Tx) error { return tx.Bucket(metaBucket).Put(formatKey, []byte("2")) },
		foreign: func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("users")); return err },
	} {
		db, err := bolt.Open(path, 0o600, &bolt.Options{NoFreelistSync: true}) // a plain Open would write
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Update(fn), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(newer)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"text.db": []byte("not a database"), "zeros.db": make([]byte, 1<<16), "cut.db": whole[:3*pageSize],
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, says := range map[string]string{
		"newer.db": "newer program", "foreign.db": "not a svc store", "text.db": "", "zeros.db": "", "cut.db": "cut off",
	} {
		path := filepath.Join(dir, name)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), path) {
			t.Errorf("open %s: %v; want %q", name, err, says)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("open changed %s (%v)", name, err)
		}
	}
}
