package op

import (
	"context"
	"errors"

	"edgesvc.dev/svc/kv"
)

// Quota is the share of the store that each team may fill.
type Quota struct {
	Size int64 // bytes; 0 is no limit
	// Full is told of each refusal that a team gets for it. It returns at once; nil
	// is nobody.
	Full func(team string)
}

// Update runs fn in one transaction, which is refused with a *kv.TeamFullError
// when it would take the team beyond its share. It is for what is written on a
// team's account and not by one of its callers, who go through the function
// Update.
func (q Quota) Update(ctx context.Context, store kv.Store, team string, fn func(kv.Tx) error) error {
	err := store.Update(ctx, func(tx kv.Tx) error {
		kv.Limit(tx, team, q.Size)
		return fn(tx)
	})
	q.tell(err)
	return err
}

func (q Quota) tell(err error) {
	if full, ok := errors.AsType[*kv.TeamFullError](err); ok && q.Full != nil {
		q.Full(full.Team)
	}
}

// extra is the part of its share that a team may go beyond it for rows that are
// marked Urgent: a sixteenth.
const extra = 16

// charge says how far a caller's changes may make its team grow.
type charge struct {
	quota         Quota
	frees, urgent bool
}

func (c charge) mark(tx kv.Tx, team string) {
	if c.frees {
		kv.UseReserve(tx)
	}
	limit := c.quota.Size
	if c.urgent {
		limit += limit / extra
	}
	if team != "" {
		kv.Limit(tx, team, limit)
	}
}
