package team

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
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

// full is what is noted for the audit log when a team is refused, and written
// later, so that no request waits for it.
type full struct {
	mu   sync.Mutex        // guards days
	days map[string]string // the latest day on which a team's storage was full
	wake chan struct{}     // receives when there is a new day
}

// StorageFull notes for the audit log that a team was refused because its storage
// is full: once a day. It returns at once.
func (s *Service) StorageFull(team string) {
	if s.full.note(team, s.Now().UTC().Format(time.DateOnly)) {
		select {
		case s.full.wake <- struct{}{}:
		default:
		}
	}
}

// note reports whether that is news.
func (f *full) note(team, day string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.days[team] == day {
		return false
	}
	maps.DeleteFunc(f.days, func(_, d string) bool { return d < day })
	f.days[team] = day
	return true
}

func (f *full) copy() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.days)
}

// Run writes to the audit log which teams' storage is full, until ctx ends; what
// could not be written is tried again once a minute.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-s.full.wake:
		case <-tick.C:
		case <-ctx.Done():
			return s.Flush(context.WithoutCancel(ctx))
		}
		if err := s.Flush(ctx); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "the audit log does not say yet that a team's storage is full", "err", err)
		}
	}
}

// Flush writes to the audit log which teams' storage is full. What was written is
// in the store, so that a restart does not say it again.
func (s *Service) Flush(ctx context.Context) error {
	days := s.full.copy()
	if len(days) == 0 {
		return nil
	}
	return s.store.Update(ctx, func(tx kv.Tx) error {
		kv.UseReserve(tx)
		for _, team := range slices.Sorted(maps.Keys(days)) {
			if err := s.noteFull(tx, team, days[team]); err != nil {
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
	return s.Audit(tx, &who, "team.storageFull", team, detail{"limit": strconv.FormatInt(s.StorageLimit, 10)})
}
