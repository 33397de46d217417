package op

import (
	"context"
	"errors"
	"strconv"

	"edgesvc.dev/svc/kv"
)

// due is what a call owes the store beside its change: its answer under an
// idempotency key, and its note in the audit log. It rides on the Caller, so
// that Update pays it in the transaction that makes the change.
type due struct {
	claim *claim // nil without a key
	note  *note  // nil where nothing is noted
	paid  bool
}

// owed is what r owes, nil for nothing. It returns errReplay when the answer is
// stored already.
func (t *Table) owed(ctx context.Context, r *Request, in any) (*due, error) {
	d := &due{}
	if r.Op.Audit && t.Audit != nil {
		d.note = &note{audit: t.Audit, who: &r.Caller, action: r.Op.Name, target: idOf(in)}
	}
	if r.IdempotencyKey == "" || !r.Op.KeepsAnswer() {
		if d.note == nil {
			return nil, nil
		}
		return d, nil
	}
	c, err := newClaim(r)
	if err != nil {
		return nil, err
	}
	d.claim = c
	return d, t.store.View(ctx, c.check)
}

// Update runs fn in one transaction and returns its answer. What the caller's
// request owes is paid in the same transaction: an answer under an idempotency
// key is stored, and a repeated request gets it and fn does not run. Every
// operation that changes something goes through it.
func Update[Out any](ctx context.Context, store kv.Store, who Caller, fn func(kv.Tx) (Out, error)) (Out, error) {
	var out Out
	d := who.due
	if d == nil || d.paid {
		err := store.Update(ctx, func(tx kv.Tx) (err error) {
			who.charge.mark(tx, who.Team)
			out, err = fn(tx)
			return err
		})
		who.charge.quota.tell(err)
		return out, err
	}
	err := store.Update(ctx, func(tx kv.Tx) error {
		who.charge.mark(tx, who.Team)
		return d.pay(tx, func() (_ any, err error) {
			out, err = fn(tx)
			return out, err
		})
	})
	who.charge.quota.tell(err)
	if err == nil {
		d.paid = true
	}
	if errors.Is(err, errReplay) && d.claim.item {
		return out, Decode(d.claim.stored.Body, &out)
	}
	return out, err
}

// settle pays what an operation that makes its changes in another way has not:
// after them, for it is too late to join them.
func (d *due) settle(ctx context.Context, store kv.Store, out any) error {
	if d == nil || d.paid {
		return nil
	}
	return store.Update(ctx, func(tx kv.Tx) error {
		return d.pay(tx, func() (any, error) { return out, nil })
	})
}

func (d *due) pay(tx kv.Tx, make func() (any, error)) error {
	if d.claim != nil {
		if err := d.claim.check(tx); err != nil {
			return err
		}
	}
	out, err := make()
	if err == nil && d.note != nil {
		err = d.note.write(tx, out)
	}
	if err != nil || d.claim == nil {
		return err
	}
	return d.claim.keep(tx, out)
}

// Item is the caller for item i of a batch, whose answer is kept under the
// batch's key and the item's number. The batch's own answer is not stored then.
func (c *Caller) Item(i int) Caller {
	item := *c
	if c.due == nil {
		return item
	}
	c.due.paid = true
	item.due = &due{note: c.due.note}
	if whole := c.due.claim; whole != nil {
		item.due.claim = &claim{op: whole.op, team: whole.team, id: whole.id + "/" + strconv.Itoa(i), hash: whole.hash, item: true}
	}
	return item
}
