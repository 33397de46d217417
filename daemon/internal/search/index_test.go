package search

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
)

// note is a text as a domain keeps it.
type note struct {
	Title, Status, HTML string
	Turn                uint64
}

var notes = kv.NewTable("note",
	kv.Index[note]{Name: "status", Keys: func(n *note, add func([]byte)) { add(kv.Key(n.Status)) }},
	TurnIndex(func(n *note) uint64 { return n.Turn }),
)

// reading counts what is read of the store.
type readSource struct {
	Source[note]

	mu   sync.Mutex
	read []string // ids
}

func (r *readSource) taken() (ids []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ids, r.read = r.read, nil
	slices.Sort(ids)
	return ids
}

// world is a store with notes in it, and any number of indexes over it.
type world struct {
	*testing.T
	store  kv.Store
	source *readSource
}

func newWorld(t *testing.T) *world {
	store, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &world{T: t, store: store, source: &readSource{}}
	w.source.Source = Source[note]{Name: "note", Table: notes, All: "status", Read: func(_ kv.Tx, _, id string, n *note) (*Document, error) {
		w.source.mu.Lock()
		defer w.source.mu.Unlock()
		w.source.read = append(w.source.read, id)
		return &Document{ID: id, Title: n.Title, Status: n.Status, HTML: n.HTML}, nil
	}}
	return w
}

// index is one more daemon's index.
func (w *world) index() *Index {
	x := New(w.store, w.source, NewMemory(1<<30))
	w.Cleanup(func() {
		if err := x.Close(); err != nil {
			w.Error(err)
		}
	})
	return x
}

func (w *world) update(fn func(kv.Tx) error) {
	w.Helper()
	if err := w.store.Update(context.Background(), fn); err != nil {
		w.Fatal(err)
	}
}

// write stores a published note, in place of one with that id.
func (w *world) write(team, id, title string) {
	w.put(team, id, note{Title: title, Status: "PUBLISHED"})
}

func (w *world) put(team, id string, n note) {
	w.Helper()
	w.update(func(tx kv.Tx) (err error) {
		if n.Turn, err = Changed(tx, "note", team); err != nil {
			return err
		}
		if there, err := notes.Exists(tx, team, id); err != nil || there {
			return notes.Put(tx, team, id, &n)
		}
		return notes.Insert(tx, team, id, &n)
	})
}

func (w *world) delete(team, id string) {
	w.Helper()
	w.update(func(tx kv.Tx) error {
		if err := notes.Delete(tx, team, id); err != nil {
			return err
		}
		return Deleted(tx, "note", team)
	})
}

// find is the ids that an index finds, and that the store has.
func (w *world) find(x *Index, team, question string) (found []string) {
	w.Helper()
	err := x.Find(context.Background(), team, Query{Text: question, Status: "PUBLISHED", Limit: 5}, func(tx kv.Tx, f *Found) (missing []string, err error) {
		found = found[:0]
		for _, h := range f.Hits {
			if ok, err := notes.Exists(tx, team, h.ID); err != nil {
				return nil, err
			} else if !ok {
				missing = append(missing, h.ID)
				continue
			}
			found = append(found, h.ID)
		}
		return missing, nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return found
}

func (w *world) expect(x *Index, team, question string, want ...string) {
	w.Helper()
	if got := w.find(x, team, question); !slices.Equal(got, want) && len(got)+len(want) > 0 {
		w.Errorf("%q finds %v, want %v", question, got, want)
	}
}

// A change made at one daemon is found at the other by the next search, which reads
// of the store only what changed.
func TestDaemonsSeeEachOthersChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.index(), w.index()
	w.expect(a, "team_a", "refund")
	w.write("team_a", "n1", "Refund policy")
	w.write("team_b", "n9", "Refund of others")
	w.expect(a, "team_a", "refund", "n1")
	w.expect(b, "team_a", "refund", "n1")
	w.source.taken()
	w.write("team_a", "n2", "Refunds in detail")
	w.write("team_a", "n1", "Opening hours")
	w.expect(a, "team_a", "refund", "n2")
	w.expect(b, "team_a", "refund", "n2")
	if got := w.source.taken(); !slices.Equal(got, []string{"n1", "n1", "n2", "n2"}) {
		t.Errorf("the two read %v", got)
	}
	w.expect(a, "team_a", "refund", "n2")
	if got := w.source.taken(); len(got) > 0 {
		t.Errorf("without a change %v is read", got)
	}
	w.put("team_a", "n2", note{Title: "Refunds in detail", Status: "DRAFT"})
	w.expect(a, "team_a", "refund")
	w.expect(b, "team_a", "refund")
	w.expect(b, "team_b", "refund", "n9")
	w.delete("team_b", "n9")
	w.expect(a, "team_b", "refund")
	w.expect(b, "team_b", "refund")
}

// What was deleted gives its place to others, at a daemon that did not delete it
// too.
func TestDeletedTextsGiveWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.index()
	for i := range 12 {
		w.write("team_a", fmt.Sprintf("n%02d", i), "Refund")
	}
	w.expect(x, "team_a", "refund", "n00", "n01", "n02", "n03", "n04")
	for i := range 6 {
		w.delete("team_a", fmt.Sprintf("n%02d", i))
	}
	w.expect(x, "team_a", "refund", "n06", "n07", "n08", "n09", "n10")
	if v := x.team("team_a").view.Load(); v.documents() != 6 {
		t.Errorf("the index has %d texts, want 6", v.documents())
	}
}

func (w *world) snapshot(team string) (found *snapshot) {
	w.Helper()
	err := w.store.View(context.Background(), func(tx kv.Tx) (err error) {
		found, err = snapshots.Get(tx, nobody, snapshotID("note", team))
		return err
	})
	if err != nil {
		return nil
	}
	return found
}

// many writes so many notes that a snapshot is due, and waits for it.
func (w *world) many(x *Index) {
	w.Helper()
	for i := range 120 {
		w.write("team_a", fmt.Sprintf("n%03d", i), fmt.Sprintf("Subject%d", i))
	}
	w.expect(x, "team_a", "subject7", "n007")
	x.beside.Wait()
	if w.snapshot("team_a") == nil {
		w.Fatal("there is no snapshot")
	}
}

// A daemon starts from the snapshot of another, and reads only what has changed
// since.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.many(w.index())
	w.write("team_a", "n007", "Renamed")
	w.source.taken()
	x := w.index()
	w.expect(x, "team_a", "subject8", "n008")
	w.expect(x, "team_a", "subject7")
	w.expect(x, "team_a", "renamed", "n007")
	if got := w.source.taken(); !slices.Equal(got, []string{"n007"}) {
		t.Errorf("%v was read", got)
	}
	w.update(func(tx kv.Tx) error {
		for _, c := range append(Tables(), notes) {
			if err := c.Check(tx, func(key []byte, reason string) { t.Errorf("%s: %s", kv.Describe(key), reason) }); err != nil {
				return err
			}
		}
		return nil
	})
}

// A snapshot that does not fit, or is damaged, is one to be built again.
func TestSnapshotsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(tx kv.Tx, s *snapshot) error{
		"of another form":                   func(_ kv.Tx, s *snapshot) error { s.Form++; return nil },
		"newer than the store, as restored": func(_ kv.Tx, s *snapshot) error { s.Turn += 1000; return nil },
		"longer than its parts":             func(_ kv.Tx, s *snapshot) error { s.Size++; return nil },
		"cut off": func(tx kv.Tx, s *snapshot) error {
			b, err := snapshots.Body(tx, nobody, partID(snapshotID("note", "team_a"), 0))
			if err != nil {
				return err
			}
			s.Size = len(b) / 2
			return snapshots.PutBody(tx, nobody, partID(snapshotID("note", "team_a"), 0), b[:len(b)/2])
		},
		"of damaged bytes": func(tx kv.Tx, _ *snapshot) error {
			return tx.Put(kv.Key("search", "b", partID(snapshotID("note", "team_a"), 0)), []byte("nonsense that has no checksum"))
		},
		"of damaged size": func(_ kv.Tx, s *snapshot) error { s.Size = -1; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.many(w.index())
			id := snapshotID("note", "team_a")
			w.update(func(tx kv.Tx) error {
				s, err := snapshots.Get(tx, nobody, id)
				if err == nil {
					err = spoil(tx, s)
				}
				if err != nil {
					return err
				}
				return snapshots.Put(tx, nobody, id, s)
			})
			w.source.taken()
			x := w.index()
			w.expect(x, "team_a", "subject8", "n008")
			if got := w.source.taken(); len(got) != 120 {
				t.Errorf("%d texts were read", len(got))
			}
			x.beside.Wait()
			if s := w.snapshot("team_a"); s == nil || s.Form != snapshotForm || s.Turn != 120 {
				t.Errorf("the snapshot now: %+v", s)
			}
		})
	}
}

// A deletion takes the snapshot along, and one that was being made of what was
// there before is not written.
func TestDeletionDropsTheSnapshot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.index()
	w.many(x)
	before := x.team("team_a").view.Load()
	w.delete("team_a", "n007")
	if w.snapshot("team_a") != nil {
		t.Fatal("the snapshot has the deleted text")
	}
	if err := x.keep(context.Background(), "team_a", before); err != nil {
		t.Fatal(err)
	}
	v, err := w.restored()
	if err != nil || v.documents() != 119 || v.df("subject7") != 0 {
		t.Fatalf("a later snapshot has %d texts, %v", v.documents(), err)
	}
	slow := &deletingSource{Texts: w.source, delete: func() { w.delete("team_a", "n008") }}
	y := New(w.store, slow, NewMemory(1<<30))
	if err := y.keep(context.Background(), "team_a", before); !strings.Contains(fmt.Sprint(err), errOvertaken.Error()) || w.snapshot("team_a") != nil {
		t.Errorf("a text was deleted while the snapshot was made: %v, %v", err, w.snapshot("team_a"))
	}
}

func (w *world) restored() (v *view, err error) {
	x := w.index()
	err = w.store.View(context.Background(), func(tx kv.Tx) error {
		v, err = x.restore(tx, "team_a")
		return err
	})
	return v, err
}

// deletingSource deletes a text while a snapshot is made.
type deletingSource struct {
	Texts
	delete func()
	once   sync.Once
}

func (d *deletingSource) Missing(tx kv.Tx, team string, ids []string) ([]string, error) {
	missing, err := d.Texts.Missing(tx, team, ids)
	d.once.Do(d.delete)
	return missing, err
}

// Texts that were stored before changes were numbered are found.
func TestTextsWithoutATurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.update(func(tx kv.Tx) error {
		for i := range 300 {
			if err := notes.Insert(tx, "team_a", fmt.Sprintf("old%03d", i), &note{Title: fmt.Sprintf("Subject%d", i), Status: "PUBLISHED"}); err != nil {
				return err
			}
		}
		return nil
	})
	x := w.index()
	w.expect(x, "team_a", "subject299", "old299")
	w.write("team_a", "old299", "Renamed")
	w.expect(x, "team_a", "subject299")
	w.expect(x, "team_a", "renamed", "old299")
	x.beside.Wait()
	w.source.taken()
	w.expect(w.index(), "team_a", "renamed", "old299")
	if got := w.source.taken(); len(got) > 1 {
		t.Errorf("%d texts were read in spite of the snapshot", len(got))
	}
}

// Many changes since the last search are read in parts.
func TestManyChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.index()
	w.expect(x, "team_a", "first")
	w.write("team_a", "n0", "First")
	w.expect(x, "team_a", "first", "n0")
	w.update(func(tx kv.Tx) error {
		for i := 1; i < 3*pageDocs; i++ {
			turn, err := Changed(tx, "note", "team_a")
			if err != nil {
				return err
			}
			if err := notes.Insert(tx, "team_a", fmt.Sprint("n", i), &note{Title: fmt.Sprintf("Subject%d", i), Status: "PUBLISHED", Turn: turn}); err != nil {
				return err
			}
		}
		return nil
	})
	w.expect(x, "team_a", "first", "n0")
	w.expect(x, "team_a", fmt.Sprint("subject", 3*pageDocs-1), fmt.Sprint("n", 3*pageDocs-1))
}

// Teams that nobody asked for longest give way, and come back when they are asked
// for.
func TestMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := NewMemory(4000)
	x := New(w.store, w.source, m)
	for i := range 20 {
		team := fmt.Sprint("team_", i)
		w.write(team, fmt.Sprint("n", i), "Refund")
		w.expect(x, team, "refund", fmt.Sprint("n", i))
	}
	if n := m.Bytes(); n > 4000 || n == 0 {
		t.Errorf("%d bytes are used", n)
	}
	var held int64
	kept := 0
	for _, team := range x.teams {
		if v := team.view.Load(); v != nil {
			held += v.bytes()
			kept++
		}
	}
	if held != m.Bytes() || kept < 2 || kept > 19 || x.team("team_19").view.Load() == nil {
		t.Errorf("%d teams take %d bytes, counted as %d", kept, held, m.Bytes())
	}
	w.expect(x, "team_0", "refund", "n0")
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

func TestRebuild(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	x := w.index()
	w.many(x)
	w.source.taken()
	n, err := x.Rebuild(context.Background(), "team_a")
	if err != nil || n != 120 || len(w.source.taken()) != 120 {
		t.Errorf("%d texts, %v", n, err)
	}
	w.expect(x, "team_a", "subject8", "n008")
}

// Searches and changes of many at once end with every change found.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	indexes := []*Index{w.index(), w.index()}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range 30 {
				id := fmt.Sprintf("n%d-%d", g, i)
				w.write("team_a", id, "Subject"+strings.ReplaceAll(id, "-", "x"))
				if got := w.find(indexes[i%2], "team_a", "Subject"+strings.ReplaceAll(id, "-", "x")); !slices.Contains(got, id) {
					w.Errorf("%s is not found: %v", id, got)
				}
			}
		})
	}
	all.Wait()
}
