package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"edgesvc.dev/svc/kv"
)

// snapshotForm is another number whenever the form of a snapshot, or what is made
// of a text, changes: a snapshot of another form is not used.
const snapshotForm = 2

// snapshot says what is stored. Its bytes are the parts of the record's body: id.0,
// id.1, ….
type snapshot struct {
	Form int    `json:"f"`
	Turn uint64 `json:"t"` // the last change that is in it
	Size int    `json:"s"` // bytes of all parts
}

// snapshots belong to no team, so that none is charged for what is made of its
// texts: their ids tell the team.
var snapshots = kv.NewTable[snapshot]("search")

const (
	nobody   = ""
	partSize = 1 << 20
)

// Tables are the tables of this package, for the store's checker.
func Tables() []kv.Checker { return []kv.Checker{snapshots} }

func snapshotID(kind, team string) string { return kind + ":" + team }

func partID(id string, n int) string { return fmt.Sprintf("%s.%d", id, n) }

// DropSnapshot deletes the snapshot of a team's texts of a kind, if there is one.
func DropSnapshot(tx kv.Tx, kind, team string) error {
	err := snapshots.Delete(tx, nobody, snapshotID(kind, team))
	if _, none := errors.AsType[*kv.NotFoundError](err); none {
		return nil
	}
	return err
}

// restore is the view of the snapshot, nil when there is none that can be used.
func (x *Index) restore(tx kv.Tx, team string) (*view, error) {
	id := snapshotID(x.texts.Kind(), team)
	s, err := snapshots.Get(tx, nobody, id)
	if _, none := errors.AsType[*kv.NotFoundError](err); none {
		return nil, nil
	}
	if err != nil || s.Form != snapshotForm || s.Size < 0 {
		return nil, unlessCorrupt(err)
	}
	var b []byte
	for n := 0; len(b) < s.Size; n++ {
		part, err := snapshots.Body(tx, nobody, partID(id, n))
		if err != nil || len(part) == 0 {
			return nil, unlessCorrupt(err)
		}
		b = append(b, part...)
	}
	g, err := decode(b)
	if err != nil {
		return nil, nil
	}
	return newView(g, s.Turn), nil
}

// unlessCorrupt drops the error of a damaged snapshot, which is one to be built
// again.
func unlessCorrupt(err error) error {
	if _, damaged := errors.AsType[*kv.CorruptError](err); damaged {
		return nil
	}
	return err
}

// errOvertaken says that a text was deleted while a snapshot was made.
var errOvertaken = errors.New("a text was deleted meanwhile")

// keep writes a snapshot of a view.
func (x *Index) keep(ctx context.Context, team string, v *view) error {
	kind := x.texts.Kind()
	var deleted uint64
	err := x.store.View(ctx, func(tx kv.Tx) (err error) {
		deleted, err = kv.Count(tx, deletedKey(kind, team))
		return err
	})
	if err != nil {
		return err
	}
	if v, err = x.present(ctx, team, v); err != nil {
		return err
	}
	b := v.packed().encode()
	id := snapshotID(kind, team)
	return x.store.Update(ctx, func(tx kv.Tx) error {
		if now, err := kv.Count(tx, deletedKey(kind, team)); err != nil || now != deleted {
			return errors.Join(err, errOvertaken) // its words are to go
		}
		if err := DropSnapshot(tx, kind, team); err != nil {
			return err
		}
		if err := snapshots.Insert(tx, nobody, id, &snapshot{Form: snapshotForm, Turn: v.turn, Size: len(b)}); err != nil {
			return err
		}
		n := 0
		for part := range slices.Chunk(b, partSize) {
			if err := snapshots.PutBody(tx, nobody, partID(id, n), part); err != nil {
				return err
			}
			n++
		}
		return nil
	})
}

// present is the view without the documents that were deleted.
func (x *Index) present(ctx context.Context, team string, v *view) (*view, error) {
	gone := map[string]*Document{}
	for _, g := range v.segments() {
		for docs := range slices.Chunk(g.docs, pageDocs) {
			ids := make([]string, len(docs))
			for i := range docs {
				ids[i] = docs[i].id
			}
			err := x.store.View(ctx, func(tx kv.Tx) error {
				missing, err := x.texts.Missing(tx, team, ids)
				for _, id := range missing {
					gone[id] = nil
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		}
	}
	if len(gone) == 0 {
		return v, nil
	}
	return v.with(gone, v.turn), nil
}
