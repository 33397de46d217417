package kv

import "bytes"

// Lazy is a record with a part that is decoded later. Damaged returns why that
// part cannot be decoded, nil when it can.
type Lazy interface{ Damaged() error }

// Whole returns a *CorruptError for the stored record id when a part of v that is
// decoded later cannot be decoded. Index keys are taken of whole records only.
func (t *Table[T]) Whole(id string, v *T) error { return whole(t.recordKey(id), v) }

func whole[T any](key []byte, v *T) error {
	if l, ok := any(v).(Lazy); ok {
		if err := l.Damaged(); err != nil {
			return &CorruptError{Key: bytes.Clone(key), Reason: err.Error()}
		}
	}
	return nil
}
