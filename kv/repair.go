package kv

import (
	"bytes"
	"errors"

	"github.com/fxamacker/cbor/v2"
)

// Dropped is a pair that a repair took out of the store.
type Dropped struct {
	Key, Value []byte
	Reason     string
}

// Repairer puts what it keeps in a store in order again.
type Repairer interface {
	// Repair drops what cannot be read, tells dropped of it, and mends what is
	// derived from the rest. It returns how many keys it changed; what one call
	// leaves, such as a record that the dropped one was an owner of, the next finds.
	Repair(tx Tx, dropped func(Dropped)) (changed int, err error)
}

// Repair drops records and bodies that cannot be read or belong to nothing, and
// writes the index entries of the others as they must be.
func (t *Table[T]) Repair(tx Tx, dropped func(Dropped)) (changed int, err error) {
	r := &repair[T]{t: t, tx: tx, dropped: dropped, lost: map[string]bool{}}
	var keys [][]byte
	reasons := map[string]string{}
	err = t.Check(tx, func(key []byte, reason string) {
		if reasons[string(key)] == "" {
			keys = append(keys, bytes.Clone(key))
			reasons[string(key)] = reason
		}
	})
	for _, key := range keys {
		if err == nil {
			err = r.mend(key, reasons[string(key)])
		}
	}
	if err == nil {
		err = r.unlist()
	}
	return len(keys), err
}

type repair[T any] struct {
	t       *Table[T]
	tx      Tx
	dropped func(Dropped)
	lost    map[string]bool // ids of dropped records
}

func (r *repair[T]) mend(key []byte, reason string) error {
	raw, err := r.tx.Get(key)
	if err != nil || len(raw) == 0 {
		return err
	}
	if _, kind, rest := splitKey(key); kind == indexKind {
		return r.tx.Delete(key) // it is written again where it is wanted
	} else if kind != recordKind || len(rest) == 0 {
		return r.drop(key, raw, reason)
	}
	id, team, v, corrupt := parse[T](r.t.records, key, raw)
	if corrupt == nil {
		corrupt, _ = errors.AsType[*CorruptError](whole(key, v))
	}
	if corrupt == nil {
		return r.relist(key, team, id, v)
	}
	r.lost[id] = true
	if f, reason := openValue(key, raw); reason == "" {
		team = string(f.team)
	}
	mark := droppedKey(r.t.name, id)
	if err := r.tx.Put(mark, sealValue(nil, mark, team, corrupt.Reason, false)); err != nil {
		return err
	}
	bodies, err := r.t.bodiesOf(r.tx, id)
	for _, at := range bodies {
		if err == nil {
			err = r.take(at, "its record cannot be read")
		}
	}
	return errors.Join(err, r.drop(key, raw, corrupt.Reason))
}

func (r *repair[T]) take(key []byte, reason string) error {
	raw, err := r.tx.Get(key)
	if err != nil || len(raw) == 0 {
		return err
	}
	return r.drop(key, raw, reason)
}

func (r *repair[T]) drop(key, raw []byte, reason string) error {
	r.dropped(Dropped{Key: bytes.Clone(key), Value: bytes.Clone(raw), Reason: reason})
	return r.tx.Delete(key)
}

// relist writes the index entries of a record, but those that another record
// holds, and whether it has a body.
func (r *repair[T]) relist(key []byte, team, id string, v *T) error {
	var free []entry
	for _, e := range r.t.entriesOf(team, id, v) {
		raw, err := r.tx.Get(e.key)
		if err != nil {
			return err
		}
		if f, reason := openValue(e.key, raw); len(raw) == 0 || reason != "" || !e.unique || string(f.payload) == id {
			free = append(free, e)
		}
	}
	if err := addEntries(r.tx, id, free, nil); err != nil {
		return err
	}
	body, err := r.tx.Get(r.t.bodyKey(id))
	if err != nil {
		return err
	}
	raw, err := r.tx.Get(key)
	if err != nil {
		return err
	}
	f, _ := openValue(key, raw)
	return r.tx.Put(key, sealValue(nil, key, team, f.payload, len(body) > 0))
}

// unlist deletes the index entries of the dropped records. What these were listed
// under is not known any more, so all entries are looked at.
func (r *repair[T]) unlist() error {
	if len(r.lost) == 0 {
		return nil
	}
	var stale [][]byte
	err := r.tx.Scan(Prefix(Key(r.t.name, indexKind)), func(k, v []byte) error {
		if f, reason := openValue(k, v); reason == "" && r.lost[string(f.payload)] {
			stale = append(stale, bytes.Clone(k))
		}
		return nil
	})
	for _, k := range stale {
		if err == nil {
			err = r.tx.Delete(k)
		}
	}
	return err
}

// droppedKey marks a record that a repair dropped.
func droppedKey(table, id string) []byte { return Key("dropped", table, id) }

// CountDropped is how many records of a team repairs have dropped from a table,
// with those of which the team could not be told.
func CountDropped(tx Tx, table, team string) (n int, err error) {
	err = tx.Scan(Prefix(Key("dropped", table)), func(k, v []byte) error {
		if f, reason := openValue(k, v); reason == "" && (len(f.team) == 0 || string(f.team) == team) {
			n++
		}
		return nil
	})
	return n, err
}

// lenientMode reads text that is not valid UTF-8 too.
var lenientMode = must(cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid}.DecMode())

// Show returns what can be told of a pair that cannot be read: the team, and
// the record as Dump shows it, nil where not even that is possible.
func (d *Dropped) Show() (team string, record any) {
	if len(d.Value) < valueHeader || len(d.Value) < valueHeader+int(d.Value[5]) {
		return "", nil
	}
	n := valueHeader + int(d.Value[5])
	if err := lenientMode.Unmarshal(d.Value[n:], &record); err != nil {
		record = nil
	}
	return string(d.Value[valueHeader:n]), readable(record)
}
