package kv

import "bytes"

// Each calls fn for the records of every team in id order, starting behind the
// id after, until limit were seen or fn returns an error. It returns the last id
// seen, "" at the end of the table: the daemon's own upkeep pages through with it.
func (t *Table[T]) Each(tx Tx, after string, limit int, fn func(team, id string, v *T) error) (next string, err error) {
	return t.EachReadable(tx, after, limit, nil, fn)
}

// EachReadable is Each that tells skip of every record that cannot be read and
// goes on behind it, so that one does not keep all the others waiting. Such a
// record counts for limit.
func (t *Table[T]) EachReadable(tx Tx, after string, limit int, skip func(*CorruptError), fn func(team, id string, v *T) error) (next string, err error) {
	prefix := t.records
	r := Prefix(prefix)
	if after != "" {
		r.From = append(t.recordKey(after), 0)
	}
	err = tx.Scan(r, func(k, v []byte) error {
		if limit == 0 {
			return Stop
		}
		limit--
		id, team, rec, corrupt := parse[T](prefix, k, v)
		if corrupt != nil && skip == nil {
			return corrupt
		}
		next = id
		if corrupt != nil {
			skip(corrupt)
			return nil
		}
		return fn(team, id, rec)
	})
	if limit > 0 {
		next = ""
	}
	return next, err
}

// allPage is how many records All reads at once.
const allPage = 500

// All calls fn for every record of every team that can be read, until it returns
// an error. Checks are made with it.
func (t *Table[T]) All(tx Tx, fn func(team, id string, v *T) error) error {
	for after := ""; ; {
		next, err := t.EachReadable(tx, after, allPage, func(*CorruptError) {}, fn)
		if err != nil || next == "" {
			return err
		}
		after = next
	}
}

// Last returns the record with the highest id that can be read, of any team, or a
// *NotFoundError.
func (t *Table[T]) Last(tx Tx) (team, id string, v *T, err error) {
	r := Prefix(t.records)
	r.Reverse = true
	err = tx.Scan(r, func(key, raw []byte) error {
		var corrupt *CorruptError
		if id, team, v, corrupt = parse[T](t.records, key, raw); corrupt != nil {
			return nil
		}
		return Stop
	})
	if err == nil && v == nil {
		err = &NotFoundError{Table: t.name}
	}
	return team, id, v, err
}

// parse reads a pair of the records that start with prefix.
func parse[T any](prefix, k, v []byte) (id, team string, rec *T, corrupt *CorruptError) {
	id, _, ok := SplitPart(k[len(prefix):])
	f, reason := openValue(k, v)
	if !ok {
		reason = "key is cut off"
	}
	if reason == "" {
		rec = new(T)
		if err := decMode.Unmarshal(f.payload, rec); err != nil {
			reason = err.Error()
		}
	}
	if reason != "" {
		return id, "", nil, &CorruptError{Key: bytes.Clone(k), Reason: reason}
	}
	return id, string(f.team), rec, nil
}
