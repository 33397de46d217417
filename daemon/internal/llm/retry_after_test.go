package llm

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfterForms(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		seconds, millis string
		want            time.Duration
	}{
		{"", "", 0},
		{"7", "", 7 * time.Second},
		{"0.5", "", 500 * time.Millisecond},
		{"7", "250", 250 * time.Millisecond},
		{"Fri, 20 Nov 2026 12:01:30 GMT", "", 90 * time.Second},
		{"Fri, 20 Nov 2026 11:00:00 GMT", "", 0},
		{"-5", "", 0},
		{"1e300", "", maxRetryAfter},
		{"NaN", "", 0},
		{"soon", "later", 0},
	} {
		h := http.Header{}
		h.Set("Retry-After", c.seconds)
		h.Set("Retry-After-Ms", c.millis)
		if got := retryAfter(h, now); got != c.want {
			t.Errorf("Retry-After %q, -Ms %q: %v, want %v", c.seconds, c.millis, got, c.want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("7", "")
	f.Add("Fri, 20 Nov 2026 12:01:30 GMT", "9e18")
	f.Fuzz(func(t *testing.T, seconds, millis string) {
		h := http.Header{"Retry-After": {seconds}, "Retry-After-Ms": {millis}}
		if d := retryAfter(h, time.Now()); d < 0 || d > maxRetryAfter {
			t.Errorf("%v", d)
		}
	})
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"city":"Oslo"}`)
	f.Add(`{"city":`)
	f.Fuzz(func(t *testing.T, raw string) {
		c := toolCall("1", "tool", raw)
		if !isObject(c.Arguments) || c.Malformed != "" && string(c.Arguments) != "{}" {
			t.Errorf("%q passed as %+v", raw, c)
		}
	})
}
