package bolt

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"

	"edgesvc.dev/svc/kv"
)

type page struct {
	Text string `json:"t"`
	Tag  string `json:"g"`
}

var pages = kv.NewTable("page", kv.Index[page]{
	Name: "tag", Keys: func(v *page, add func([]byte)) { add(kv.Key(v.Tag)) },
})

// held adds up the pairs of a team as they lie in the store.
func held(t *testing.T, s *Store, team string) (n int64) {
	t.Helper()
	err := s.View(t.Context(), func(tx kv.Tx) error {
		return tx.Scan(kv.Range{}, func(k, v []byte) error {
			if string(kv.TeamOf(v)) == team {
				n += int64(len(k) + len(v))
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func sizeOf(t *testing.T, s *Store, team string) (n int64) {
	t.Helper()
	if err := s.View(t.Context(), func(tx kv.Tx) error { n = kv.Size(tx, team); return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTeamSizes counts inserts, changes, bodies and deletes of two teams as they
// are committed, over functions that fail and a store that is opened again.
func TestTeamSizes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { s.Close() }()
	refused := errors.New("refused")
	for i := range 60 {
		team, id := []string{"a", "b"}[i%2], fmt.Sprint("p", i)
		err := s.Update(t.Context(), func(tx kv.Tx) error {
			err := errors.Join(
				pages.Insert(tx, team, id, &page{Text: strings.Repeat("x", i*10), Tag: id}),
				pages.PutBody(tx, team, id, []byte(strings.Repeat("y", i*100))),
				pages.Put(tx, team, id, &page{Text: "shorter", Tag: "all"}),
			)
			switch {
			case err != nil:
				return err
			case i%5 == 4:
				return refused
			case i%7 == 6:
				return pages.Delete(tx, team, id)
			}
			return nil
		})
		if err != nil && !errors.Is(err, refused) {
			t.Fatal(err)
		}
	}
	same := func(when string) {
		t.Helper()
		all, err := s.TeamSizes()
		if err != nil || len(all) != 2 {
			t.Errorf("%s: %v %v", when, all, err)
		}
		for _, team := range []string{"a", "b"} {
			if want := held(t, s, team); want < 10_000 || sizeOf(t, s, team) != want || all[team] != want {
				t.Errorf("%s: team %s holds %d, counted %d and %d", when, team, want, sizeOf(t, s, team), all[team])
			}
		}
	}
	same("as written")
	reopen := func() {
		t.Helper()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if s, err = Open(path, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	reopen()
	same("opened again")
	// A program that did not count left no bucket.
	if err := s.db.Update(func(tx *bolt.Tx) error { return tx.DeleteBucket(sizeBucket) }); err != nil {
		t.Fatal(err)
	}
	reopen()
	same("counted once")
}

// TestTeamLimit refuses what takes a team beyond its limit, and nothing else: not
// what frees, not what may use the reserve, not another team.
func TestTeamLimit(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "svc.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const most = 5000
	put := func(team, id string, bytes int, reserve bool) error {
		return s.Update(t.Context(), func(tx kv.Tx) error {
			kv.Limit(tx, team, most)
			if reserve {
				kv.UseReserve(tx)
			}
			return pages.Insert(tx, team, id, &page{Text: strings.Repeat("x", bytes)})
		})
	}
	if err := put("a", "1", 4000, false); err != nil {
		t.Fatal(err)
	}
	full, ok := errors.AsType[*kv.TeamFullError](put("a", "2", 1000, false))
	if !ok || full.Team != "a" || full.Limit != most || full.Size <= most || !errors.Is(full, kv.ErrFull) {
		t.Errorf("%+v", full)
	}
	if err := errors.Join(put("b", "3", 4000, false), put("a", "4", 1000, true)); err != nil {
		t.Error(err)
	}
	if n := sizeOf(t, s, "a"); n <= most {
		t.Errorf("the reserve was not used: %d", n)
	}
	err = s.Update(t.Context(), func(tx kv.Tx) error {
		kv.Limit(tx, "a", most)
		return pages.Put(tx, "a", "1", &page{Text: strings.Repeat("x", 3999)})
	})
	if err != nil {
		t.Errorf("a change to less, while over the limit: %v", err)
	}
}

// TestReserve fills a store, then its half of the reserve, and can still delete.
func TestReserve(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "svc.db"), Options{MaxSize: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	written := 0
	insert := func(reserve bool) error {
		return s.Update(t.Context(), func(tx kv.Tx) error {
			if reserve {
				kv.UseReserve(tx)
			}
			written++
			return pages.Insert(tx, "a", fmt.Sprintf("p%06d", written), &page{Text: strings.Repeat("x", 3000)})
		})
	}
	fill := func(reserve bool) (n int) {
		t.Helper()
		for n < 5000 {
			if err := insert(reserve); errors.Is(err, kv.ErrFull) {
				return n
			} else if err != nil {
				t.Fatal(err)
			}
			n++
		}
		t.Fatal("never full")
		return n
	}
	first, more := fill(false), fill(true)
	if first < 100 || more < 50 || more > first {
		t.Errorf("%d records, then %d of the reserve", first, more)
	}
	for i := range (first + more) / 2 {
		err := s.Update(t.Context(), func(tx kv.Tx) error { return pages.Delete(tx, "a", fmt.Sprintf("p%06d", i+1)) })
		if err != nil {
			t.Fatalf("delete %d while full: %v", i, err)
		}
	}
	if err := insert(false); err != nil {
		t.Errorf("after there was space: %v", err)
	}
}
