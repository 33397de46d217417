package resource

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Change lets edit alter an object and stores the result as its next version.
// When no member differs afterwards nothing happens: the version stays. edit
// replaces members and never writes into the lists, maps and pointers that it
// finds.
func (c *Collection[T]) Change(ctx context.Context, who op.Caller, ref api.Ref, edit func(tx kv.Tx, v *T) error) (T, error) {
	return op.Update(ctx, c.store, who, func(tx kv.Tx) (T, error) { return c.ChangeIn(tx, who, ref, edit) })
}

// ChangeIn is Change in a transaction of the caller's.
func (c *Collection[T]) ChangeIn(tx kv.Tx, who op.Caller, ref api.Ref, edit func(tx kv.Tx, v *T) error) (T, error) {
	before, err := c.open(tx, who.Team, ref)
	if err != nil {
		return *new(T), err
	}
	after := *before
	if err := edit(tx, &after); err != nil {
		return *before, err
	}
	if err := c.kind.Validate(tx, who, before, &after); err != nil {
		return *before, err
	}
	if len(changed(c.members, before, &after)) == 0 {
		return *before, nil
	}
	h := c.kind.Head(&after)
	*h.Version, *h.UpdatedAt = *h.Version+1, api.TimeOf(c.now())
	if err := c.kind.Table.Put(tx, who.Team, *h.ID, &after); err != nil {
		return after, c.taken(tx, who.Team, err)
	}
	if c.kind.Events == nil {
		return after, nil
	}
	return after, c.kind.Events.updated(tx, who, before, &after)
}

// Delete removes an object with what belongs to it.
func (c *Collection[T]) Delete(ctx context.Context, who op.Caller, ref api.Ref) (api.Deleted, error) {
	return op.Update(ctx, c.store, who, func(tx kv.Tx) (api.Deleted, error) {
		_, err := c.DeleteIn(tx, who, ref)
		return api.Deleted{ID: ref.ID, Deleted: err == nil}, err
	})
}

// DeleteIn is Delete in a transaction of the caller's. It returns what was there.
func (c *Collection[T]) DeleteIn(tx kv.Tx, who op.Caller, ref api.Ref) (T, error) {
	v, err := c.open(tx, who.Team, ref)
	if err != nil {
		return *new(T), err
	}
	if err := c.kind.OnDelete(tx, who, v); err != nil {
		return *v, err
	}
	if err := c.kind.Table.Delete(tx, who.Team, ref.ID); err != nil || c.kind.Events == nil {
		return *v, err
	}
	return *v, c.kind.Events.deleted(tx, who, v)
}
