package access

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"edgesvc.dev/svc/daemon/internal/netaddr"
	"edgesvc.dev/svc/daemon/internal/refusals"
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

// failures counts the failed attempts of networks. It is kept in memory: a
// restart forgives, which costs an attacker more than it gives.
type failures struct {
	mu sync.Mutex // guards by
	by map[string]failing
}

// failing is forgotten at until.
type failing struct {
	count int
	next  time.Time // when the next attempt is let through
	until time.Time
	tried []target
}

// target is an account that was attempted in vain.
type target struct {
	lockout
	told bool
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

// begin counts an attempt of who, before it is made, so that many at once are no
// way around. After loginFailures within the loginWindow each further one has to
// wait, twice as long as the one before: begin returns how long, and counts
// nothing then.
func (f *failures) begin(who string, now time.Time) (wait time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.by[who]
	if !now.Before(v.until) {
		v = failing{}
	}
	if wait = v.next.Sub(now); wait > 0 {
		return wait
	}
	v.count++
	v.next = now.Add(delay(v.count))
	v.until = v.next.Add(loginWindow)
	f.put(who, v, now)
	return 0
}

// delay is how long the attempt after so many others has to wait.
func delay(count int) time.Duration {
	if count < loginFailures {
		return 0
	}
	return min(time.Second<<min(count-loginFailures, 20), loginWindow)
}

// failed notes which account an attempt of who was made at. It returns those that
// are to be told, each once: who has used up what is let through at once.
func (f *failures) failed(who string, at lockout) (tell []lockout) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v, ok := f.by[who]
	if !ok {
		return nil
	}
	known := slices.ContainsFunc(v.tried, func(t target) bool { return t.user == at.user })
	if !known && at.user != "" && len(v.tried) < loginFailures {
		v.tried = append(slices.Clip(v.tried), target{lockout: at})
	}
	if v.count >= loginFailures {
		for i := range v.tried {
			if t := &v.tried[i]; !t.told {
				t.told = true
				tell = append(tell, t.lockout)
			}
		}
	}
	f.by[who] = v
	return tell
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
		v.next = v.next.Add(delay(v.count-1) - delay(v.count))
		v.count--
		f.by[who] = v
	}
}

// put makes room when there is none: first goes what is over, then who has
// failed little, and last who has to wait, those first that will be forgotten
// first. So nobody flushes the delay of one network by failures from others.
func (f *failures) put(who string, v failing, now time.Time) {
	if _, known := f.by[who]; !known && len(f.by) >= maxFailing {
		f.makeRoom(now)
	}
	f.by[who] = v
}

func (f *failures) makeRoom(now time.Time) {
	maps.DeleteFunc(f.by, func(_ string, v failing) bool { return v.until.Before(now) })
	drop := len(f.by) - maxFailing*9/10
	if drop <= 0 {
		return
	}
	order := slices.SortedFunc(maps.Keys(f.by), func(a, b string) int {
		x, y := f.by[a], f.by[b]
		return cmp.Or(cmp.Compare(min(x.count, loginFailures), min(y.count, loginFailures)), x.until.Compare(y.until))
	})
	for _, who := range order[:drop] {
		delete(f.by, who)
	}
}

// signInNetwork is what attempts to sign in count for: the /24 of an IPv4
// address, the /64 of an IPv6 address. It is "" where there is no address.
func signInNetwork(address string) string {
	if p := netaddr.Within(address, 24, 64); p.IsValid() {
		return p.String()
	}
	return ""
}

// origin is what failures of an address count for.
func origin(address string) string { return "address " + netaddr.Network(address).String() }

func tooMany(wait time.Duration) *api.Error {
	refusals.LockOut.Count()
	e := api.NewError(http.StatusTooManyRequests, api.CodeRateLimited, "Too many attempts failed. Wait before the next.")
	e.RetryAfter = int((wait + time.Second - 1) / time.Second)
	return e
}
