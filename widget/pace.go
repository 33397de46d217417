package widget

import (
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"edgesvc.dev/svc/sdk/api"
)

// What an address may ask of the fallback, whose every request is a visit.
const (
	postsPerSecond = 5
	postBurst      = 40
)

// pace limits addresses.
type pace struct {
	mu    sync.Mutex // guards what follows
	by    map[string]*rate.Limiter
	swept time.Time
}

func newPace() *pace { return &pace{by: map[string]*rate.Limiter{}, swept: time.Now()} }

func (p *pace) take(address string) *api.Error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.swept) > time.Minute {
		p.swept = now
		for a, l := range p.by {
			if l.TokensAt(now) >= postBurst {
				delete(p.by, a)
			}
		}
	}
	l := p.by[address]
	if l == nil {
		l = rate.NewLimiter(postsPerSecond, postBurst)
		p.by[address] = l
	}
	if l.AllowN(now, 1) {
		return nil
	}
	e := api.NewError(http.StatusTooManyRequests, api.CodeRateLimited, "You send too much at once.")
	e.RetryAfter = int(math.Ceil((1 - l.TokensAt(now)) / postsPerSecond))
	return e
}
