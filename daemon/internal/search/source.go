package search

import (
	"errors"

	"edgesvc.dev/svc/kv"
)

// Texts are the documents of one kind, as an index reads them. Their changes are
// numbered, a team at a time: a change takes the next number in its transaction,
// and the document keeps the number of its last change.
type Texts interface {
	// Kind is a short name that never changes.
	Kind() string
	// Turn is the number of the team's last change, a deletion among them.
	Turn(tx kv.Tx, team string) (uint64, error)
	// Since returns the documents whose last change has a later number than turn, in
	// that order. When there are more than are read at once, until is the number of
	// the last that was read, else 0.
	Since(tx kv.Tx, team string, turn uint64) (docs []*Document, until uint64, err error)
	// Page returns the documents behind the place after (nil: the first), and the
	// place from where to go on, nil at the end.
	Page(tx kv.Tx, team string, after []byte) (docs []*Document, next []byte, err error)
	// Missing returns those of ids that there are no documents of.
	Missing(tx kv.Tx, team string, ids []string) ([]string, error)
}

// Source is the texts in a table. Whoever changes a record calls Changed in the
// same transaction, and Deleted when it deletes one.
type Source[T any] struct {
	Name  string // see Texts.Kind
	Table *kv.Table[T]
	// All is an index of the table that lists every record.
	All string
	// Read makes the document of a record; nil leaves it out.
	Read func(tx kv.Tx, team, id string, r *T) (*Document, error)
	// Skip is told of what cannot be read and is left out.
	Skip func(*kv.CorruptError)
}

// turnIndex lists records by the number of their last change.
const turnIndex = "turn"

// TurnIndex is an index that the table of a Source must have. turn is the number
// that the record keeps, 0 for one that was stored before there were numbers.
func TurnIndex[T any](turn func(*T) uint64) kv.Index[T] {
	return kv.Index[T]{Name: turnIndex, Keys: func(r *T, add func([]byte)) {
		if n := turn(r); n > 0 {
			add(turnKey(n))
		}
	}}
}

func turnKey(n uint64) []byte { return kv.Key(kv.Uint64(n)) }

func counterKey(kind, team string) []byte { return kv.Key(kind+"Turn", team) }

// Changed takes a number for a change of one of the team's texts of a kind, which
// the changed record keeps.
func Changed(tx kv.Tx, kind, team string) (turn uint64, err error) {
	return kv.Next(tx, counterKey(kind, team))
}

// Deleted notes that one of the team's texts of a kind was deleted. The snapshot
// goes with it, for it has the text's words.
func Deleted(tx kv.Tx, kind, team string) error {
	if _, err := Changed(tx, kind, team); err != nil {
		return err
	}
	if _, err := kv.Next(tx, deletedKey(kind, team)); err != nil {
		return err
	}
	return DropSnapshot(tx, kind, team)
}

// deletedKey counts deletions, so that no snapshot is written of what was there
// before one.
func deletedKey(kind, team string) []byte { return kv.Key(kind+"Deleted", team) }

// Kind implements Texts.
func (s *Source[T]) Kind() string { return s.Name }

// Turn implements Texts.
func (s *Source[T]) Turn(tx kv.Tx, team string) (uint64, error) {
	return kv.Count(tx, counterKey(s.Name, team))
}

// Since implements Texts.
func (s *Source[T]) Since(tx kv.Tx, team string, turn uint64) (docs []*Document, until uint64, err error) {
	docs, next, err := s.read(tx, team, kv.Page[T]{Index: turnIndex, From: turnKey(turn + 1)})
	if len(next) > 0 {
		part, _, _ := kv.SplitPart(next)
		until, _ = kv.ParseUint64(part)
	}
	return docs, until, err
}

// Page implements Texts.
func (s *Source[T]) Page(tx kv.Tx, team string, after []byte) (docs []*Document, next []byte, err error) {
	return s.read(tx, team, kv.Page[T]{Index: s.All, After: after})
}

// How much is read at once, and how many records before it is looked how large
// they are.
const (
	pageDocs  = 200
	pageBytes = 4 << 20
	pageChunk = 16
)

func (s *Source[T]) read(tx kv.Tx, team string, p kv.Page[T]) (docs []*Document, next []byte, err error) {
	p.Ascending, p.Limit, p.Skip = true, pageChunk, s.Skip
	for size := 0; ; {
		found, err := s.Table.List(tx, team, p)
		if err != nil {
			return nil, nil, err
		}
		for i, r := range found.Records {
			d, err := s.document(tx, team, found.IDs[i], r)
			if err != nil {
				return nil, nil, err
			}
			if d != nil {
				docs = append(docs, d)
				size += len(d.HTML)
			}
		}
		switch {
		case !found.More:
			return docs, nil, nil
		case len(docs) >= pageDocs || size >= pageBytes:
			return docs, found.Next, nil
		}
		p.After = found.Next
	}
}

func (s *Source[T]) document(tx kv.Tx, team, id string, r *T) (*Document, error) {
	d, err := s.Read(tx, team, id, r)
	if corrupt, ok := errors.AsType[*kv.CorruptError](err); ok && s.Skip != nil {
		s.Skip(corrupt)
		return nil, nil
	}
	return d, err
}

// Missing implements Texts.
func (s *Source[T]) Missing(tx kv.Tx, team string, ids []string) (missing []string, err error) {
	for _, id := range ids {
		ok, err := s.Table.Exists(tx, team, id)
		if err != nil {
			return nil, err
		}
		if !ok {
			missing = append(missing, id)
		}
	}
	return missing, nil
}
