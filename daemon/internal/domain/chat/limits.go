package chat

import (
	"math"
	"net/http"
	"time"

	"edgesvc.dev/svc/daemon/internal/pace"
	"edgesvc.dev/svc/daemon/internal/refusals"
	"edgesvc.dev/svc/sdk/api"
)

func slowDown(retryAfter time.Duration, detail string, args ...any) *api.Error {
	refusals.Visitor.Count()
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

// admitEdit counts what the visitor changes beside messages: who it is, what it
// has read, how it rates.
func (r *record) admitEdit(o *Options, now time.Time) error {
	edits := r.Edits.since(now, time.Minute)
	if edits.N >= o.EditsPerMinute {
		return slowDown(edits.ends(now, time.Minute), "You change too much at once. Wait a little.")
	}
	edits.N++
	r.Edits = edits
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

// maxStarters bounds the networks whose new conversations are counted.
const maxStarters = 1 << 14

// newStarts limits how many conversations a network begins: a visitor without a
// token is a new one each time.
func newStarts(perMinute int) *pace.Limiter[client] {
	return pace.New[client](perMinute, time.Minute/time.Duration(perMinute), maxStarters)
}

// Frames that cost little but are sent without end.
const (
	framesPerSecond = 5
	frameBurst      = 60
)
