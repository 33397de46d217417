package bolt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"edgesvc.dev/svc/kv"
)

func open(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "data", "svc.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestCountersFromManyWriters(t *testing.T) {
	s := open(t, Options{})
	ctx := context.Background()
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for range 20 {
				if err := s.Update(ctx, func(tx kv.Tx) error { _, err := kv.Next(tx, []byte("n")); return err }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	var n uint64
	boom := errors.New("boom")
	err := s.Update(ctx, func(tx kv.Tx) (err error) {
		n, err = kv.Next(tx, []byte("n"))
		if err == nil {
			err = boom
		}
		return err
	})
	if !errors.Is(err, boom) || n != 641 {
		t.Fatal(n, err)
	}
	fmt.Printf("%+v\n", s.Stats())
}
