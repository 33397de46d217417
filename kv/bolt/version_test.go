package bolt

import (
	"errors"
	"testing"

	"edgesvc.dev/svc/kv"
)

func TestVersion(t *testing.T) {
	s := open(t, Options{})
	defer closeStore(t, s)
	var versioned kv.Versioned = s
	at := func() int64 {
		t.Helper()
		n, ok := versioned.Version()
		if !ok {
			t.Fatal("a store that works has no version")
		}
		return n
	}
	before := at()
	if err := s.Update(t.Context(), put("k", "v")); err != nil {
		t.Fatal(err)
	}
	written := at()
	if written <= before {
		t.Errorf("version %d after a write, %d before", written, before)
	}
	refused := errors.New("refused")
	if err := s.Update(t.Context(), func(kv.Tx) error { return refused }); !errors.Is(err, refused) {
		t.Fatal(err)
	}
	if got := get(t, s, "k"); got != "v" || at() != written {
		t.Errorf("k is %q at version %d, want v at %d: nothing was written since", got, at(), written)
	}
	one := func(want bool, tables ...string) func() {
		was, _ := versioned.Version(tables...)
		return func() {
			t.Helper()
			if is, ok := versioned.Version(tables...); !ok || (is > was) != want {
				t.Errorf("the version of %v was %d and is %d", tables, was, is)
			}
		}
	}
	checks := []func(){one(true, "note"), one(true, "other", "note"), one(false, "other"), one(false, "not"), one(true, "last")}
	err := s.Update(t.Context(), func(tx kv.Tx) error {
		return errors.Join(notes.Insert(tx, "team", "n1", newNote("n1")), tx.Put(kv.Key("last", "x"), []byte("1")), tx.Put([]byte("k"), []byte("w")))
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range checks {
		check()
	}
	s.fail(errors.New("the disk is gone"))
	if _, ok := versioned.Version(); ok {
		t.Error("a store that stopped has a version")
	}
}
