package kvtest

import (
	"fmt"
	"strings"
	"testing"

	"edgesvc.dev/svc/kv"
)

// pages reads page after page and returns the ids of each, joined by spaces.
func pages(t testing.TB, tx kv.Tx, team string, p kv.Page[doc]) (all []string) {
	t.Helper()
	for {
		r, err := docs.List(tx, team, p)
		if err != nil {
			t.Errorf("list: %v", err)
			return all
		}
		if len(r.IDs) != len(r.Records) || len(r.IDs) > p.Limit {
			t.Errorf("a page of %d has %d ids and %d records", p.Limit, len(r.IDs), len(r.Records))
		}
		all = append(all, strings.Join(r.IDs, " "))
		if !r.More {
			return all
		}
		if string(r.Next) == string(p.After) {
			t.Errorf("the page after %q leads to itself", p.After)
			return all
		}
		p.After = r.Next
	}
}

func wantPages(t testing.TB, tx kv.Tx, what string, p kv.Page[doc], want ...string) {
	t.Helper()
	if got := pages(t, tx, "a", p); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
	all := len(strings.Fields(strings.Join(want, " ")))
	for _, most := range []int{all - 1, all, all + 1} {
		n, ok, err := docs.Total(tx, "a", p, most)
		if want := p.Keep == nil && most >= all; most >= 0 && (err != nil || ok != want || ok && n != all) {
			t.Errorf("%s: counted %d (%v) of %d with at most %d, %v", what, n, ok, all, most, err)
		}
	}
}

func insertNumbered(t *testing.T, s kv.Store) {
	mustUpdate(t, s, func(tx kv.Tx) error {
		for i := range 10 {
			d := doc{Status: []string{"draft", "live"}[i%2], Rank: uint64(i / 2), Tags: []string{"all"}}
			if i < 4 {
				d.Tags = append(d.Tags, "low")
			}
			if err := docs.Insert(tx, "a", fmt.Sprint("d", i), &d); err != nil {
				return err
			}
		}
		return docs.Insert(tx, "b", "other", &doc{Status: "draft", Tags: []string{"all", "low"}})
	})
}

func testPages(t *testing.T, s kv.Store) {
	insertNumbered(t, s)
	look := func(tx kv.Tx) error { //nolint:unparam // what View and Update take
		tag := [][]byte{kv.Key("all")}
		wantPages(t, tx, "newest first", kv.Page[doc]{Index: "tag", Prefixes: tag, Limit: 4}, "d9 d8 d7 d6", "d5 d4 d3 d2", "d1 d0")
		wantPages(t, tx, "oldest first", kv.Page[doc]{Index: "tag", Prefixes: tag, Limit: 5, Ascending: true}, "d0 d1 d2 d3 d4", "d5 d6 d7 d8 d9")
		wantPages(t, tx, "one page", kv.Page[doc]{Index: "tag", Prefixes: tag, Limit: 100}, "d9 d8 d7 d6 d5 d4 d3 d2 d1 d0")
		wantPages(t, tx, "whole index", kv.Page[doc]{Index: "status", Limit: 7}, "d9 d7 d5 d3 d1 d8 d6", "d4 d2 d0")
		wantPages(t, tx, "nothing", kv.Page[doc]{Index: "tag", Prefixes: [][]byte{kv.Key("none")}, Limit: 7}, "")
		wantPages(t, tx, "two pages of one", kv.Page[doc]{Index: "tag", Prefixes: [][]byte{kv.Key("low")}, Limit: 1}, "d3", "d2", "d1", "d0")
		return nil
	}
	mustView(t, s, look)
	mustUpdate(t, s, func(tx kv.Tx) error { // the same, partly in writes that are not durable yet
		for _, id := range []string{"d9", "d4", "d0"} {
			d, err := docs.Get(tx, "a", id)
			if err != nil {
				return err
			}
			if err := docs.Delete(tx, "a", id); err != nil {
				return err
			}
			if err := docs.Insert(tx, "a", id, d); err != nil {
				return err
			}
		}
		return look(tx)
	})
}

// fetchedTx notes what it is asked to fetch, and the reads that were not fetched.
type fetchedTx struct {
	kv.Tx
	fetched map[string]bool
	calls   int
	missed  []string
}

func (f *fetchedTx) Prefetch(keys [][]byte) {
	f.calls++
	for _, k := range keys {
		f.fetched[string(k)] = true
	}
}

func (f *fetchedTx) Get(key []byte) ([]byte, error) {
	if !f.fetched[string(key)] {
		f.missed = append(f.missed, string(key))
	}
	return f.Tx.Get(key)
}

// testPrefetch wants a list to say which records it is about to read, in one go.
func testPrefetch(t *testing.T, s kv.Store) {
	insertNumbered(t, s)
	mustView(t, s, func(tx kv.Tx) error {
		f := &fetchedTx{Tx: tx, fetched: map[string]bool{}}
		r, err := docs.List(f, "a", kv.Page[doc]{Index: "tag", Prefixes: [][]byte{kv.Key("all")}, Limit: 5})
		if err != nil || len(r.IDs) != 5 || len(f.missed) > 0 || f.calls != 1 {
			t.Errorf("a page of %d records in %d fetches; read without: %q, %v", len(r.IDs), f.calls, f.missed, err)
		}
		kv.Prefetch(tx, kv.Key("doc")) // a hint that a store may not take
		return nil
	})
}

func testMergedPages(t *testing.T, s kv.Store) {
	insertNumbered(t, s)
	mustView(t, s, func(tx kv.Tx) error {
		both := [][]byte{kv.Key("draft"), kv.Key("live")}
		wantPages(t, tx, "merged, newest first", kv.Page[doc]{Index: "status", Prefixes: both, Limit: 3}, "d9 d8 d7", "d6 d5 d4", "d3 d2 d1", "d0")
		wantPages(t, tx, "merged, oldest first", kv.Page[doc]{Index: "status", Prefixes: both, Limit: 6, Ascending: true}, "d0 d1 d2 d3 d4 d5", "d6 d7 d8 d9")
		tags := [][]byte{kv.Key("low"), kv.Key("all")}
		wantPages(t, tx, "listed under two prefixes", kv.Page[doc]{Index: "tag", Prefixes: tags, Limit: 8}, "d9 d8 d7 d6 d5 d4 d3 d2", "d1 d0")
		wantPages(t, tx, "listed under two prefixes, singly", kv.Page[doc]{Index: "tag", Prefixes: tags, Limit: 1, Ascending: true, To: []byte("d3")}, "d0", "d1", "d2")
		return nil
	})
}

func testBoundedPages(t *testing.T, s kv.Store) {
	insertNumbered(t, s)
	mustView(t, s, func(tx kv.Tx) error {
		p := kv.Page[doc]{Index: "status", Prefixes: [][]byte{kv.Key("draft")}, Limit: 2, From: kv.Key(kv.Uint64(1)), To: kv.Key(kv.Uint64(4))}
		wantPages(t, tx, "between", p, "d6 d4", "d2")
		p.Ascending = true
		wantPages(t, tx, "between, oldest first", p, "d2 d4", "d6")
		p.From, p.To = p.To, p.From
		wantPages(t, tx, "nothing between", p, "")

		even := func(d *doc) bool { return d.Rank%2 == 0 }
		all := [][]byte{kv.Key("all")}
		wantPages(t, tx, "kept", kv.Page[doc]{Index: "tag", Prefixes: all, Limit: 4, Keep: even}, "d9 d8 d5 d4", "d1 d0")
		wantPages(t, tx, "kept, on a budget", kv.Page[doc]{Index: "tag", Prefixes: all, Limit: 9, Budget: 3, Keep: even}, "d9 d8", "d5 d4", "d1", "d0")
		none := func(*doc) bool { return false }
		wantPages(t, tx, "none kept", kv.Page[doc]{Index: "tag", Prefixes: all, Limit: 9, Budget: 4, Keep: none}, "", "", "")
		return nil
	})
}
