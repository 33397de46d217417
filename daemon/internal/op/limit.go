package op

import (
	"net/http"
	"net/netip"
	"time"

	"edgesvc.dev/svc/daemon/internal/netaddr"
	"edgesvc.dev/svc/daemon/internal/pace"
	"edgesvc.dev/svc/daemon/internal/refusals"
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
	ClassPages  // of a team's public site
	ClassSearch // of its help centre
	classEnd
)

var classNames = [classEnd]string{"", "read", "write", "ai", "events", "emails", "mcp", "trpc", "login", "pages", "search"}

func (c Class) String() string { return classNames[c] }

// Limits are requests per minute by class name; 0 is no limit.
type Limits map[string]int

// DefaultLimits are the documented limits.
func DefaultLimits() Limits {
	return Limits{"read": 600, "write": 300, "ai": 30, "events": 6000, "emails": 120, "mcp": 300, "trpc": 1200, "login": 10, "pages": 600, "search": 60}
}

// Rate is what a caller may still do, for the RateLimit headers. The zero Rate
// means no limit.
type Rate struct {
	Policy    string
	Quota     int
	Remaining int
	Reset     int // seconds until the bucket is full
}

// Limiter counts requests of each credential, or network without one, by class.
// It is safe for concurrent use.
type Limiter struct {
	credentials [classEnd]*pace.Limiter[string]
	strangers   [classEnd]*pace.Limiter[netip.Prefix]
}

// How many credentials and networks are remembered of a class. Whoever makes up
// addresses takes no place of a credential.
const (
	maxCredentials = 1 << 16
	maxStrangers   = 1 << 14
)

// NewLimiter returns a limiter that has counted nothing yet.
func NewLimiter(limits Limits) *Limiter {
	l := &Limiter{}
	for c := ClassRead; c < classEnd; c++ {
		if quota := limits[c.String()]; quota > 0 {
			every := time.Minute / time.Duration(quota)
			l.credentials[c] = pace.New[string](quota, every, maxCredentials)
			l.strangers[c] = pace.New[netip.Prefix](quota, every, maxStrangers)
		}
	}
	return l
}

// Take counts one request of the caller, or refuses with rate_limited.
func (l *Limiter) Take(who *Caller, class Class) (Rate, error) {
	counted := l.credentials[class]
	if counted == nil || who.Kind == System {
		return Rate{}, nil
	}
	var s pace.State
	if who.Credential != "" {
		s = counted.Take(who.Credential)
	} else {
		s = l.strangers[class].Take(netaddr.Network(who.Address))
	}
	quota := counted.Burst()
	r := Rate{Policy: class.String(), Quota: quota, Remaining: s.Left, Reset: seconds(s.Full)}
	if s.Wait == 0 {
		return r, nil
	}
	refusals.RateLimit.Count()
	e := api.NewError(http.StatusTooManyRequests, api.CodeRateLimited, "At most %d %s requests a minute are allowed.", quota, class)
	e.RetryAfter = seconds(s.Wait)
	return r, e
}

// seconds are whole ones, at least as long as d.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
