package kv

import (
	"errors"
	"fmt"
)

// Checker verifies what it keeps in a store.
type Checker interface {
	// Check calls report for each key whose pair is wrong, and returns an
	// error only when it cannot go on. It reads the whole of its keys.
	Check(tx Tx, report func(key []byte, reason string)) error
}

// Check verifies that every record decodes and is listed under its index keys
// and no others, that every index entry names a record of its team, and that
// every body is beside a record.
func (t *Table[T]) Check(tx Tx, report func(key []byte, reason string)) error {
	c := &tableCheck[T]{t: t, tx: tx, report: report}
	base := Key(t.name)
	return tx.Scan(Prefix(base), func(key, raw []byte) error {
		f, reason := openValue(key, raw)
		if reason != "" {
			report(key, reason)
			return nil
		}
		switch kind, rest, _ := SplitPart(key[len(base):]); kind {
		case recordKind:
			return c.record(key, rest, f)
		case bodyKind:
			return c.body(key, rest, string(f.team))
		case indexKind:
			return c.entry(key, rest, string(f.payload))
		}
		report(key, "neither record, body nor index entry")
		return nil
	})
}

type tableCheck[T any] struct {
	t      *Table[T]
	tx     Tx
	report func(key []byte, reason string)
}

func (c *tableCheck[T]) record(key, rest []byte, f frame) error {
	id, _, _ := SplitPart(rest)
	team, v := string(f.team), new(T)
	if err := decMode.Unmarshal(f.payload, v); err != nil {
		c.report(key, err.Error())
		return nil
	}
	if err := whole(key, v); err != nil {
		return c.absent(key, err, "")
	}
	if body, err := c.tx.Get(c.t.bodyKey(id)); err != nil || f.body != (len(body) > 0) {
		c.report(key, "the body is missing, or there is one too many")
		return err
	}
	for _, e := range c.t.entriesOf(team, id, v) {
		raw, err := c.tx.Get(e.key)
		if err != nil {
			return err
		}
		if len(raw) == 0 {
			c.report(key, fmt.Sprintf("index %s does not list the record", e.index))
			continue
		}
		entry, reason := openValue(e.key, raw)
		if reason == "" && string(entry.payload) != id {
			reason = fmt.Sprintf("index names %s instead of %s", entry.payload, id)
		}
		if reason != "" {
			c.report(e.key, reason)
		}
	}
	return nil
}

func (c *tableCheck[T]) body(key, rest []byte, team string) error {
	id, _, _ := SplitPart(rest)
	_, _, err := c.t.owner(c.tx, team, id)
	return c.absent(key, err, "body of a missing record")
}

func (c *tableCheck[T]) entry(key, rest []byte, id string) error {
	_, rest, _ = SplitPart(rest)
	team, _, _ := SplitPart(rest)
	v, err := c.t.Get(c.tx, team, id)
	if err == nil {
		err = c.t.Whole(id, v)
	}
	if err != nil {
		return c.absent(key, err, "index names a missing record")
	}
	if !contains(c.t.entriesOf(team, id, v), key) {
		c.report(key, "the record has no such index key")
	}
	return nil
}

// absent reports the two errors that speak of a damaged store, and returns any
// other.
func (c *tableCheck[T]) absent(key []byte, err error, reason string) error {
	if _, missing := errors.AsType[*NotFoundError](err); missing {
		c.report(key, reason)
		return nil
	}
	if damaged, ok := errors.AsType[*CorruptError](err); ok {
		c.report(damaged.Key, damaged.Reason)
		return nil
	}
	return err
}
