package kvtest

import (
	"errors"
	"testing"

	"edgesvc.dev/svc/kv"
)

// doc is the record of the table cases.
type doc struct {
	Slug   string   `json:"slug"`
	Status string   `json:"status"`
	Tags   []string `json:"tags,omitempty"`
	Rank   uint64   `json:"rank"`
}

var docs = kv.NewTable("doc",
	kv.Index[doc]{Name: "slug", Unique: true, Keys: func(d *doc, add func([]byte)) {
		if d.Slug != "" {
			add(kv.Key(d.Slug))
		}
	}},
	kv.Index[doc]{Name: "status", Keys: func(d *doc, add func([]byte)) {
		add(kv.Key(d.Status, kv.Uint64(d.Rank)))
	}},
	kv.Index[doc]{Name: "tag", Keys: func(d *doc, add func([]byte)) {
		for _, tag := range d.Tags {
			add(kv.Key(tag))
		}
	}},
)

// other has a name that starts with the name of docs.
var other = kv.NewTable[doc]("docs")

func checkDocs(t testing.TB) func(kv.Tx) error {
	return func(tx kv.Tx) error {
		return docs.Check(tx, func(key []byte, reason string) { t.Errorf("check: %q: %s", key, reason) })
	}
}

func insert(id, team string, d doc) func(kv.Tx) error {
	return func(tx kv.Tx) error { return docs.Insert(tx, team, id, &d) }
}

func wantDoc(t testing.TB, tx kv.Tx, team, id, status string) {
	t.Helper()
	d, err := docs.Get(tx, team, id)
	if err != nil {
		t.Errorf("get %s of %s: %v", id, team, err)
	} else if d.Status != status {
		t.Errorf("get %s of %s: status %q, want %q", id, team, d.Status, status)
	}
}

func wantMissing(t testing.TB, what string, err error) {
	t.Helper()
	if _, ok := errors.AsType[*kv.NotFoundError](err); !ok {
		t.Errorf("%s: %v; want a *NotFoundError", what, err)
	}
}

func testRecords(t *testing.T, s kv.Store) {
	mustUpdate(t, s, insert("d1", "a", doc{Slug: "one", Status: "draft", Tags: []string{"x", "y"}}))
	mustUpdate(t, s, func(tx kv.Tx) error {
		wantDoc(t, tx, "a", "d1", "draft")
		if err := docs.Put(tx, "a", "d1", &doc{Slug: "uno", Status: "live", Tags: []string{"y", "z"}}); err != nil {
			return err
		}
		wantDoc(t, tx, "a", "d1", "live")
		_, _, err := docs.Find(tx, "a", "slug", kv.Key("one"))
		wantMissing(t, "find by the old slug", err)
		id, d, err := docs.Find(tx, "a", "slug", kv.Key("uno"))
		if err != nil || id != "d1" || d.Status != "live" {
			t.Errorf("find by the new slug: %s %v %v", id, d, err)
		}
		for tag, want := range map[string]int{"x": 0, "y": 1, "z": 1} {
			r, err := docs.List(tx, "a", kv.Page[doc]{Index: "tag", Prefixes: [][]byte{kv.Key(tag)}, Limit: 9})
			if err != nil || len(r.Records) != want {
				t.Errorf("%d records with tag %s, %v; want %d", len(r.Records), tag, err, want)
			}
		}
		wantMissing(t, "put of a missing record", docs.Put(tx, "a", "d2", &doc{}))
		wantMissing(t, "delete of a missing record", docs.Delete(tx, "a", "d2"))
		return checkDocs(t)(tx)
	})
	mustUpdate(t, s, func(tx kv.Tx) error { return docs.Delete(tx, "a", "d1") })
	if left := dump(t, s); len(left) != 0 {
		t.Errorf("a deleted record leaves %v", left)
	}
}

func testUniqueIndex(t *testing.T, s kv.Store) {
	mustUpdate(t, s, insert("d1", "a", doc{Slug: "one", Status: "draft"}))
	mustUpdate(t, s, insert("d2", "a", doc{Slug: "two", Status: "draft"}))
	mustUpdate(t, s, insert("d3", "b", doc{Slug: "one", Status: "draft"}))        // another team's
	wantConflict := func(what, index, key, holder string, fn func(kv.Tx) error) { //nolint:unparam // the holder is what counts
		t.Helper()
		err := s.Update(t.Context(), fn)
		c, ok := errors.AsType[*kv.ConflictError](err)
		if !ok || c.Table != "doc" || c.Index != index || c.Key != key || c.ID != holder {
			t.Errorf("%s: %#v; want a conflict with %s", what, err, holder)
		}
	}
	wantConflict("insert", "slug", "one", "d1", insert("d4", "a", doc{Slug: "one"}))
	wantConflict("the same id", "id", "d1", "d1", insert("d1", "a", doc{Slug: "new"}))
	wantConflict("another team's id", "id", "d1", "d1", insert("d1", "b", doc{Slug: "new"}))
	wantConflict("put", "slug", "one", "d1", func(tx kv.Tx) error {
		return docs.Put(tx, "a", "d2", &doc{Slug: "one"})
	})
	mustUpdate(t, s, func(tx kv.Tx) error { // the slug of a record that keeps it, then of one that gave it up
		if err := docs.Put(tx, "a", "d1", &doc{Slug: "one", Status: "live"}); err != nil {
			return err
		}
		if err := docs.Delete(tx, "a", "d1"); err != nil {
			return err
		}
		return docs.Put(tx, "a", "d2", &doc{Slug: "one", Status: "live"})
	})
	mustView(t, s, checkDocs(t))
}

func testTeams(t *testing.T, s kv.Store) {
	mustUpdate(t, s, insert("d1", "a", doc{Slug: "one", Status: "draft", Tags: []string{"x"}}))
	mustUpdate(t, s, insert("d2", "ab", doc{Slug: "two", Status: "draft", Tags: []string{"x"}}))
	mustUpdate(t, s, func(tx kv.Tx) error {
		return errors.Join(docs.PutBody(tx, "a", "d1", []byte("text")), other.Insert(tx, "a", "d9", &doc{}))
	})
	before := dump(t, s)
	mustUpdate(t, s, func(tx kv.Tx) error {
		for _, team := range []string{"ab", "b", ""} {
			_, err := docs.Get(tx, team, "d1")
			wantMissing(t, "get", err)
			wantMissing(t, "put", docs.Put(tx, team, "d1", &doc{Slug: "mine"}))
			wantMissing(t, "delete", docs.Delete(tx, team, "d1"))
			_, _, err = docs.Find(tx, team, "slug", kv.Key("one"))
			wantMissing(t, "find", err)
			if ok, err := docs.Exists(tx, team, "d1"); ok || err != nil {
				t.Errorf("exists for team %q: %v, %v", team, ok, err)
			}
			if b, err := docs.Body(tx, team, "d1"); b != nil || err != nil {
				t.Errorf("body for team %q: %q, %v", team, b, err)
			}
		}
		r, err := docs.List(tx, "a", kv.Page[doc]{Index: "tag", Limit: 9})
		if err != nil || len(r.IDs) != 1 || r.IDs[0] != "d1" {
			t.Errorf("list of team a: %v, %v", r, err)
		}
		return nil
	})
	if after := dump(t, s); !equalPairs(before, after) {
		t.Errorf("other teams changed the store:\n%v\n%v", before, after)
	}
}

func testBodies(t *testing.T, s kv.Store) {
	mustUpdate(t, s, insert("d1", "a", doc{Status: "draft"}))
	for _, body := range []string{"first", "", "second"} {
		mustUpdate(t, s, func(tx kv.Tx) error { return docs.PutBody(tx, "a", "d1", []byte(body)) })
		mustView(t, s, func(tx kv.Tx) error {
			if b, err := docs.Body(tx, "a", "d1"); err != nil || string(b) != body || (b == nil) != (body == "") {
				t.Errorf("body: %q, %v; want %q", b, err, body)
			}
			return checkDocs(t)(tx)
		})
	}
	mustUpdate(t, s, func(tx kv.Tx) error {
		for _, id := range []string{"d1", "d1.0", "d1.1"} {
			if err := docs.PutBody(tx, "a", id, []byte("body of "+id)); err != nil {
				return err
			}
			wantMissing(t, "body of another team's record", docs.PutBody(tx, "b", id, []byte("mine")))
			wantMissing(t, "body of a missing record", docs.PutBody(tx, "a", "d2"+id, []byte("text")))
		}
		return docs.Put(tx, "a", "d1", &doc{Status: "live"}) // keeps the bodies
	})
	mustView(t, s, func(tx kv.Tx) error {
		for _, id := range []string{"d1", "d1.0", "d1.1"} {
			if b, err := docs.Body(tx, "a", id); err != nil || string(b) != "body of "+id {
				t.Errorf("body %s: %q, %v", id, b, err)
			}
		}
		return checkDocs(t)(tx)
	})
	mustUpdate(t, s, func(tx kv.Tx) error {
		return docs.Delete(tx, "a", "d1") // with its parts
	})
	if left := dump(t, s); len(left) != 0 {
		t.Errorf("a deleted record leaves %v", left)
	}
}

// testDamagedRecords changes stored bytes under the table's feet.
func testDamagedRecords(t *testing.T, s kv.Store) {
	mustUpdate(t, s, insert("d1", "a", doc{Slug: "one", Status: "draft"}))
	mustUpdate(t, s, insert("d2", "a", doc{Slug: "two", Status: "draft"}))
	mustUpdate(t, s, func(tx kv.Tx) error { return docs.PutBody(tx, "a", "d1", []byte("text")) })
	for _, p := range dump(t, s) {
		damage := map[string]string{
			"flipped":   p.value[:len(p.value)-1] + string(p.value[len(p.value)-1]^1),
			"cut":       p.value[:len(p.value)-1],
			"misplaced": otherValue(t, s, p.key),
			"lost":      "",
		}
		for kind, value := range damage {
			mustUpdate(t, s, func(tx kv.Tx) error { return tx.Put([]byte(p.key), []byte(value)) })
			wantDamage(t, s, kind, p.key)
			mustUpdate(t, s, func(tx kv.Tx) error { return tx.Put([]byte(p.key), []byte(p.value)) })
		}
	}
	mustView(t, s, checkDocs(t))
}

func otherValue(t *testing.T, s kv.Store, key string) string {
	for _, p := range dump(t, s) {
		if p.key != key {
			return p.value
		}
	}
	t.Fatal("only one pair")
	return ""
}

// wantDamage wants Check to name the damage, and reads to give right data or
// an error.
func wantDamage(t *testing.T, s kv.Store, kind, key string) {
	t.Helper()
	mustView(t, s, func(tx kv.Tx) error {
		problems := 0
		if err := docs.Check(tx, func([]byte, string) { problems++ }); err != nil {
			t.Errorf("%s %q: check: %v", kind, key, err)
		}
		if problems == 0 {
			t.Errorf("%s %q: check found nothing", kind, key)
		}
		for id, slug := range map[string]string{"d1": "one", "d2": "two"} {
			if d, err := docs.Get(tx, "a", id); err == nil && d.Slug != slug {
				t.Errorf("%s %q: get %s gives %v", kind, key, id, d)
			}
			if got, _, err := docs.Find(tx, "a", "slug", kv.Key(slug)); err == nil && got != id {
				t.Errorf("%s %q: find %s gives %s", kind, key, slug, got)
			}
		}
		if b, err := docs.Body(tx, "a", "d1"); err == nil && string(b) != "text" && key != string(kv.Key("doc", "r", "d1")) {
			t.Errorf("%s %q: body is %q", kind, key, b)
		}
		return nil
	})
}
