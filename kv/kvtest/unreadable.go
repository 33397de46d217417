package kvtest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"testing"

	"edgesvc.dev/svc/kv"
)

// Respell puts other text of the same length into the stored value of key and
// makes its checksum right: it writes what a Table refuses to write.
func Respell(tx kv.Tx, key []byte, old, text string) error {
	raw, err := tx.Get(key)
	if err != nil {
		return err
	}
	v := bytes.Replace(raw, []byte(old), []byte(text), 1)
	if len(old) != len(text) || bytes.Equal(v, raw) {
		return fmt.Errorf("%q is not in the value of %q", old, key)
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	binary.BigEndian.PutUint32(v[1:], crc32.Update(crc32.Checksum(key, table), table, v[5:])^uint32(v[0]))
	return tx.Put(key, v)
}

// Damage breaks the checksum of the stored value of key, as a failing disk does.
func Damage(tx kv.Tx, key []byte) error {
	v, err := tx.Get(key)
	if err != nil {
		return err
	}
	v = bytes.Clone(v)
	v[len(v)-1] ^= 1
	return tx.Put(key, v)
}

func testRefusesWhatCannotBeRead(t *testing.T, s kv.Store) {
	mustUpdate(t, s, insert("d1", "a", doc{Slug: "one", Status: "draft"}))
	before := dump(t, s)
	for name, fn := range map[string]func(tx kv.Tx) error{
		"insert": insert("d2", "a", doc{Slug: "two", Status: "dra\xff"}),
		"put":    func(tx kv.Tx) error { return docs.Put(tx, "a", "d1", &doc{Slug: "uno", Tags: []string{"\xc3"}}) },
	} {
		err := s.Update(t.Context(), func(tx kv.Tx) error {
			if err := fn(tx); err != nil {
				_, refused := errors.AsType[*kv.UnreadableError](err)
				if !refused {
					t.Errorf("%s: %v", name, err)
				}
				return nil // what it left would be stored
			}
			t.Errorf("%s stored it", name)
			return nil
		})
		if after := dump(t, s); err != nil || !equalPairs(before, after) {
			t.Errorf("%s changed the store: %v", name, err)
		}
	}
}

// testUnreadableRecords steps over records that cannot be read, and drops them.
func testUnreadableRecords(t *testing.T, s kv.Store) {
	for i, team := range []string{"a", "a", "a", "b", "a"} {
		id := fmt.Sprint("d", i)
		mustUpdate(t, s, insert(id, team, doc{Slug: "slug-" + id, Status: "live", Tags: []string{"x"}}))
		mustUpdate(t, s, func(tx kv.Tx) error {
			return errors.Join(docs.PutBody(tx, team, id, []byte("body")), docs.PutBody(tx, team, id+".1", []byte("part")))
		})
	}
	entry := kv.Key("doc", "i", "tag", "a", "x", "d4")
	mustUpdate(t, s, func(tx kv.Tx) error {
		return errors.Join(
			Respell(tx, kv.Key("doc", "r", "d1"), "slug-d1", "slug-d\xff"),
			Respell(tx, kv.Key("doc", "r", "d3"), "slug-d3", "slug-d\xff"),
			tx.Put(entry, []byte("spoiled")))
	})
	var skipped []string
	skip := func(e *kv.CorruptError) { skipped = append(skipped, kv.Describe(e.Key)) }
	mustView(t, s, func(tx kv.Tx) error {
		if _, err := docs.List(tx, "a", kv.Page[doc]{Index: "tag", Limit: 9}); !corrupt(err) {
			t.Errorf("list without skip: %v", err)
		}
		var ids []string
		p := kv.Page[doc]{Index: "tag", Limit: 1, Ascending: true, Skip: skip}
		for more := true; more; {
			r, err := docs.List(tx, "a", p)
			if err != nil {
				return err
			}
			ids = append(ids, r.IDs...)
			p.After, more = r.Next, r.More
		}
		if !slices.Equal(ids, []string{"d0", "d2"}) || len(skipped) == 0 || !slices.Contains(skipped, "doc d1") {
			t.Errorf("list gave %v and stepped over %v", ids, skipped)
		}
		skipped, ids = nil, nil
		next, err := docs.EachReadable(tx, "", 9, skip, func(_, id string, _ *doc) error { ids = append(ids, id); return nil })
		if err != nil || next != "" || !slices.Equal(ids, []string{"d0", "d2", "d4"}) || !slices.Equal(skipped, []string{"doc d1", "doc d3"}) {
			t.Errorf("each gave %v, then %q, and stepped over %v (%v)", ids, next, skipped, err)
		}
		if next, err := docs.EachReadable(tx, "d0", 1, skip, nil); next != "d1" || err != nil {
			t.Errorf("a page that ends at such a record: %q, %v", next, err)
		}
		if _, err := docs.Each(tx, "", 9, func(string, string, *doc) error { return nil }); !corrupt(err) {
			t.Errorf("each: %v", err)
		}
		return nil
	})
	testRepair(t, s)
}

func corrupt(err error) bool {
	_, ok := errors.AsType[*kv.CorruptError](err)
	return ok
}

func testRepair(t *testing.T, s kv.Store) {
	var dropped []kv.Dropped
	mustUpdate(t, s, func(tx kv.Tx) error {
		dropped = nil
		for {
			n, err := docs.Repair(tx, func(d kv.Dropped) { dropped = append(dropped, d) })
			if err != nil || n == 0 {
				return err
			}
		}
	})
	var names []string
	for _, d := range dropped {
		names = append(names, kv.Describe(d.Key))
		if team, record := d.Show(); kv.Describe(d.Key) == "doc d3" && (team != "b" || record.(map[string]any)["slug"] != "slug-d\xff") {
			t.Errorf("what was dropped is shown as %q %v", team, record)
		}
	}
	slices.Sort(names)
	want := []string{"doc d1", "doc d3", "the body of doc d1", "the body of doc d1.1", "the body of doc d3", "the body of doc d3.1"}
	if !slices.Equal(names, want) {
		t.Errorf("dropped %q, want %q", names, want)
	}
	mustView(t, s, func(tx kv.Tx) error {
		for team, want := range map[string][]string{"a": {"d0", "d2", "d4"}, "b": nil} {
			r, err := docs.List(tx, team, kv.Page[doc]{Index: "tag", Limit: 9, Ascending: true})
			if err != nil || !slices.Equal(r.IDs, want) {
				t.Errorf("team %s lists %v, %v", team, r, err)
			}
			n, err := kv.CountDropped(tx, "doc", team)
			if err != nil || n != 1 {
				t.Errorf("%d dropped of team %s, %v", n, team, err)
			}
		}
		return checkDocs(t)(tx)
	})
}
