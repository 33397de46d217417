package kv

import (
	"bytes"
	"errors"
	"fmt"
)

// entry is one place where an index lists a record.
type entry struct {
	key    []byte // as stored
	part   []byte // of key: what Index.Keys added
	index  string
	unique bool
}

// entriesOf returns every entry of a record. An ordinary index adds the id to
// the key, so that equal keys stay apart and sort by creation.
func (t *Table[T]) entriesOf(team, id string, v *T) []entry {
	out := make([]entry, 0, len(t.indexes)+2)
	var buf []byte
	for i := range t.indexes {
		ix := &t.indexes[i]
		ix.Keys(v, func(part []byte) {
			if need := len(t.entries[i]) + len(team) + len(part) + len(id) + 2; cap(buf)-len(buf) < need {
				buf = make([]byte, 0, max(512, need)) // earlier entries keep the buffer before
			}
			start := len(buf)
			buf = AppendPart(append(buf, t.entries[i]...), team)
			from := len(buf)
			buf = append(buf, part...)
			to := len(buf)
			if !ix.Unique {
				buf = AppendPart(buf, id)
			}
			out = append(out, entry{key: buf[start:len(buf):len(buf)], part: buf[from:to], index: ix.Name, unique: ix.Unique})
		})
	}
	return out
}

// taken returns a *ConflictError when another record holds a unique entry of is
// that is not among was, and an error for an entry that no store takes.
func (t *Table[T]) taken(tx Tx, is, was []entry) error {
	for _, e := range is {
		if len(e.key) > MaxKey {
			return fmt.Errorf("%s record has a key of %d bytes in the index %s, %d more than there may be", t.name, len(e.key), e.index, len(e.key)-MaxKey)
		}
		if !e.unique || contains(was, e.key) {
			continue
		}
		raw, err := tx.Get(e.key)
		if err != nil {
			return err
		}
		if len(raw) == 0 {
			continue
		}
		f, reason := openValue(e.key, raw)
		if reason != "" {
			return &CorruptError{Key: e.key, Reason: reason}
		}
		return &ConflictError{Table: t.name, Index: e.index, Key: printable(e.part), ID: string(f.payload)}
	}
	return nil
}

// addEntries writes the entries of is that are not among was.
func addEntries(tx Tx, id string, is, was []entry) error {
	var value []byte
	for _, e := range is {
		if contains(was, e.key) {
			continue
		}
		value = sealValue(value[:0], e.key, "", id, false)
		if err := tx.Put(e.key, value); err != nil {
			return err
		}
	}
	return nil
}

// dropEntries deletes the entries of was that are not among is.
func dropEntries(tx Tx, was, is []entry) error {
	for _, e := range was {
		if contains(is, e.key) {
			continue
		}
		if err := tx.Delete(e.key); err != nil {
			return err
		}
	}
	return nil
}

func contains(entries []entry, key []byte) bool {
	for _, e := range entries {
		if bytes.Equal(e.key, key) {
			return true
		}
	}
	return false
}

// dangling turns a missing record behind an index entry into corruption.
func dangling(err error, entry []byte) error {
	if _, missing := errors.AsType[*NotFoundError](err); missing {
		return &CorruptError{Key: entry, Reason: "index names a missing record"}
	}
	return err
}
