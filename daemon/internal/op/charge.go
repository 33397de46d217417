package op

import "edgesvc.dev/svc/kv"

// charge says how far a caller's changes may make its team grow.
type charge struct {
	limit int64
	frees bool
}

func (c charge) mark(tx kv.Tx, team string) {
	if c.frees {
		kv.UseReserve(tx)
	}
	if team != "" {
		kv.Limit(tx, team, c.limit)
	}
}
