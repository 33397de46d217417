package bolt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"edgesvc.dev/svc/kv"
)

// TestMaxSize fills a store up to its own limit. Deleting must work then, and
// make space.
func TestMaxSize(t *testing.T) {
	for _, size := range []int64{1 << 20, 5 << 20} {
		path := filepath.Join(t.TempDir(), "svc.db")
		testFull(t, path, Options{MaxSize: size}, func(s *Store, acked []string) []string {
			half := len(acked) / 2
			for ids := range slices.Chunk(acked[:half], 10) {
				err := s.Update(t.Context(), func(tx kv.Tx) error {
					for _, id := range ids {
						if err := errors.Join(items.Delete(tx, teamOf(id), id), uncountItem(tx)); err != nil {
							return err
						}
					}
					return nil
				})
				if err != nil {
					t.Fatalf("delete while full: %v", err)
				}
			}
			return acked[half:]
		})
		if st, err := os.Stat(path); err != nil || st.Size() > size {
			t.Errorf("the file has %d bytes, %v; want at most %d", st.Size(), err, size)
		}
	}
}

// testFull writes until the store is full, makes space and writes again.
func testFull(t *testing.T, path string, o Options, makeSpace func(s *Store, acked []string) (left []string)) {
	t.Helper()
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() // again, unless the test ends early
	var acked []string
	tried := 0
	write := func(n int) (refused int) {
		for range n {
			var ids []string
			err := s.Update(t.Context(), func(tx kv.Tx) error {
				for ids = nil; len(ids) < 10; {
					tried++
					ids = append(ids, fmt.Sprintf("i%06d", tried))
					if err := command(ids[len(ids)-1])(tx); err != nil {
						return err
					}
				}
				return nil
			})
			if err == nil {
				acked = append(acked, ids...)
			} else if refused++; !errors.Is(err, kv.ErrFull) {
				t.Fatalf("after %d items: %v", len(acked), err)
			}
		}
		return refused
	}
	for write(10) < 10 {
		if len(acked) > 100000 {
			t.Fatal("never full")
		}
	}
	for _, id := range acked {
		if err := s.View(t.Context(), func(tx kv.Tx) error { return wrongItem(tx, id) }); err != nil {
			t.Fatalf("while full: %v", err)
		}
	}
	full := len(acked)
	acked = makeSpace(s, acked)
	if refused := write(5); refused > 0 {
		t.Errorf("%d of 5 writes refused after there was space", refused)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if wrong := verify(path, acked); len(wrong) > 0 {
		t.Errorf("%d acknowledged: %.500s", len(acked), fmt.Sprint(wrong))
	}
	t.Logf("full after %d items, %d at the end", full, len(acked))
}
