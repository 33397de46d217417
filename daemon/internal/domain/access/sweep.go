package access

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
)

const sweepPage = 500

// Sweep deletes sessions that have ended and links that have expired, a page at
// a time.
func (s *Service) Sweep(ctx context.Context) error {
	err := sweep(ctx, s.store, sessions,
		func(v *session) bool { return !v.alive(s.Now()) },
		endSession)
	if err != nil {
		return err
	}
	return sweep(ctx, s.store, links,
		func(v *link) bool { return v.Expires <= s.now() },
		func(tx kv.Tx, team, id string, _ *link) error { return links.Delete(tx, team, id) })
}

// dead is a record to delete.
type dead[T any] struct {
	team, id string
	v        *T
}

func sweep[T any](ctx context.Context, store kv.Store, t *kv.Table[T], over func(*T) bool, drop func(kv.Tx, string, string, *T) error) error {
	for after := ""; ; {
		next := ""
		err := store.Update(ctx, func(tx kv.Tx) error {
			var found []dead[T]
			var err error
			next, err = t.EachReadable(tx, after, sweepPage, op.Unreadable, func(team, id string, v *T) error {
				if over(v) {
					found = append(found, dead[T]{team, id, v})
				}
				return nil
			})
			for _, d := range found {
				if err == nil {
					err = drop(tx, d.team, d.id, d.v)
				}
			}
			return err
		})
		if err != nil || next == "" {
			return err
		}
		after = next
	}
}
