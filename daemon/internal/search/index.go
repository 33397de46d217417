package search

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/kv"
)

// Memory is the room that the indexes of all kinds share, in bytes of all teams
// together.
type Memory struct {
	most int64

	mu   sync.Mutex // guards the rest, and the room of each team
	used list.List  // of *team, the one asked for latest first
	size int64
}

// NewMemory is room for most bytes.
func NewMemory(most int64) *Memory { return &Memory{most: most} }

// Bytes is how much is used.
func (m *Memory) Bytes() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.size
}

// Index finds the texts of one kind, of every team. It keeps what it needs in
// memory and a copy in the store: any number of daemons may have one over the same
// store. Close is owed.
type Index struct {
	store  kv.Store
	texts  Texts
	memory *Memory

	mu    sync.Mutex // guards teams
	teams map[string]*team

	ctx    context.Context // of what is written beside searches
	cancel context.CancelFunc
	beside conc.WaitGroup
}

// team is one team's index.
type team struct {
	id   string
	of   *Index
	view atomic.Pointer[view] // nil before it is needed

	mu     sync.Mutex // one at a time brings it up to date; guards the rest but room
	kept   uint64     // turn of the snapshot
	stored bool       // there is a snapshot
	saving bool       // one is being written

	size int64 // guarded by Memory.mu, like its place
	at   *list.Element
}

// New returns the index of texts, which are kept in store.
func New(store kv.Store, texts Texts, memory *Memory) *Index {
	x := &Index{store: store, texts: texts, memory: memory, teams: map[string]*team{}}
	x.ctx, x.cancel = context.WithCancel(context.Background())
	return x
}

// Close ends what is written beside searches. A search after it still works.
func (x *Index) Close() error {
	x.cancel()
	x.beside.Wait()
	return nil
}

// Query is what is searched for.
type Query struct {
	Text   string
	Before string // the question that it follows, "" for none
	Status string // of the documents, "" for any; A finds A/B too
	Locale string // of the documents, such as de; "" for any
	Limit  int
}

// Found is what a search found, the best first.
type Found struct {
	Hits []Hit
	// Common is how many documents have the word of a question of one word; 0 for
	// other questions.
	Common int
	// Documents is how many the index has, of every status.
	Documents int

	words *highlighter
}

// Find searches the texts of a team. It sees every change that was made before.
// read is called in a transaction with what was found, and answers with the ids of
// those documents that the store no longer has: the index forgets them and read is
// called again, with others in their place.
func (x *Index) Find(ctx context.Context, teamID string, q Query, read func(tx kv.Tx, f *Found) (missing []string, err error)) error {
	for {
		t, v, err := x.current(ctx, teamID)
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		found := v.find(q)
		var missing []string
		err = x.store.View(ctx, func(tx kv.Tx) error {
			missing, err = read(tx, found)
			return err
		})
		if err != nil || len(missing) == 0 {
			return err
		}
		t.forget(missing)
	}
}

func (v *view) find(q Query) *Found {
	f := filter{q.Status, strings.ToLower(q.Locale)}
	asked := parse(v, q.Text)
	found := &Found{Documents: v.documents(), words: newHighlighter(v, asked)}
	if len(asked.asked) == 1 && len(asked.asked[0].alts) > 0 {
		found.Common = v.df(asked.asked[0].alts[0].term)
	}
	if q.Before == "" || len(asked.asked) == 0 {
		found.Hits = v.rank(asked, f, q.Limit)
		return found
	}
	joined := parse(v, q.Text+"\n"+q.Before)
	found.words = newHighlighter(v, joined)
	found.Hits = interleave(v.rank(asked, f, 2*q.Limit), v.rank(joined, f, 2*q.Limit), q.Limit)
	return found
}

// current is a team's index with every change that is in the store: one read when
// there is none.
func (x *Index) current(ctx context.Context, id string) (*team, *view, error) {
	t := x.team(id)
	var turn uint64
	err := x.store.View(ctx, func(tx kv.Tx) (err error) {
		turn, err = x.texts.Turn(tx, id)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if v := t.view.Load(); v != nil && v.turn == turn {
		return t, v, nil
	}
	v, err := t.catchUp(ctx)
	return t, v, err
}

func (x *Index) team(id string) *team {
	x.mu.Lock()
	t := x.teams[id]
	if t == nil {
		t = &team{id: id, of: x}
		x.teams[id] = t
	}
	x.mu.Unlock()
	x.memory.touch(t)
	return t
}

// catchUp brings the team's index up to what is in the store.
func (t *team) catchUp(ctx context.Context) (*view, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, err := t.start(ctx, t.view.Load())
	for more := true; err == nil && more; {
		var c changes
		if c, err = t.of.changesSince(ctx, t.id, v.turn); err != nil {
			break
		}
		if more = c.more; len(c.docs) > 0 {
			v = v.with(c.docs, c.turn)
		} else {
			v = v.at(c.turn)
		}
	}
	if err != nil {
		return nil, err
	}
	t.view.Store(v)
	t.of.memory.weigh(t, v.bytes())
	t.keepLater(v)
	return v, nil
}

// start is the view that there is, if the store goes on from it; else the snapshot,
// else one that is built.
func (t *team) start(ctx context.Context, v *view) (*view, error) {
	var turn uint64
	var saved *view
	err := t.of.store.View(ctx, func(tx kv.Tx) (err error) {
		if turn, err = t.of.texts.Turn(tx, t.id); err == nil && v == nil {
			saved, err = t.of.restore(tx, t.id)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case v != nil && v.turn <= turn:
		return v, nil
	case v == nil && saved != nil && saved.turn <= turn:
		t.kept, t.stored = saved.turn, true
		return saved, nil
	}
	t.stored = false // what there is belongs to other data
	return t.of.build(ctx, t.id)
}

// at is the view at a later turn, when nothing changed.
func (v *view) at(turn uint64) *view {
	if v.turn == turn {
		return v
	}
	next := *v
	next.turn = turn
	return &next
}

// forget drops documents that the store no longer has.
func (t *team) forget(ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.view.Load()
	if v == nil {
		return
	}
	gone := map[string]*Document{}
	for _, id := range ids {
		gone[id] = nil
	}
	t.view.Store(v.with(gone, v.turn))
}

// Rebuild drops a team's index with its snapshot and builds it again. It returns
// how many documents the index has.
func (x *Index) Rebuild(ctx context.Context, id string) (documents int, err error) {
	t := x.team(id)
	if err := x.store.Update(ctx, func(tx kv.Tx) error { return DropSnapshot(tx, x.texts.Kind(), id) }); err != nil {
		return 0, fmt.Errorf("drop the index: %w", err)
	}
	t.mu.Lock()
	t.view.Store(nil)
	t.mu.Unlock()
	v, err := t.catchUp(ctx)
	if err != nil {
		return 0, fmt.Errorf("build the index: %w", err)
	}
	return v.documents(), nil
}

// changes are documents that changed, by id; nil for one that is no more.
type changes struct {
	docs map[string]*Document
	turn uint64 // of the last of them
	more bool
}

// changesSince reads the next changes after a turn.
func (x *Index) changesSince(ctx context.Context, id string, turn uint64) (c changes, err error) {
	err = x.store.View(ctx, func(tx kv.Tx) error {
		c = changes{docs: map[string]*Document{}}
		now, err := x.texts.Turn(tx, id)
		if c.turn = now; err != nil || now == turn {
			return err
		}
		docs, until, err := x.texts.Since(tx, id, turn)
		if until > 0 {
			c.turn, c.more = until, true
		}
		for _, d := range docs {
			c.docs[d.ID] = d
		}
		return err
	})
	return c, err
}

// build makes a team's index of what is in the store. What changes meanwhile has a
// later turn.
func (x *Index) build(ctx context.Context, id string) (*view, error) {
	b := newBuilder()
	var turn uint64
	var docs []*Document
	var next []byte
	for page := 0; page == 0 || next != nil; page++ {
		after := next
		err := x.store.View(ctx, func(tx kv.Tx) (err error) {
			if page == 0 {
				if turn, err = x.texts.Turn(tx, id); err != nil {
					return err
				}
			}
			docs, next, err = x.texts.Page(tx, id, after)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			if _, twice := b.byID[d.ID]; !twice { // it moved while the pages were read: its turn is later
				b.add(d)
			}
		}
	}
	return newView(b.pack(), turn), nil
}

// touch makes a team the one asked for latest.
func (m *Memory) touch(t *team) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t.at != nil {
		m.used.MoveToFront(t.at)
	}
}

// weigh notes what a team takes, and forgets the teams that nobody asked for
// longest while all take too much.
func (m *Memory) weigh(t *team, size int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t.at == nil {
		t.at = m.used.PushFront(t)
	}
	m.size += size - t.size
	t.size = size
	for m.size > m.most {
		old, ok := m.used.Back().Value.(*team)
		if !ok || old == t {
			return
		}
		m.used.Remove(old.at)
		m.size -= old.size
		old.at, old.size = nil, 0
		old.view.Store(nil)
	}
}

// keepLater writes a snapshot when enough has changed since the last.
func (t *team) keepLater(v *view) {
	const least = 100
	n := v.documents()
	enough := t.stored && v.turn-t.kept > uint64(max(least, n/10)) || !t.stored && n >= least
	if !enough || t.saving || t.of.ctx.Err() != nil {
		return
	}
	t.saving = true
	t.of.beside.Go(func() {
		err := t.of.keep(t.of.ctx, t.id, v)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.saving = false
		if err == nil {
			t.kept, t.stored = v.turn, true
		} else if !errors.Is(err, errOvertaken) && !errors.Is(err, context.Canceled) && !errors.Is(err, kv.ErrClosed) {
			slog.Warn("a snapshot of a search index was not written; the next start takes longer", "kind", t.of.texts.Kind(), "team", t.id, "err", err)
		}
	})
}
