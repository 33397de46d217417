package tasks

import (
	"context"
	"errors"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

const upkeepPage = 200

// Reclaim fails the runs that an earlier process left running: what became of
// them is not known, and to make a request again is for whoever asked for it.
func (s *Service) Reclaim(ctx context.Context) error {
	for after, more := "", true; more; more = after != "" {
		var next string
		err := s.store.Update(ctx, func(tx kv.Tx) (err error) {
			var left [][2]string
			next, err = underway.EachReadable(tx, after, upkeepPage, op.Unreadable, func(team, id string, _ *underwayRecord) error {
				left = append(left, [2]string{team, id})
				return nil
			})
			if err != nil {
				return err
			}
			for _, l := range left {
				if err := s.cutOff(tx, l[0], l[1]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		after = next
	}
	return nil
}

func (s *Service) cutOff(tx kv.Tx, team, id string) error {
	r, err := runs.Get(tx, team, id)
	if err != nil {
		return err
	}
	r.Run.State, r.Run.Version, r.Run.UpdatedAt = api.RunFailed, r.Run.Version+1, s.now()
	r.Run.Error = &api.JobError{Code: string(api.CodeInternal), Message: "The service stopped during the run; whether it took effect is not known.", Retryable: true}
	return s.finish(tx, team, r)
}

// Sweep deletes the runs that are older than thirty days, a page at a time. It
// deletes none, with event.ErrClock, when all are.
func (s *Service) Sweep(ctx context.Context) error {
	before := api.TimeOf(s.Now().Add(-maxRunAge))
	err := s.store.View(ctx, func(tx kv.Tx) error {
		_, _, newest, err := runs.Last(tx)
		if _, none := errors.AsType[*kv.NotFoundError](err); none {
			return nil
		}
		if err == nil && newest.Run.CreatedAt < before {
			err = event.ErrClock
		}
		return err
	})
	for after, more := "", true; more && err == nil; more = after != "" {
		next := ""
		err = s.store.Update(ctx, func(tx kv.Tx) (err error) {
			next, err = sweep(tx, after, before)
			return err
		})
		after = next
	}
	return err
}

// sweep looks at one page of runs. next is "" behind the last old one.
func sweep(tx kv.Tx, after string, before api.Time) (next string, err error) {
	var dead [][2]string
	next, err = runs.EachReadable(tx, after, upkeepPage, op.Unreadable, func(team, id string, r *runRecord) error {
		if r.Run.CreatedAt >= before {
			return kv.Stop
		}
		dead = append(dead, [2]string{team, id})
		return nil
	})
	for _, d := range dead {
		if err == nil {
			err = runs.Delete(tx, d[0], d[1])
		}
	}
	return next, err
}
