package team

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// fullDay is the latest day (UTC) of which the audit log says that the team's
// storage was full.
type fullDay struct {
	Day string `json:"d"`
}

var fullDays = kv.NewTable[fullDay]("teamfull")

// StorageFull notes for the audit log that a team was refused because its storage
// is full: once a day. It returns at once.
func (s *Service) StorageFull(team string) {
	if s.notes.isFull(team, s.Now().UTC().Format(time.DateOnly)) {
		select {
		case s.notes.wake <- struct{}{}:
		default:
		}
	}
}

// isFull reports whether that is news.
func (n *notes) isFull(team, day string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.full[team] == day {
		return false
	}
	maps.DeleteFunc(n.full, func(_, d string) bool { return d < day })
	n.full[team] = day
	return true
}

// flushFull writes to the audit log which teams' storage is full. What was
// written is in the store, so that a restart does not say it again.
func (s *Service) flushFull(ctx context.Context) error {
	s.notes.mu.RLock()
	full := maps.Clone(s.notes.full)
	s.notes.mu.RUnlock()
	if len(full) == 0 {
		return nil
	}
	return s.store.Update(ctx, func(tx kv.Tx) error {
		kv.UseReserve(tx)
		for _, team := range slices.Sorted(maps.Keys(full)) {
			if err := s.noteFull(tx, team, full[team]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Service) noteFull(tx kv.Tx, team, day string) error {
	known, err := fullDays.Get(tx, team, team)
	_, first := errors.AsType[*kv.NotFoundError](err)
	switch {
	case first:
		err = fullDays.Insert(tx, team, team, &fullDay{day})
	case err == nil && known.Day < day:
		err = fullDays.Put(tx, team, team, &fullDay{day})
	case err == nil:
		return nil
	}
	if err != nil {
		return err
	}
	who := op.Caller{Kind: op.System, Team: team, Actor: api.Actor{Type: "system"}}
	return s.audit(tx, &who, "team.storageFull", team, detail{"limit": strconv.FormatInt(s.StorageLimit, 10)})
}
