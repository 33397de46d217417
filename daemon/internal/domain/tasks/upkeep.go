package tasks

import (
	"context"

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

// Sweep deletes the runs that are older than thirty days, a page at a time.
func (s *Service) Sweep(ctx context.Context) error {
	before := api.TimeOf(s.Now().Add(-maxRunAge))
	for {
		n := 0
		err := s.store.Update(ctx, func(tx kv.Tx) (err error) {
			n, err = sweep(tx, before)
			return err
		})
		if err != nil || n < upkeepPage {
			return err
		}
	}
}

func sweep(tx kv.Tx, before api.Time) (int, error) {
	var dead [][2]string
	_, err := runs.Each(tx, "", upkeepPage, func(team, id string, r *runRecord) error {
		if r.Run.CreatedAt >= before {
			return kv.Stop
		}
		dead = append(dead, [2]string{team, id})
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, d := range dead {
		if err := runs.Delete(tx, d[0], d[1]); err != nil {
			return 0, err
		}
	}
	return len(dead), nil
}
