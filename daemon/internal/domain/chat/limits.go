package chat

import (
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"edgesvc.dev/svc/sdk/api"
)

func slowDown(retryAfter time.Duration, detail string, args ...any) *api.Error {
	e := api.NewError(http.StatusTooManyRequests, api.CodeRateLimited, detail, args...)
	e.RetryAfter = max(1, int(math.Ceil(retryAfter.Seconds())))
	return e
}

// admit counts a message of the visitor, or refuses it. The counts stand in the
// record: neither a new connection nor a restart forgets them.
func (r *record) admit(o *Options, now time.Time) error {
	minute, day := r.Minute.since(now, time.Minute), r.Day.since(now, 24*time.Hour)
	if minute.N >= o.PerMinute {
		return slowDown(minute.ends(now, time.Minute), "You may send %d messages a minute. Wait a little.", o.PerMinute)
	}
	if day.N >= o.PerDay {
		return slowDown(day.ends(now, 24*time.Hour), "You may send %d messages a day. Come back tomorrow, or write an e-mail.", o.PerDay)
	}
	minute.N++
	day.N++
	r.Minute, r.Day = minute, day
	return nil
}

func (w window) since(now time.Time, length time.Duration) window {
	if age := now.Sub(w.At.Time()); w.At == 0 || age >= length || age < 0 {
		return window{At: api.TimeOf(now)}
	}
	return w
}

func (w window) ends(now time.Time, length time.Duration) time.Duration {
	return w.At.Time().Add(length).Sub(now)
}

// starts limits how many conversations an address begins: a visitor without a
// token is a new one each time. The zero value is ready.
type starts struct {
	mu    sync.Mutex // guards what follows
	by    map[string]*rate.Limiter
	swept time.Time
}

func (s *starts) take(address string, perMinute int, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.swept) > time.Minute {
		s.swept = now
		for a, l := range s.by {
			if l.TokensAt(now) >= float64(perMinute) {
				delete(s.by, a)
			}
		}
	}
	if s.by == nil {
		s.by = map[string]*rate.Limiter{}
	}
	l := s.by[address]
	if l == nil {
		l = rate.NewLimiter(rate.Limit(float64(perMinute)/60), perMinute)
		s.by[address] = l
	}
	if !l.AllowN(now, 1) {
		return slowDown(time.Minute/time.Duration(perMinute), "Too many conversations are begun from your address. Wait a little.")
	}
	return nil
}

// Frames that cost little but are sent without end.
const (
	framesPerSecond = 5
	frameBurst      = 60
)
