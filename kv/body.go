package kv

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// A body is bytes beside a record, so that lists never read them. Its id is the
// record's. A body that is too large for one value can be kept in parts: their
// ids are the record's id, a dot and what the caller likes. They go with the
// record.

// PutBody stores or replaces a body. An empty one is no body. It returns a
// *NotFoundError when the team has no such record.
func (t *Table[T]) PutBody(tx Tx, team, id string, body []byte) error {
	key, f, err := t.owner(tx, team, id)
	if err != nil {
		return err
	}
	if key != nil && f.body != (len(body) > 0) {
		if err := tx.Put(key, sealValue(nil, key, team, f.payload, !f.body)); err != nil {
			return err
		}
	}
	at := t.bodyKey(id)
	if len(body) == 0 {
		return tx.Delete(at)
	}
	return tx.Put(at, sealValue(nil, at, team, body, false))
}

// owner finds the record that a body is beside. The key is nil when id is
// that of a part.
func (t *Table[T]) owner(tx Tx, team, id string) (key []byte, f frame, err error) {
	key = t.recordKey(id)
	f, err = t.open(tx, team, id, key)
	if _, missing := errors.AsType[*NotFoundError](err); !missing {
		return key, f, err
	}
	i := strings.LastIndexByte(id, '.')
	if i < 0 {
		return nil, frame{}, err
	}
	f, err = t.open(tx, team, id[:i], t.recordKey(id[:i]))
	return nil, f, err
}

// Body returns a body, nil when there is none. It is valid only during the
// transaction.
func (t *Table[T]) Body(tx Tx, team, id string) ([]byte, error) {
	key := t.bodyKey(id)
	f, err := t.open(tx, team, id, key)
	if err == nil {
		return f.payload, nil
	}
	if _, missing := errors.AsType[*NotFoundError](err); !missing {
		return nil, err
	}
	f, err = t.open(tx, team, id, t.recordKey(id))
	if f.body {
		return nil, &CorruptError{Key: key, Reason: "body is missing"}
	}
	if _, missing := errors.AsType[*NotFoundError](err); missing {
		return nil, nil
	}
	return nil, err
}

// bodiesOf returns the keys of a record's body and its parts.
func (t *Table[T]) bodiesOf(tx Tx, id string) (keys [][]byte, err error) {
	key := t.bodyKey(id)
	if v, err := tx.Get(key); err != nil || len(v) > 0 {
		keys = append(keys, key)
		if err != nil {
			return nil, err
		}
	}
	parts := slices.Concat(key[:len(key)-1], []byte{'.'})
	err = tx.Scan(Prefix(parts), func(k, _ []byte) error {
		part, _, _ := SplitPart(k[len(t.bodies):])
		// a record may have an id that looks like a part's
		if owned, err := tx.Get(t.recordKey(part)); err != nil || len(owned) > 0 {
			return err
		}
		keys = append(keys, bytes.Clone(k))
		return nil
	})
	return keys, err
}
