package kvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"edgesvc.dev/svc/kv"
)

// put returns an Update function that writes "key=value" pairs, and deletes
// where there is no value.
func put(pairs ...string) func(kv.Tx) error {
	return func(tx kv.Tx) error {
		for _, p := range pairs {
			k, v, ok := strings.Cut(p, "=")
			var err error
			if ok {
				err = tx.Put([]byte(k), []byte(v))
			} else {
				err = tx.Delete([]byte(k))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// wantPairs compares the pairs of r with "key=value" pairs.
func wantPairs(t testing.TB, tx kv.Tx, r kv.Range, want ...string) {
	t.Helper()
	pairs, err := scan(tx, r)
	if err != nil {
		t.Errorf("scan: %v", err)
	}
	var got []string
	for _, p := range pairs {
		got = append(got, p.key+"="+p.value)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("scan %q to %q, reverse %v:\n got %v\nwant %v", r.From, r.To, r.Reverse, got, want)
	}
}

func wantValue(t testing.TB, tx kv.Tx, key, want string) {
	t.Helper()
	v, err := tx.Get([]byte(key))
	if err != nil || string(v) != want {
		t.Errorf("get %q: %q, %v; want %q", key, v, err, want)
	}
}

func testReadYourWrites(t *testing.T, s kv.Store) {
	mustUpdate(t, s, put("a=1", "b=1"))
	mustUpdate(t, s, func(tx kv.Tx) error {
		if err := put("a=2", "b", "c=2")(tx); err != nil {
			return err
		}
		wantValue(t, tx, "a", "2")
		wantValue(t, tx, "b", "")
		wantValue(t, tx, "c", "2")
		return put("c", "b=3")(tx)
	})
	mustView(t, s, func(tx kv.Tx) error {
		wantPairs(t, tx, kv.Range{}, "a=2", "b=3")
		return nil
	})
}

func testScanMergesWrites(t *testing.T, s kv.Store) {
	mustUpdate(t, s, put("a=0", "b=0", "d=0", "e=0", "f=0", "h=0"))
	mustUpdate(t, s, func(tx kv.Tx) error {
		if err := put("a", "b=1", "c=1", "e", "g=1", "h", "i=1", "j=1", "j")(tx); err != nil {
			return err
		}
		for _, c := range []struct {
			from, to string
			want     []string
		}{
			{"", "", []string{"b=1", "c=1", "d=0", "f=0", "g=1", "i=1"}},
			{"b", "g", []string{"b=1", "c=1", "d=0", "f=0"}},
			{"c", "c\x00", []string{"c=1"}},
			{"bb", "ff", []string{"c=1", "d=0", "f=0"}},
			{"g", "", []string{"g=1", "i=1"}},
			{"x", "", nil},
			{"d", "d", nil},
			{"f", "c", nil},
		} {
			r := kv.Range{From: []byte(c.from), To: []byte(c.to)}
			if c.to == "" {
				r.To = nil
			}
			wantPairs(t, tx, r, c.want...)
			r.Reverse = true
			wantPairs(t, tx, r, reversed(c.want)...)
		}
		return nil
	})
}

func reversed(in []string) (out []string) {
	for i := range in {
		out = append(out, in[len(in)-1-i])
	}
	return out
}

func testScanStops(t *testing.T, s kv.Store) {
	mustUpdate(t, s, put("a=1", "b=1", "c=1"))
	ownError := errors.New("enough")
	steps := func(tx kv.Tx) error { //nolint:unparam // what View and Update take
		for want, end := range map[error]error{nil: kv.Stop, ownError: ownError} {
			n := 0
			err := tx.Scan(kv.Range{}, func(_, _ []byte) error {
				if n++; n == 2 {
					return end
				}
				return nil
			})
			if n != 2 || !errors.Is(err, want) {
				t.Errorf("scan ended by %v: %v after %d pairs; want %v after 2", end, err, n, want)
			}
		}
		return nil
	}
	mustView(t, s, steps)
	mustUpdate(t, s, func(tx kv.Tx) error {
		return errors.Join(put("b=2", "bb=2")(tx), steps(tx))
	})
}

func testEmptyIsAbsent(t *testing.T, s kv.Store) {
	mustUpdate(t, s, put("a=1", "b=1", "c=1"))
	mustUpdate(t, s, func(tx kv.Tx) error {
		if err := errors.Join(tx.Put([]byte("a"), nil), tx.Put([]byte("b"), []byte{})); err != nil {
			return err
		}
		wantValue(t, tx, "a", "")
		wantPairs(t, tx, kv.Range{}, "c=1")
		return tx.Delete([]byte("never written"))
	})
	mustView(t, s, func(tx kv.Tx) error {
		for _, key := range []string{"a", "b", "never written"} {
			if v, err := tx.Get([]byte(key)); v != nil || err != nil {
				t.Errorf("get %q: %q, %v; want nil", key, v, err)
			}
		}
		wantPairs(t, tx, kv.Range{}, "c=1")
		return nil
	})
}

func testArgumentsAreCopied(t *testing.T, s kv.Store) {
	mustUpdate(t, s, func(tx kv.Tx) error {
		k, v := []byte("key"), []byte("value")
		if err := tx.Put(k, v); err != nil {
			return err
		}
		copy(k, "xxx")
		copy(v, "yyyyy")
		if err := tx.Delete(k); err != nil {
			return err
		}
		copy(k, "key")
		wantValue(t, tx, "key", "value")
		return nil
	})
	mustView(t, s, func(tx kv.Tx) error {
		wantPairs(t, tx, kv.Range{}, "key=value")
		return nil
	})
}

func testViewIsReadOnly(t *testing.T, s kv.Store) {
	mustUpdate(t, s, put("a=1"))
	mustView(t, s, func(tx kv.Tx) error {
		if err := tx.Put([]byte("a"), []byte("2")); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("put: %v", err)
		}
		if err := tx.Delete([]byte("a")); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("delete: %v", err)
		}
		return nil
	})
	if got := dump(t, s); !equalPairs(got, []pair{{"a", "1"}}) {
		t.Errorf("after a View that tried to write: %v", got)
	}
	refused := errors.New("no")
	if err := s.View(t.Context(), func(kv.Tx) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("View returned %v instead of its function's error", err)
	}
}

func testViewIsASnapshot(t *testing.T, s kv.Store) {
	mustUpdate(t, s, put("a=1", "b=1"))
	mustView(t, s, func(tx kv.Tx) error {
		wantValue(t, tx, "a", "1")
		mustUpdate(t, s, put("a=2", "b", "c=2"))
		wantValue(t, tx, "a", "1")
		wantPairs(t, tx, kv.Range{}, "a=1", "b=1")
		return nil
	})
	mustView(t, s, func(tx kv.Tx) error {
		wantPairs(t, tx, kv.Range{}, "a=2", "c=2")
		return nil
	})
}

func testFailureLeavesNothing(t *testing.T, s kv.Store) {
	mustUpdate(t, s, put("a=1", "b=1"))
	refused := errors.New("no")
	err := s.Update(t.Context(), func(tx kv.Tx) error {
		return errors.Join(put("a=2", "b", "c=2")(tx), nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), func(tx kv.Tx) error {
		if err := put("a=3", "c", "d=3")(tx); err != nil {
			return err
		}
		return refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("Update returned %v instead of its function's error", err)
	}
	if got := dump(t, s); !equalPairs(got, []pair{{"a", "2"}, {"c", "2"}}) {
		t.Errorf("after a failed Update: %v", got)
	}
}

func testPanicLeavesNothing(t *testing.T, s kv.Store) {
	mustUpdate(t, s, put("a=1"))
	for _, call := range []func(context.Context, func(kv.Tx) error) error{s.Update, s.View} {
		p := recovered(func() {
			_ = call(t.Context(), func(tx kv.Tx) error {
				_ = put("a=2", "b=2")(tx)
				panic("broken domain")
			})
		})
		if !strings.Contains(fmt.Sprint(p), "broken domain") {
			t.Errorf("the caller recovered %v", p)
		}
	}
	if got := dump(t, s); !equalPairs(got, []pair{{"a", "1"}}) {
		t.Errorf("after a panic: %v", got)
	}
	mustUpdate(t, s, put("a=3"))
}

// recovered is what fn panics with.
func recovered(fn func()) (p any) {
	defer func() { p = recover() }()
	fn()
	return nil
}

func testOnCommit(t *testing.T, s kv.Store) {
	ran := ""
	hooked := func(name string, err error) func(kv.Tx) error {
		return func(tx kv.Tx) error {
			tx.OnCommit(func() { ran += name + "1" })
			tx.OnCommit(func() { ran += name + "2" })
			if err != nil {
				return err
			}
			return put("k=" + name)(tx)
		}
	}
	mustUpdate(t, s, hooked("a", nil))
	if ran != "a1a2" {
		t.Errorf("when Update returned, %q had run", ran)
	}
	_ = s.Update(t.Context(), hooked("b", errors.New("no")))
	_ = recovered(func() {
		_ = s.Update(t.Context(), func(tx kv.Tx) error {
			_ = hooked("c", nil)(tx)
			panic("no")
		})
	})
	mustUpdate(t, s, func(tx kv.Tx) error {
		tx.OnCommit(func() { ran += "d" }) // of a transaction without writes
		return nil
	})
	if ran != "a1a2d" {
		t.Errorf("%q ran; want a1a2d", ran)
	}
}

func testEndedContext(t *testing.T, s kv.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ran := false
	fn := func(kv.Tx) error { ran = true; return nil }
	if err := s.Update(ctx, fn); !errors.Is(err, context.Canceled) || ran {
		t.Errorf("Update: %v, ran %v", err, ran)
	}
	if err := s.View(ctx, fn); !errors.Is(err, context.Canceled) || ran {
		t.Errorf("View: %v, ran %v", err, ran)
	}
}

func testManyAndLarge(t *testing.T, s kv.Store) {
	large := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	const n = 3000
	key := func(i int) []byte { return kv.Key("many", kv.Uint64(uint64(i*7919%n))) }
	mustUpdate(t, s, func(tx kv.Tx) error {
		if err := tx.Put([]byte("large"), large); err != nil {
			return err
		}
		for i := range n {
			if err := tx.Put(key(i), fmt.Appendf(nil, "%d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	mustUpdate(t, s, func(tx kv.Tx) error { // leaves long gaps for scans to cross
		for i := range n {
			if j := i * 7919 % n; j >= 100 && j < n-100 {
				if err := tx.Delete(key(i)); err != nil {
					return err
				}
			}
		}
		wantCount(t, tx, "many", 200)
		return nil
	})
	mustView(t, s, func(tx kv.Tx) error {
		wantCount(t, tx, "many", 200)
		if v, err := tx.Get([]byte("large")); err != nil || !bytes.Equal(v, large) {
			t.Errorf("large value: %d bytes, %v", len(v), err)
		}
		return nil
	})
}

func testLimits(t *testing.T, s kv.Store) {
	for _, c := range []struct {
		what       string
		key, value int
		refused    bool
	}{
		{"the longest key", kv.MaxKey, 1, false}, {"a longer key", kv.MaxKey + 1, 1, true},
		{"the longest value", 1, kv.MaxValue, false}, {"a longer value", 1, kv.MaxValue + 1, true},
		{"no key", 0, 1, true}, {"a longer key to be deleted", kv.MaxKey + 1, 0, false},
	} {
		err := s.Update(t.Context(), func(tx kv.Tx) error { return tx.Put(bytes.Repeat([]byte("k"), c.key), make([]byte, c.value)) })
		if (err != nil) != c.refused {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	mustUpdate(t, s, func(tx kv.Tx) error { return tx.Delete([]byte("k")) })
	long := strings.Repeat("s", kv.MaxKey)
	before := dump(t, s)
	if err := s.Update(t.Context(), insert("d1", "a", doc{Slug: long, Status: "draft"})); err == nil {
		t.Error("a record whose index key is too long was stored")
	}
	if after := dump(t, s); !equalPairs(before, after) {
		t.Errorf("a refused record left %v", after)
	}
}

func wantCount(t *testing.T, tx kv.Tx, part string, want int) {
	t.Helper()
	r := kv.Prefix(kv.Key(part))
	for _, r.Reverse = range []bool{false, true} {
		if pairs, err := scan(tx, r); err != nil || len(pairs) != want {
			t.Errorf("%d pairs of %s, reverse %v, %v; want %d", len(pairs), part, r.Reverse, err, want)
		}
	}
}

func testClosed(t *testing.T, s kv.Store) {
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(t.Context(), put("a=1")); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("Update: %v", err)
	}
	if err := s.View(t.Context(), func(kv.Tx) error { return nil }); !errors.Is(err, kv.ErrClosed) {
		t.Errorf("View: %v", err)
	}
}
