package access

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// notes are what is learned on the way and written later, so that no request
// waits for it: when keys were last used, and which accounts were locked out.
type notes struct {
	mu       sync.RWMutex    // guards what follows, not the uses themselves
	uses     map[string]*use // by id of the key
	lockouts []lockout
	told     map[string]int // how many lock-outs of a user were noted on the day toldOn
	toldOn   string

	flushing sync.Mutex // held by Flush; guards written of each use
}

// use is the last use of a key.
type use struct {
	team    string
	at      atomic.Int64 // an api.Time, to the minute
	written api.Time     // the one that is in the store
}

// lockout is an account that used up its attempts.
type lockout struct {
	team, user, address, requestID string
}

const (
	minute = api.Time(time.Minute / time.Millisecond)
	// flushPage is the most records that one transaction of Flush writes.
	flushPage = 200
)

// used notes the use of a key: a load and a comparison for all but the first of a
// minute.
func (n *notes) used(team, key string, now api.Time) {
	at := int64(now - now%minute)
	n.mu.RLock()
	u := n.uses[key]
	n.mu.RUnlock()
	if u == nil {
		n.mu.Lock()
		if u = n.uses[key]; u == nil {
			u = &use{team: team}
			n.uses[key] = u
		}
		n.mu.Unlock()
	}
	if u.at.Load() < at {
		u.at.Store(at)
	}
}

const (
	// maxLockouts is the most lock-outs that wait to be written. An attacker makes no
	// more of them in a minute; a store that takes nothing must not fill the memory.
	maxLockouts = 1000
	// maxTold is the most lock-outs of a user that are told in a day (UTC): whoever
	// attacks from many networks must not fill the audit log.
	maxTold = 50
)

func (n *notes) lockedOut(l lockout, day string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.toldOn != day {
		n.toldOn = day
		clear(n.told)
	}
	if len(n.lockouts) < maxLockouts && n.told[l.user] < maxTold {
		n.told[l.user]++
		n.lockouts = append(n.lockouts, l)
	}
}

// putBack lets lock-outs that could not be written wait again, first those that
// waited longest.
func (n *notes) putBack(ls []lockout) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lockouts = append(ls, n.lockouts...)
	n.lockouts = n.lockouts[:min(len(n.lockouts), maxLockouts)]
}

// Run writes notes once a minute, and what is left when ctx ends. It returns
// then.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := s.Flush(ctx); err != nil && !errors.Is(err, kv.ErrFull) && ctx.Err() == nil {
				return err
			}
		case <-ctx.Done():
			return s.Flush(context.WithoutCancel(ctx))
		}
	}
}

// Flush writes what was noted so far.
func (s *Service) Flush(ctx context.Context) error {
	s.notes.flushing.Lock()
	defer s.notes.flushing.Unlock()
	if err := s.flushLockouts(ctx); err != nil {
		return err
	}
	for page := s.notes.unwritten(); len(page) > 0; page = s.notes.unwritten() {
		err := s.store.Update(ctx, func(tx kv.Tx) error {
			for _, p := range page {
				if err := p.write(tx); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, p := range page {
			p.use.written = p.at
		}
	}
	s.notes.forget(s.now() - 10*minute)
	return nil
}

// flushLockouts writes to the audit log which accounts were locked out.
func (s *Service) flushLockouts(ctx context.Context) error {
	s.notes.mu.Lock()
	waiting := s.notes.lockouts
	s.notes.lockouts = nil
	s.notes.mu.Unlock()
	if len(waiting) == 0 {
		return nil
	}
	err := s.store.Update(ctx, func(tx kv.Tx) error {
		kv.UseReserve(tx) // who attacks a full store is to be known, too
		for _, l := range waiting {
			who := op.Caller{Team: l.team, Actor: api.Actor{Type: "system"}, RequestID: l.requestID}
			if err := s.Audit(tx, &who, "auth.lockout", l.user, detail{"address": l.address}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.notes.putBack(waiting)
	}
	return err
}

// pendingUse is a use that is not in the store yet.
type pendingUse struct {
	key string
	use *use
	at  api.Time
}

func (n *notes) unwritten() []pendingUse {
	n.mu.RLock()
	defer n.mu.RUnlock()
	var page []pendingUse
	for key, u := range n.uses {
		if at := api.Time(u.at.Load()); at > u.written && len(page) < flushPage {
			page = append(page, pendingUse{key, u, at})
		}
	}
	return page
}

// write leaves the key's version as it is: its use is no change of it. A key
// that is gone meanwhile needs no note.
func (p *pendingUse) write(tx kv.Tx) error {
	k, err := keys.Get(tx, p.use.team, p.key)
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		return nil
	}
	if err != nil || k.LastUsed >= p.at {
		return err
	}
	k.LastUsed = p.at
	return keys.Put(tx, p.use.team, p.key, k)
}

// forget drops what is written and was not used since before.
func (n *notes) forget(before api.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for key, u := range n.uses {
		if at := api.Time(u.at.Load()); at <= u.written && at < before {
			delete(n.uses, key)
		}
	}
}
