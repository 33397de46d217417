package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"edgesvc.dev/svc/kv"
)

// Claim is an item leased to one worker.
type Claim struct {
	Item
	token uint64
}

// Check fails with ErrLost unless the claim still holds. Intermediate effects
// call it in their transaction.
func (q *Queue) Check(tx kv.Tx, c Claim) error {
	_, err := q.held(tx, c)
	return err
}

// Finish removes the item. The effects of the work belong into the same
// transaction: with ErrLost neither happens.
func (q *Queue) Finish(tx kv.Tx, c Claim) error {
	if _, err := q.held(tx, c); err != nil {
		return err
	}
	return rows.Delete(tx, daemon, q.rowID(c.ID))
}

// Retry gives the item back, to be tried again after a delay, or declares it
// dead when it has had all its attempts.
func (q *Queue) Retry(tx kv.Tx, c Claim, reason string) error {
	r, err := q.held(tx, c)
	if err != nil {
		return err
	}
	if r.Attempt >= q.o.Attempts {
		return q.bury(tx, c.ID, r, reason)
	}
	r.Leased = false
	if r.delay(q.o.Delay(r.Attempt), q.now()); r.Again {
		r.Again = false
		r.delay(0, q.now())
	}
	tx.OnCommit(q.notify)
	return q.put(tx, q.rowID(c.ID), r)
}

// release gives the item back at once, as if it had not been claimed: the
// worker was stopped, the work did not fail.
func (q *Queue) release(tx kv.Tx, c Claim) error {
	r, err := q.held(tx, c)
	if err != nil {
		return err
	}
	r.Leased, r.Again, r.Attempt = false, false, r.Attempt-1
	r.delay(0, q.now())
	return q.put(tx, q.rowID(c.ID), r)
}

func (q *Queue) held(tx kv.Tx, c Claim) (*row, error) {
	r, err := rows.Get(tx, daemon, q.rowID(c.ID))
	if missing(err) {
		return nil, ErrLost
	}
	if err != nil {
		return nil, err
	}
	if !r.Leased || r.Token != c.token {
		return nil, ErrLost
	}
	return r, nil
}

// bury keeps the row as a dead letter.
func (q *Queue) bury(tx kv.Tx, id string, r *row, reason string) error {
	r.Leased, r.Again, r.Dead = false, false, reason
	if err := q.put(tx, q.rowID(id), r); err != nil {
		return err
	}
	return q.o.Dead(tx, r.item(id), reason)
}

// Letter is an item that was given up.
type Letter struct {
	Item
	Reason string
}

// Dead lists up to limit dead letters, oldest id first.
func (q *Queue) Dead(tx kv.Tx, limit int) ([]Letter, error) {
	res, err := q.list(tx, kv.Page[row]{Index: "dead", Prefixes: [][]byte{kv.Key(q.name)}, Ascending: true, Limit: limit})
	if err != nil {
		return nil, err
	}
	out := make([]Letter, len(res.IDs))
	for i, r := range res.Records {
		out[i] = Letter{Item: r.item(strings.TrimPrefix(res.IDs[i], q.name+"/")), Reason: r.Dead}
	}
	return out, nil
}

func (r *row) item(id string) Item {
	return Item{ID: id, Team: r.Team, Payload: r.Payload, Attempt: r.Attempt}
}

// renew moves the end of the lease.
func (q *Queue) renew(ctx context.Context, c Claim) error {
	return q.store.Update(ctx, func(tx kv.Tx) error {
		r, err := q.held(tx, c)
		if err != nil {
			return err
		}
		r.delay(q.o.Lease, q.now())
		return q.put(tx, q.rowID(c.ID), r)
	})
}

// claim leases up to n due items, those of the least busy teams first. running
// counts the work under way by team. It also returns when to look again, zero
// when only an addition or the end of some work can make a difference.
func (q *Queue) claim(ctx context.Context, n int, running map[string]int) (claims []Claim, next time.Time, err error) {
	served, from := q.turns.last()
	var look string
	err = q.store.Update(ctx, func(tx kv.Tx) error {
		claims, next = nil, time.Time{}
		if err := q.checkClock(tx); err != nil {
			return err
		}
		due, full, to, err := q.candidates(tx, from)
		if err != nil {
			return err
		}
		look = to
		for _, w := range share(due, n, q.o.PerTeam, running, served) {
			c, err := q.lease(tx, w.id, w.row)
			if err != nil {
				return err
			}
			if c != nil {
				claims = append(claims, *c)
			}
		}
		if len(claims) > 0 {
			if err := q.noteClock(tx); err != nil {
				return err
			}
		}
		if full && len(claims) < n { // what else is due was not seen
			next = q.o.Now().Add(fullPause)
			return nil
		}
		next, err = q.nextDue(tx)
		return err
	})
	if errors.Is(err, errStepped) {
		return nil, q.o.Now(), q.rebase(ctx)
	}
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("claim from queue %s: %w", q.name, err)
	}
	q.turns.took(claims, look)
	return claims, next, nil
}

// fullPause follows a look at a full window that left workers free.
const fullPause = 50 * time.Millisecond

// lease takes one due row. A row that already had all its attempts, each of
// which ended with the worker's death, is buried instead.
func (q *Queue) lease(tx kv.Tx, id string, r *row) (*Claim, error) {
	if r.Attempt >= q.o.Attempts {
		return nil, q.bury(tx, id, r, "every attempt ended without an outcome")
	}
	r.Leased, r.Attempt, r.Token = true, r.Attempt+1, r.Token+1
	r.delay(q.o.Lease, q.now())
	if err := q.put(tx, q.rowID(id), r); err != nil {
		return nil, err
	}
	return &Claim{Item: r.item(id), token: r.Token}, nil
}

// nextDue is when a row becomes due that is not, zero for none.
func (q *Queue) nextDue(tx kv.Tx) (time.Time, error) {
	res, err := q.list(tx, kv.Page[row]{
		Index: "due", Prefixes: [][]byte{kv.Key(q.name)}, Ascending: true, From: kv.Key(dueKey(q.now() + 1)), Limit: 1,
	})
	if err != nil || len(res.Records) == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(res.Records[0].Due), nil
}
