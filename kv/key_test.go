package kv_test

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"edgesvc.dev/svc/kv"
)

func parts() *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune{0, 1, 'a', 'b', 0xff}), 0, 3, -1), 0, 4)
}

func TestKeysSortAsTheirParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := parts().Draw(t, "a"), parts().Draw(t, "b")
		if got, want := bytes.Compare(kv.Key(a...), kv.Key(b...)), slices.Compare(a, b); got != want {
			t.Errorf("keys of %q and %q compare as %d, the parts as %d", a, b, got, want)
		}
	})
}

func TestSplitPartReversesKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := parts().Draw(t, "parts")
		var got []string
		for rest := kv.Key(want...); len(rest) > 0; {
			part, after, ok := kv.SplitPart(rest)
			if !ok {
				t.Fatalf("no part in %q", rest)
			}
			got, rest = append(got, part), after
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q became %q", want, got)
		}
	})
}

func FuzzSplitPart(f *testing.F) {
	f.Add([]byte("a\x00\xffb\x00c"))
	f.Add([]byte{0})
	f.Fuzz(func(t *testing.T, key []byte) {
		part, rest, ok := kv.SplitPart(key)
		if ok && !bytes.Equal(append(kv.Key(part), rest...), key) {
			t.Errorf("%q is not %q and %q", key, part, rest)
		}
	})
}

func FuzzCheckValue(f *testing.F) {
	f.Add([]byte("key"), []byte{1, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, key, value []byte) {
		if reason, ok := kv.CheckValue(key, value); ok == (reason != "") {
			t.Errorf("ok %v with reason %q", ok, reason)
		}
	})
}

func TestPrefixHoldsWhatStartsWithIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 'a', 0xfe, 0xff}), 0, 4)
		p, key := some.Draw(t, "prefix"), some.Draw(t, "key")
		r := kv.Prefix(p)
		inside := bytes.Compare(key, r.From) >= 0 && (r.To == nil || bytes.Compare(key, r.To) < 0)
		if inside != bytes.HasPrefix(key, p) {
			t.Errorf("key %x, prefix %x: range %x to %x", key, p, r.From, r.To)
		}
	})
}

func TestUint64SortsByValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b")
		if (kv.Uint64(a) < kv.Uint64(b)) != (a < b) {
			t.Errorf("%d and %d sort differently", a, b)
		}
		if n, ok := kv.ParseUint64(kv.Uint64(a)); !ok || n != a {
			t.Errorf("%d became %d, %v", a, n, ok)
		}
	})
}

func TestIDsAscendAndDiffer(t *testing.T) {
	const writers, each = 8, 2000
	made := make([][]string, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for range each {
				made[w] = append(made[w], kv.NewID("pst"))
			}
		})
	}
	wg.Wait()
	all := map[string]bool{}
	for _, ids := range made {
		if !slices.IsSorted(ids) {
			t.Error("the ids of one goroutine do not ascend")
		}
		for _, id := range ids {
			if all[id] || !kv.ValidID("pst", id) {
				t.Errorf("id %s comes twice or is not valid", id)
			}
			all[id] = true
		}
	}
}

func TestIDFloorBoundsByTime(t *testing.T) {
	at := time.Now().Add(time.Hour)
	id := kv.IDAt("pst", at)
	if id < kv.IDFloor("pst", at) || id >= kv.IDFloor("pst", at.Add(time.Millisecond)) {
		t.Errorf("%s is not within its millisecond", id)
	}
}

func TestValidIDRefuses(t *testing.T) {
	id := kv.NewID("pst")
	for _, bad := range []string{"", "pst", "pst_", id[1:], id + "0", strings.ToUpper(id), "per" + id[3:], id[:len(id)-1] + "u", "pst_8" + id[5:]} {
		if kv.ValidID("pst", bad) {
			t.Errorf("%q is taken for a valid id", bad)
		}
	}
}
