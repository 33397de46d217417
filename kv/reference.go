package kv

import (
	"bytes"
	"errors"
)

// Reference checks that each record of From leads to a record of To that knows of
// it, such as a credential to what it is for. It is a Checker and a Repairer.
type Reference[From, To any] struct {
	From *Table[From]
	To   *Table[To]
	// Follow returns where a record of team leads, and whether that agrees.
	Follow func(team, id string, v *From) (owner, to string, agrees func(*To) bool)
}

// astray calls fn for each record that leads nowhere.
func (r Reference[From, To]) astray(tx Tx, fn func(team, id, reason string)) error {
	return r.From.All(tx, func(team, id string, v *From) error {
		owner, to, agrees := r.Follow(team, id, v)
		found, err := r.To.Get(tx, owner, to)
		if _, missing := errors.AsType[*NotFoundError](err); missing || err == nil && !agrees(found) {
			fn(team, id, "leads to no "+r.To.Name()+" that knows of it")
			return nil
		}
		if _, corrupt := errors.AsType[*CorruptError](err); corrupt {
			return nil // the table's own check reports it
		}
		return err
	})
}

func (r Reference[From, To]) key(id string) []byte { return r.From.recordKey(id) }

// Check implements Checker.
func (r Reference[From, To]) Check(tx Tx, report func(key []byte, reason string)) error {
	return r.astray(tx, func(_, id, reason string) { report(r.key(id), reason) })
}

// Repair implements Repairer: it drops what leads nowhere.
func (r Reference[From, To]) Repair(tx Tx, dropped func(Dropped)) (changed int, err error) {
	var lost [][3]string
	err = r.astray(tx, func(team, id, reason string) { lost = append(lost, [3]string{team, id, reason}) })
	for _, l := range lost {
		var raw []byte
		if err == nil {
			raw, err = tx.Get(r.key(l[1]))
		}
		if err == nil {
			dropped(Dropped{Key: r.key(l[1]), Value: bytes.Clone(raw), Reason: l[2]})
			err = r.From.Delete(tx, l[0], l[1])
		}
	}
	return len(lost), err
}
