package op

import (
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"edgesvc.dev/svc/sdk/api"
)

// Class is a kind of operation that shares a rate limit.
type Class int

// The classes.
const (
	ClassRead Class = iota + 1
	ClassWrite
	ClassAI
	ClassEvents
	ClassEmails
	ClassMCP
	ClassTRPC
	ClassLogin
	classEnd
)

var classNames = [classEnd]string{"", "read", "write", "ai", "events", "emails", "mcp", "trpc", "login"}

func (c Class) String() string { return classNames[c] }

// Limits are requests per minute by class name; 0 is no limit.
type Limits map[string]int

// DefaultLimits are the documented limits.
func DefaultLimits() Limits {
	return Limits{"read": 600, "write": 300, "ai": 30, "events": 6000, "emails": 120, "mcp": 300, "trpc": 1200, "login": 10}
}

// Rate is what a caller may still do, for the RateLimit headers. The zero Rate
// means no limit.
type Rate struct {
	Policy    string
	Quota     int
	Remaining int
	Reset     int // seconds until the bucket is full
}

// Limiter holds a token bucket for each credential, or address without one, and
// class. It is safe for concurrent use.
type Limiter struct {
	perMinute [classEnd]int
	shards    [64]limiterShard
}

type limiterShard struct {
	mu      sync.Mutex // guards buckets
	buckets map[bucketKey]*bucket
	swept   time.Time
}

type bucketKey struct {
	who   string
	class Class
}

type bucket struct {
	tokens *rate.Limiter
	used   time.Time
}

const bucketIdle = 10 * time.Minute

// NewLimiter returns a limiter with full buckets.
func NewLimiter(limits Limits) *Limiter {
	l := &Limiter{}
	for c := ClassRead; c < classEnd; c++ {
		l.perMinute[c] = limits[c.String()]
	}
	for i := range l.shards {
		l.shards[i].buckets = map[bucketKey]*bucket{}
	}
	return l
}

// Take takes one token of the caller's bucket, or refuses with rate_limited.
func (l *Limiter) Take(who *Caller, class Class) (Rate, error) {
	quota := l.perMinute[class]
	if quota == 0 || who.Kind == System {
		return Rate{}, nil
	}
	key := bucketKey{who: who.Credential, class: class}
	if key.who == "" {
		key.who = who.Address
	}
	b := l.bucket(key, quota)
	now := time.Now()
	ok := b.AllowN(now, 1)
	left := math.Max(b.TokensAt(now), 0)
	perSecond := float64(quota) / 60
	r := Rate{Policy: class.String(), Quota: quota, Remaining: int(left), Reset: int(math.Ceil((float64(quota) - left) / perSecond))}
	if ok {
		return r, nil
	}
	e := api.NewError(http.StatusTooManyRequests, api.CodeRateLimited, "At most %d %s requests a minute are allowed.", quota, class)
	e.RetryAfter = max(1, int(math.Ceil((1-left)/perSecond)))
	return r, e
}

func (l *Limiter) bucket(key bucketKey, quota int) *rate.Limiter {
	h := uint32(key.class)
	for i := range len(key.who) {
		h = h*31 + uint32(key.who[i])
	}
	s := &l.shards[h%uint32(len(l.shards))]
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.swept) > bucketIdle {
		s.swept = now
		for k, b := range s.buckets {
			if now.Sub(b.used) > bucketIdle {
				delete(s.buckets, k)
			}
		}
	}
	b := s.buckets[key]
	if b == nil {
		b = &bucket{tokens: rate.NewLimiter(rate.Limit(float64(quota)/60), quota)}
		s.buckets[key] = b
	}
	b.used = now
	return b.tokens
}
