package kv

import "bytes"

// Each calls fn for the records of every team in id order, starting behind the
// id after, until limit were seen or fn returns an error. It returns the last id
// seen, "" at the end of the table: the daemon's own upkeep pages through with it.
func (t *Table[T]) Each(tx Tx, after string, limit int, fn func(team, id string, v *T) error) (next string, err error) {
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
		id, _, ok := SplitPart(k[len(prefix):])
		f, reason := openValue(k, v)
		if !ok {
			reason = "key is cut off"
		}
		if reason != "" {
			return &CorruptError{Key: bytes.Clone(k), Reason: reason}
		}
		rec := new(T)
		if err := decMode.Unmarshal(f.payload, rec); err != nil {
			return &CorruptError{Key: bytes.Clone(k), Reason: err.Error()}
		}
		next = id
		return fn(string(f.team), id, rec)
	})
	if limit > 0 {
		next = ""
	}
	return next, err
}
