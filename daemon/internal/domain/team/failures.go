package team

import (
	"net/http"
	"sync"
	"time"

	"edgesvc.dev/svc/daemon/internal/netaddr"
	"edgesvc.dev/svc/sdk/api"
)

// How many failures are let through before the next is refused unseen.
const (
	guessBurst    = 10
	guessInterval = 3 * time.Second

	loginFailures = 10
	loginWindow   = 15 * time.Minute

	// maxFailing bounds the memory that failures take, however many addresses and
	// accounts an attacker makes up.
	maxFailing = 50_000
)

// failures counts the failed attempts of addresses and accounts. It is kept in
// memory: a restart forgives, which costs an attacker more than it gives.
type failures struct {
	mu sync.Mutex // guards by
	by map[string]failing
}

// failing is forgotten at until.
type failing struct {
	count int
	until time.Time
}

func newFailures() *failures { return &failures{by: map[string]failing{}} }

// spend counts a wrong guess of who: guessBurst at once, then one in each
// guessInterval. It returns how long to wait when that is used up. (This is the
// generic cell rate algorithm: until is when the bucket is full again.)
func (f *failures) spend(who string, now time.Time) (wait time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	full := f.by[who].until
	if full.Before(now) {
		full = now
	}
	if wait = full.Sub(now) - (guessBurst-1)*guessInterval; wait > 0 {
		return wait
	}
	f.put(who, failing{until: full.Add(guessInterval)}, now)
	return 0
}

// begin takes one of the loginFailures attempts that who may make within the
// loginWindow, before the attempt is made, so that many at once are no way
// around. last is true for the one that uses them up.
func (f *failures) begin(who string, now time.Time) (wait time.Duration, last bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.by[who]
	if !now.Before(v.until) {
		v = failing{until: now.Add(loginWindow)}
	}
	if v.count == loginFailures {
		return v.until.Sub(now), false
	}
	v.count++
	f.put(who, v, now)
	return 0, v.count == loginFailures
}

// forgive forgets the failures of who.
func (f *failures) forgive(who string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.by, who)
}

// giveBack returns the attempt that begin took: it was none.
func (f *failures) giveBack(who string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if v, ok := f.by[who]; ok && v.count > 0 {
		v.count--
		f.by[who] = v
	}
}

// put makes room when there is none: first what is over, then anything.
func (f *failures) put(who string, v failing, now time.Time) {
	if _, known := f.by[who]; !known && len(f.by) >= maxFailing {
		for k, old := range f.by {
			if old.until.Before(now) {
				delete(f.by, k)
			}
		}
		for k := range f.by {
			if len(f.by) < maxFailing*9/10 {
				break
			}
			delete(f.by, k)
		}
	}
	f.by[who] = v
}

// origin is what failures of an address count for.
func origin(address string) string { return "address " + netaddr.Network(address).String() }

func tooMany(wait time.Duration) *api.Error {
	e := api.NewError(http.StatusTooManyRequests, api.CodeRateLimited, "Too many attempts failed. Wait before the next.")
	e.RetryAfter = int((wait + time.Second - 1) / time.Second)
	return e
}
