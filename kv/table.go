package kv

import (
	"bytes"
	"errors"
	"fmt"
)

// Table keeps records of type T, each under an id and owned by one team. Every
// call names the team; another team's id is NotFound. Records are encoded as
// CBOR by their json tags.
//
// Records of all teams share one key space ordered by id, so that inserts touch
// few pages; the team sits in the record and in the index keys.
//
// A Table is a description: safe for concurrent use, all state is in the Tx.
type Table[T any] struct {
	name    string
	indexes []Index[T]

	// The keys of records, of bodies and of each index start with these.
	records, bodies []byte
	entries         [][]byte
}

// Index orders or restricts the records of a table within a team.
type Index[T any] struct {
	// Name is short, unique in the table and never changes: it is in the keys.
	Name string
	// Unique allows one record per key and makes Find possible.
	Unique bool
	// Keys calls add for each key under which v is listed; none leaves v out.
	// Build keys with Key; add keeps no reference.
	Keys func(v *T, add func(key []byte))
}

// NewTable describes a table. The name is short and never changes.
func NewTable[T any](name string, indexes ...Index[T]) *Table[T] {
	t := &Table[T]{name: name, indexes: indexes, records: Key(name, recordKind), bodies: Key(name, bodyKind)}
	for _, ix := range indexes {
		t.entries = append(t.entries, Key(name, indexKind, ix.Name))
	}
	return t
}

// Name returns the name given to NewTable.
func (t *Table[T]) Name() string { return t.name }

func (t *Table[T]) recordKey(id string) []byte { return join(t.records, id) }
func (t *Table[T]) bodyKey(id string) []byte   { return join(t.bodies, id) }

func (t *Table[T]) indexPrefix(index, team string) []byte { return Key(t.name, indexKind, index, team) }

// join is base and one part more, with room for a short key behind.
func join(base []byte, part string) []byte {
	return AppendPart(append(make([]byte, 0, len(base)+len(part)+1), base...), part)
}

// Get returns the record id of team, or a *NotFoundError.
func (t *Table[T]) Get(tx Tx, team, id string) (*T, error) {
	key := t.recordKey(id)
	f, err := t.open(tx, team, id, key)
	if err != nil {
		return nil, err
	}
	return decode[T](key, f)
}

func decode[T any](key []byte, f frame) (*T, error) {
	v := new(T)
	if err := decMode.Unmarshal(f.payload, v); err != nil {
		return nil, &CorruptError{Key: bytes.Clone(key), Reason: err.Error()}
	}
	return v, nil
}

// Exists reports whether team has the record id, without decoding it.
func (t *Table[T]) Exists(tx Tx, team, id string) (bool, error) {
	_, err := t.open(tx, team, id, t.recordKey(id))
	if _, missing := errors.AsType[*NotFoundError](err); missing {
		return false, nil
	}
	return err == nil, err
}

func (t *Table[T]) open(tx Tx, team, id string, key []byte) (frame, error) {
	raw, err := tx.Get(key)
	if err != nil {
		return frame{}, err
	}
	if len(raw) == 0 {
		return frame{}, &NotFoundError{Table: t.name, ID: id}
	}
	f, reason := openValue(key, raw)
	if reason != "" {
		return frame{}, &CorruptError{Key: bytes.Clone(key), Reason: reason}
	}
	if string(f.team) != team {
		return frame{}, &NotFoundError{Table: t.name, ID: id}
	}
	return f, nil
}

// Insert stores a new record. It returns a *ConflictError when a unique key is
// taken or the id exists, in any team, and an *UnreadableError for a record that
// could not be read again. An error leaves the table as it was.
func (t *Table[T]) Insert(tx Tx, team, id string, v *T) error {
	key := t.recordKey(id)
	old, err := tx.Get(key)
	if err != nil {
		return err
	}
	if len(old) > 0 {
		return &ConflictError{Table: t.name, Index: "id", Key: id, ID: id}
	}
	return t.add(tx, key, team, id, v)
}

// add stores a record where there is none.
func (t *Table[T]) add(tx Tx, key []byte, team, id string, v *T) error {
	value, err := t.encode(key, team, id, v, false)
	if err != nil {
		return err
	}
	is := t.entriesOf(team, id, v)
	if err := t.taken(tx, is, nil); err != nil {
		return err
	}
	if err := addEntries(tx, id, is, nil); err != nil {
		return err
	}
	return tx.Put(key, value)
}

// Append is Insert for an id that cannot exist, because a counter that the
// transaction raised is in it: it looks for no record of that id.
func (t *Table[T]) Append(tx Tx, team, id string, v *T) error {
	return t.add(tx, t.recordKey(id), team, id, v)
}

// Put replaces an existing record and moves its index entries. It returns a
// *NotFoundError, or a *ConflictError or *UnreadableError as Insert does. An
// error leaves the table as it was.
func (t *Table[T]) Put(tx Tx, team, id string, v *T) error {
	key := t.recordKey(id)
	f, err := t.open(tx, team, id, key)
	if err != nil {
		return err
	}
	value, err := t.encode(key, team, id, v, f.body)
	if err != nil {
		return err
	}
	if len(t.indexes) == 0 {
		return tx.Put(key, value)
	}
	old, err := decode[T](key, f)
	if err == nil {
		err = whole(key, old)
	}
	if err != nil {
		return err
	}
	was, is := t.entriesOf(team, id, old), t.entriesOf(team, id, v)
	if err := t.taken(tx, is, was); err != nil {
		return err
	}
	if err := dropEntries(tx, was, is); err != nil {
		return err
	}
	if err := addEntries(tx, id, is, was); err != nil {
		return err
	}
	return tx.Put(key, value)
}

// Delete removes the record, its body with all its parts, and its index entries.
func (t *Table[T]) Delete(tx Tx, team, id string) error {
	old, err := t.Get(tx, team, id)
	if err == nil {
		err = t.Whole(id, old)
	}
	if err != nil {
		return err
	}
	if err := dropEntries(tx, t.entriesOf(team, id, old), nil); err != nil {
		return err
	}
	bodies, err := t.bodiesOf(tx, id)
	if err != nil {
		return err
	}
	for _, key := range bodies {
		if err := tx.Delete(key); err != nil {
			return err
		}
	}
	return tx.Delete(t.recordKey(id))
}

// Find returns the record that a unique index holds under key, or a
// *NotFoundError.
func (t *Table[T]) Find(tx Tx, team, index string, key []byte) (id string, v *T, err error) {
	entry := append(t.indexPrefix(index, team), key...)
	raw, err := tx.Get(entry)
	if err != nil {
		return "", nil, err
	}
	if len(raw) == 0 {
		return "", nil, &NotFoundError{Table: t.name, ID: printable(key)}
	}
	f, reason := openValue(entry, raw)
	if reason != "" {
		return "", nil, &CorruptError{Key: entry, Reason: reason}
	}
	id = string(f.payload)
	v, err = t.Get(tx, team, id)
	return id, v, dangling(err, entry)
}

// encode refuses with an *UnreadableError what could not be read again.
func (t *Table[T]) encode(key []byte, team, id string, v *T, body bool) ([]byte, error) {
	payload, err := encMode.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %s record: %w", t.name, err)
	}
	if len(key) > MaxKey || len(payload) > MaxValue-valueHeader-maxTeam {
		return nil, fmt.Errorf("%s record %.40s… is too large: %d bytes under a key of %d", t.name, id, len(payload), len(key))
	}
	if len(team) > maxTeam {
		return nil, &UnreadableError{Table: t.name, ID: id, Reason: "the name of the team is too long"}
	}
	reason, sure := unreadable(payload)
	if !sure {
		if err := decMode.Unmarshal(payload, new(T)); err != nil {
			reason = err.Error()
		}
	}
	if reason != "" {
		return nil, &UnreadableError{Table: t.name, ID: id, Reason: reason}
	}
	return sealValue(nil, key, team, payload, body), nil
}

// printable turns an index key back into text for an error.
func printable(key []byte) string {
	var out []byte
	for len(key) > 0 {
		part, rest, ok := SplitPart(key)
		if !ok {
			break
		}
		if len(out) > 0 {
			out = append(out, '/')
		}
		out = append(out, part...)
		key = rest
	}
	return string(out)
}
