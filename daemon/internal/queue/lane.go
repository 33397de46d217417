package queue

import (
	"time"

	"edgesvc.dev/svc/kv"
)

// A lane is an item that stands for work which comes again and again, such as all
// deliveries to one endpoint: one worker has it at a time, and looks itself for
// what is to be done.

// Touch puts the item into the queue, or makes the one that is there due earlier;
// that one keeps its payload. While a worker holds it, Touch takes nothing from
// the worker: Yield then gives the item back at once.
func (q *Queue) Touch(tx kv.Tx, it Item, due time.Time) error {
	id := q.rowID(it.ID)
	r, err := rows.Get(tx, daemon, id)
	if missing(err) || err == nil && r.Dead != "" {
		return q.Add(tx, it, due)
	}
	switch {
	case err != nil:
		return err
	case r.Leased && r.Again, !r.Leased && r.Due <= due.UnixMilli():
		return nil
	case r.Leased:
		r.Again = true
	default:
		r.setDue(due, q.now())
		tx.OnCommit(q.notify)
	}
	return q.put(tx, id, r)
}

// Yield ends the claim and gives the item back, due at a time and with all its
// attempts before it; at once when it was touched meanwhile. With the zero time
// it is removed unless it was touched.
func (q *Queue) Yield(tx kv.Tx, c Claim, due time.Time) error {
	r, err := q.held(tx, c)
	if err != nil {
		return err
	}
	if r.Again {
		due = q.o.Now()
	}
	if due.IsZero() {
		return rows.Delete(tx, daemon, q.rowID(c.ID))
	}
	r.Leased, r.Again, r.Attempt = false, false, 0
	r.setDue(due, q.now())
	tx.OnCommit(q.notify)
	return q.put(tx, q.rowID(c.ID), r)
}
