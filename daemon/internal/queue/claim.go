package queue

import (
	"context"
	"fmt"
	"maps"
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
	r.Leased, r.Due = false, q.o.Now().Add(q.o.Delay(r.Attempt)).UnixMilli()
	tx.OnCommit(q.notify)
	return rows.Put(tx, daemon, q.rowID(c.ID), r)
}

// release gives the item back at once, as if it had not been claimed: the
// worker was stopped, the work did not fail.
func (q *Queue) release(tx kv.Tx, c Claim) error {
	r, err := q.held(tx, c)
	if err != nil {
		return err
	}
	r.Leased, r.Due, r.Attempt = false, q.now(), r.Attempt-1
	return rows.Put(tx, daemon, q.rowID(c.ID), r)
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
	r.Leased, r.Dead = false, reason
	if err := rows.Put(tx, daemon, q.rowID(id), r); err != nil {
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
	res, err := rows.List(tx, daemon, kv.Page[row]{Index: "dead", Prefixes: [][]byte{kv.Key(q.name)}, Ascending: true, Limit: limit})
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
		r.Due = q.o.Now().Add(q.o.Lease).UnixMilli()
		return rows.Put(tx, daemon, q.rowID(c.ID), r)
	})
}

// fairBudget is how many due rows are looked at for one of a team that has less
// work under way than the others.
const fairBudget = 256

// claim leases up to n due items, those of the least busy teams first. running
// counts the work under way by team. It also returns when the next item becomes
// due, zero for none.
func (q *Queue) claim(ctx context.Context, n int, running map[string]int) (claims []Claim, next time.Time, err error) {
	err = q.store.Update(ctx, func(tx kv.Tx) error {
		claims, next = nil, time.Time{}
		due, err := q.due(tx)
		if err != nil {
			return err
		}
		for _, i := range share(due.Records, n, running) {
			c, err := q.lease(tx, strings.TrimPrefix(due.IDs[i], q.name+"/"), due.Records[i])
			if err != nil {
				return err
			}
			if c != nil {
				claims = append(claims, *c)
			}
		}
		next, err = q.nextDue(tx)
		return err
	})
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("claim from queue %s: %w", q.name, err)
	}
	return claims, next, nil
}

func (q *Queue) due(tx kv.Tx) (*kv.Result[row], error) {
	return rows.List(tx, daemon, kv.Page[row]{
		Index: "due", Prefixes: [][]byte{kv.Key(q.name)}, Ascending: true,
		To: kv.Key(dueKey(q.now() + 1)), Limit: fairBudget,
	})
}

// share picks up to n of the due rows: each time the first row of the team with
// the least work.
func share(due []*row, n int, running map[string]int) (picked []int) {
	load := maps.Clone(running)
	taken := make([]bool, len(due))
	for len(picked) < min(n, len(due)) {
		best := -1
		for i, r := range due {
			if !taken[i] && (best < 0 || load[r.Team] < load[due[best].Team]) {
				best = i
			}
		}
		taken[best] = true
		load[due[best].Team]++
		picked = append(picked, best)
	}
	return picked
}

// lease takes one due row. A row that already had all its attempts, each of
// which ended with the worker's death, is buried instead.
func (q *Queue) lease(tx kv.Tx, id string, r *row) (*Claim, error) {
	if r.Attempt >= q.o.Attempts {
		return nil, q.bury(tx, id, r, "every attempt ended without an outcome")
	}
	r.Leased, r.Attempt, r.Token = true, r.Attempt+1, r.Token+1
	r.Due = q.o.Now().Add(q.o.Lease).UnixMilli()
	if err := rows.Put(tx, daemon, q.rowID(id), r); err != nil {
		return nil, err
	}
	return &Claim{Item: r.item(id), token: r.Token}, nil
}

func (q *Queue) nextDue(tx kv.Tx) (time.Time, error) {
	res, err := rows.List(tx, daemon, kv.Page[row]{Index: "due", Prefixes: [][]byte{kv.Key(q.name)}, Ascending: true, Limit: 1})
	if err != nil || len(res.Records) == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(res.Records[0].Due), nil
}
