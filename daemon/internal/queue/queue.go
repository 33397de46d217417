// Package queue is durable delayed work: rows in the store that become due, are
// leased to one worker at a time, retried, and kept as dead letters when they
// fail for good. A crash loses nothing; work that was under way starts again.
//
// It does not know what the work is. A handler makes its effects in a
// transaction that calls Finish, so that they happen exactly when the row goes,
// once, even when two processes believe to hold it.
package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"edgesvc.dev/svc/kv"
)

// ErrLost says that the claim is no longer this worker's: its lease ran out and
// another took over, or the item was removed. The transaction that meets it
// must not commit.
var ErrLost = errors.New("queue: claim is lost")

// Options adjust a queue; the zero value of a field is its default.
type Options struct {
	Lease    time.Duration // how long a worker that fell silent keeps an item; 60 s
	Attempts int           // how often an item is tried before it is dead; 3
	// Delay is the pause after the attempt of that number, the first being 1.
	// The default doubles from one second.
	Delay func(attempt int) time.Duration
	// Dead runs in the transaction that gives an item up, with the reason.
	Dead func(tx kv.Tx, it Item, reason string) error
	// Fair makes one team's due items, however many, keep no other team's waiting.
	// It costs a row more index; without it only the first 256 due items are
	// shared out among teams.
	Fair bool
	// PerTeam is the most items of one team that are worked on at a time; 0 is no
	// bound. A queue with it is Fair too, or capped items may hide others.
	PerTeam int
	Now     func() time.Time // the clock; time.Now
}

func (o Options) withDefaults() Options {
	if o.Lease == 0 {
		o.Lease = time.Minute
	}
	if o.Attempts == 0 {
		o.Attempts = 3
	}
	if o.Delay == nil {
		o.Delay = func(attempt int) time.Duration { return time.Second << min(attempt-1, 16) }
	}
	if o.Dead == nil {
		o.Dead = func(kv.Tx, Item, string) error { return nil }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Queue is one kind of work. It is safe for concurrent use.
type Queue struct {
	name  string
	store kv.Store
	o     Options
	wake  chan struct{} // holds one token when something may have become due
	turns turns

	unreadable sync.Map // keys of rows that the log names already
}

// New describes the queue of that name, which never changes: it is in the keys.
func New(store kv.Store, name string, o Options) *Queue {
	return &Queue{name: name, store: store, o: o.withDefaults(), wake: make(chan struct{}, 1)}
}

// Item is one piece of work.
type Item struct {
	ID      string // unique in the queue
	Team    string // whose work it is: workers are shared out fairly among teams
	Payload []byte
	Attempt int // set by the queue: 1 at the first try
}

// row is a stored item. Due is when it may be claimed: while a worker holds the
// item that is the end of the lease, so an abandoned one becomes due by itself.
type row struct {
	Queue   string `json:"q"`
	Team    string `json:"t"`
	Payload []byte `json:"p,omitempty"`
	Due     int64  `json:"d"` // Unix milliseconds
	Attempt int    `json:"n,omitempty"`
	// Token counts the claims. A worker whose token is not the row's has lost it.
	Token  uint64 `json:"k,omitempty"`
	Leased bool   `json:"l,omitempty"`
	Dead   string `json:"x,omitempty"` // the reason
	Again  bool   `json:"g,omitempty"` // touched while it was leased
	Fair   bool   `json:"f,omitempty"` // of a fair queue

	Set   int64 `json:"s,omitempty"` // when the row was written, in Unix milliseconds
	Named bool  `json:"w,omitempty"` // Due is a time that somebody named, not one from now on
}

// rows are the items of all queues. They belong to the daemon, not to a team:
// the order of what is due runs across teams.
var rows = kv.NewTable("queue", kv.Index[row]{
	Name: "due",
	Keys: func(v *row, add func([]byte)) {
		if v.Dead == "" {
			add(kv.Key(v.Queue, dueKey(v.Due)))
		}
	},
}, kv.Index[row]{
	Name: "lane",
	Keys: func(v *row, add func([]byte)) {
		if v.Fair && v.Dead == "" {
			add(kv.Key(v.Queue, v.Team, dueKey(v.Due)))
		}
	},
}, kv.Index[row]{
	Name: "dead",
	Keys: func(v *row, add func([]byte)) {
		if v.Dead != "" {
			add(kv.Key(v.Queue))
		}
	},
})

const daemon = "" // the owner of the rows

func dueKey(ms int64) string { return kv.Uint64(uint64(max(ms, 0))) }

func (q *Queue) rowID(id string) string { return q.name + "/" + id }

// Add puts an item into the queue, to be worked on from due on. An item of the
// same id is replaced; whoever works on that one loses its claim.
func (q *Queue) Add(tx kv.Tx, it Item, due time.Time) error {
	id := q.rowID(it.ID)
	r := &row{Queue: q.name, Team: it.Team, Payload: it.Payload, Fair: q.o.Fair, Set: q.now()}
	r.setDue(due, r.Set)
	tx.OnCommit(q.notify)
	old, err := rows.Get(tx, daemon, id)
	if missing(err) {
		return rows.Insert(tx, daemon, id, r)
	}
	if err != nil {
		return err
	}
	r.Token = old.Token + 1
	return q.put(tx, id, r)
}

// put stores a row that is there.
func (q *Queue) put(tx kv.Tx, id string, r *row) error {
	r.Set, r.Fair = q.now(), q.o.Fair
	return rows.Put(tx, daemon, id, r)
}

// setDue makes the row due at a time that somebody named, or now.
func (r *row) setDue(due time.Time, now int64) {
	r.Due = due.UnixMilli()
	r.Named = r.Due > now
}

// delay makes the row due after a while.
func (r *row) delay(d time.Duration, now int64) {
	r.Due, r.Named = now+d.Milliseconds(), false
}

// Remove takes an item out, if it is there. Whoever works on it loses its claim.
func (q *Queue) Remove(tx kv.Tx, id string) error {
	err := rows.Delete(tx, daemon, q.rowID(id))
	if missing(err) {
		return nil
	}
	return err
}

// Reclaim makes every leased item due at once. The daemon calls it at its start
// where no other process can be holding leases; elsewhere they run out. A lease
// never ends later than its length from now, so no row behind that is looked at.
func (q *Queue) Reclaim(ctx context.Context) error {
	err := q.store.Update(ctx, func(tx kv.Tx) error {
		err := q.checkClock(tx)
		if err != nil {
			return err
		}
		leased, err := q.leased(tx)
		for id, r := range leased {
			if err == nil {
				r.Leased = false
				r.delay(0, q.now())
				err = q.put(tx, id, r)
			}
		}
		tx.OnCommit(q.notify)
		return err
	})
	if errors.Is(err, errStepped) {
		if err = q.rebase(ctx); err == nil {
			return q.Reclaim(ctx)
		}
	}
	if err != nil {
		return fmt.Errorf("reclaim queue %s: %w", q.name, err)
	}
	return nil
}

// leased returns the leased rows of this queue by row id.
func (q *Queue) leased(tx kv.Tx) (map[string]*row, error) {
	out := map[string]*row{}
	p := kv.Page[row]{
		Index: "due", Prefixes: [][]byte{kv.Key(q.name)}, Ascending: true, Limit: 500, Keep: func(r *row) bool { return r.Leased },
		To: kv.Key(dueKey(q.o.Now().Add(q.o.Lease).UnixMilli() + 1)),
	}
	for {
		res, err := q.list(tx, p)
		if err != nil {
			return nil, err
		}
		for i, id := range res.IDs {
			out[id] = res.Records[i]
		}
		if !res.More {
			return out, nil
		}
		p.After = res.Next
	}
}

// Depth is the number of items that wait or are worked on, at most limit.
func (q *Queue) Depth(tx kv.Tx, limit int) (int, error) {
	res, err := q.list(tx, kv.Page[row]{Index: "due", Prefixes: [][]byte{kv.Key(q.name)}, Limit: limit})
	if err != nil {
		return 0, err
	}
	return len(res.IDs), nil
}

// list is a page of rows. One that cannot be read is left where it is and logged:
// the others must not wait for it.
func (q *Queue) list(tx kv.Tx, p kv.Page[row]) (*kv.Result[row], error) {
	p.Skip = func(e *kv.CorruptError) {
		if _, named := q.unreadable.LoadOrStore(string(e.Key), true); !named {
			slog.Error("work that is stored cannot be read and is left out; stop svcd and run svcd check --repair", "record", kv.Describe(e.Key), "reason", e.Reason)
		}
	}
	return rows.List(tx, daemon, p)
}

func (q *Queue) now() int64 { return q.o.Now().UnixMilli() }

func (q *Queue) notify() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

func missing(err error) bool {
	_, ok := errors.AsType[*kv.NotFoundError](err)
	return ok
}
