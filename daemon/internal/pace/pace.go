// Package pace limits how often each of many clients may do something, in
// bounded memory. It does not know what a client is.
package pace

import (
	"hash/maphash"
	"sync"
	"time"
)

const (
	shards = 16
	// sampled is how many clients are looked at to make room for one more.
	sampled = 16
	// firstSweep is the least number of clients of a shard worth sweeping.
	firstSweep = 64
)

// Limiter lets each key do something burst times at once, and then once in each
// interval. It remembers a bounded number of keys: when there are more, those
// closest to being allowed everything are forgotten first, so that a client who
// makes up keys does not make the limiter forget one that is used up. It is safe
// for concurrent use.
type Limiter[K comparable] struct {
	burst int
	every time.Duration
	most  int // keys in a shard
	epoch time.Time
	seed  maphash.Seed
	parts [shards]part[K]
}

// part holds some of the keys, each with the time since the epoch at which all
// of its burst is there again (the generic cell rate algorithm).
type part[K comparable] struct {
	mu      sync.Mutex // guards what follows
	full    map[K]time.Duration
	sweepAt int
}

// State is what a key may do after a Take.
type State struct {
	Wait time.Duration // until the next is allowed; 0 when this one was
	Left int           // how many more are allowed now
	Full time.Duration // until the whole burst is there again
}

// New returns a limiter that remembers about so many keys.
func New[K comparable](burst int, every time.Duration, keys int) *Limiter[K] {
	return &Limiter[K]{burst: burst, every: every, most: max(keys/shards, 1), epoch: time.Now(), seed: maphash.MakeSeed()}
}

// Take counts one for key, or says how long to wait.
func (l *Limiter[K]) Take(key K) State { return l.TakeAt(key, time.Now()) }

// TakeAt is Take at a given time.
func (l *Limiter[K]) TakeAt(key K, at time.Time) State {
	now := at.Sub(l.epoch)
	p := &l.parts[maphash.Comparable(l.seed, key)%shards]
	p.mu.Lock()
	defer p.mu.Unlock()
	full, known := p.full[key]
	if !known || full < now {
		full = now
	}
	if wait := full - now - time.Duration(l.burst-1)*l.every; wait > 0 {
		return State{Wait: wait, Full: full - now}
	}
	full += l.every
	if !known {
		p.makeRoom(now, l.most)
	}
	p.full[key] = full
	return State{Left: l.burst - int((full-now+l.every-1)/l.every), Full: full - now}
}

// Spent reports whether key would have to wait now. It counts nothing.
func (l *Limiter[K]) Spent(key K) bool {
	now := time.Since(l.epoch)
	p := &l.parts[maphash.Comparable(l.seed, key)%shards]
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.full[key]-now > time.Duration(l.burst-1)*l.every
}

// Burst is how many are allowed at once.
func (l *Limiter[K]) Burst() int { return l.burst }

// Len is how many keys are remembered.
func (l *Limiter[K]) Len() int {
	n := 0
	for i := range l.parts {
		p := &l.parts[i]
		p.mu.Lock()
		n += len(p.full)
		p.mu.Unlock()
	}
	return n
}

// makeRoom forgets the keys that may do everything each time their number has
// doubled. Where that was not enough it looks at a few and forgets the one that
// has done the least.
func (p *part[K]) makeRoom(now time.Duration, most int) {
	if p.full == nil {
		p.full, p.sweepAt = map[K]time.Duration{}, firstSweep
	}
	if len(p.full) >= p.sweepAt {
		for k, full := range p.full {
			if full <= now {
				delete(p.full, k)
			}
		}
		p.sweepAt = max(firstSweep, 2*len(p.full))
	}
	if len(p.full) >= most {
		p.forgetOne(now)
	}
}

// forgetOne relies on maps being walked from a random place.
func (p *part[K]) forgetOne(now time.Duration) {
	var least K
	var earliest time.Duration
	seen := 0
	for k, full := range p.full {
		if seen == 0 || full < earliest {
			least, earliest = k, full
		}
		if seen++; seen == sampled || earliest <= now {
			break
		}
	}
	delete(p.full, least)
}
