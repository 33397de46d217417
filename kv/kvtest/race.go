package kvtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"edgesvc.dev/svc/kv"
)

// testCounters adds from many goroutines; every number must be given out once.
func testCounters(t *testing.T, s kv.Store) {
	const writers, each = 24, 25
	var mu sync.Mutex // guards given
	given := map[uint64]int{}
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				var n uint64
				err := s.Update(noCancel, func(tx kv.Tx) (err error) {
					n, err = kv.Next(tx, []byte("counter"))
					return err
				})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				given[n]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for n := uint64(1); n <= writers*each; n++ {
		if given[n] != 1 {
			t.Errorf("number %d was given out %d times", n, given[n])
		}
	}
}

// testFailuresSpoilNoOther runs failing and panicking functions among others
// that must all succeed.
func testFailuresSpoilNoOther(t *testing.T, s kv.Store) {
	const writers, each = 16, 30
	refused := errors.New("no")
	var wg sync.WaitGroup
	var hooks atomic.Int64
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				key := fmt.Appendf(nil, "w%d-%d", w, i)
				kind := rand.IntN(4)
				var err error
				p := recovered(func() {
					err = s.Update(noCancel, func(tx kv.Tx) error {
						tx.OnCommit(func() { hooks.Add(1) })
						if err := tx.Put(key, []byte{byte('0' + kind)}); err != nil {
							return err
						}
						switch kind {
						case 0:
							panic(refused)
						case 1:
							return refused
						}
						return nil
					})
				})
				if (kind == 0) != (p != nil) || (kind == 1) != errors.Is(err, refused) || kind > 1 && err != nil {
					t.Errorf("kind %d: panic %v, error %v", kind, p, err)
				}
				if kind < 2 {
					hooks.Add(1) // so that every call counts once
				}
				mustView(t, s, func(tx kv.Tx) error {
					if v, err := tx.Get(key); err != nil || (v != nil) != (kind > 1) {
						t.Errorf("kind %d: stored %q, %v", kind, v, err)
					}
					return nil
				})
			}
		})
	}
	wg.Wait()
	if n := hooks.Load(); n != writers*each {
		t.Errorf("%d callbacks and failures for %d calls", n, writers*each)
	}
}

// slugCall is one client call about a slug; the answer is an id, "" for none,
// or "ok".
type slugCall struct {
	slug, op, id string
}

// slugModel says what calls may answer if they happened one at a time: the
// state is the id that holds the slug.
var slugModel = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		holder, in, out := state.(string), input.(slugCall), output.(string)
		switch {
		case in.op == "take" && holder == "":
			return out == "ok", in.id
		case in.op == "release" && holder == in.id:
			return out == "ok", ""
		case in.op == "release":
			return out == "", holder
		}
		return out == holder, holder
	},
}

// testRacingSlugs lets clients take, release and find few slugs, and wants
// their answers to be linearizable.
func testRacingSlugs(t *testing.T, s kv.Store) {
	histories := raceForSlugs(t, s)
	for slug, history := range histories {
		if !porcupine.CheckOperations(slugModel, history) {
			t.Errorf("%d calls about %s have no order that explains their answers", len(history), slug)
		}
	}
	mustView(t, s, checkDocs(t))
}

func raceForSlugs(t testing.TB, s kv.Store) map[string][]porcupine.Operation {
	start := time.Now()
	var mu sync.Mutex // guards histories
	histories := map[string][]porcupine.Operation{}
	var wg sync.WaitGroup
	for client := range 8 {
		wg.Go(func() {
			for i := range 60 {
				in := slugCall{slug: fmt.Sprint("slug", rand.IntN(3)), op: []string{"take", "take", "release", "find"}[rand.IntN(4)], id: fmt.Sprint("d", client)}
				in.id += in.slug
				op := porcupine.Operation{ClientId: client, Input: in, Call: int64(time.Since(start))}
				out, err := in.call(s)
				if err != nil {
					t.Errorf("%v, call %d: %v", in, i, err)
				}
				op.Output, op.Return = out, int64(time.Since(start))
				mu.Lock()
				histories[in.slug] = append(histories[in.slug], op)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return histories
}

func (c slugCall) call(s kv.Store) (out string, err error) {
	switch c.op {
	case "take":
		err = s.Update(noCancel, insert(c.id, "a", doc{Slug: c.slug, Status: "live"}))
	case "release":
		err = s.Update(noCancel, func(tx kv.Tx) error { return docs.Delete(tx, "a", c.id) })
	default:
		err = s.View(noCancel, func(tx kv.Tx) (err error) {
			out, _, err = docs.Find(tx, "a", "slug", kv.Key(c.slug))
			return err
		})
		if err == nil {
			return out, nil
		}
	}
	if conflict, ok := errors.AsType[*kv.ConflictError](err); ok {
		return strings.Clone(conflict.ID), nil
	}
	if _, ok := errors.AsType[*kv.NotFoundError](err); ok {
		return "", nil
	}
	return "ok", err
}
