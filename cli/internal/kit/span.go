package kit

import (
	"context"
	"strconv"
	"strings"
	"time"

	"edgesvc.dev/svc/sdk/api"
)

// WithTimeout limits a context; 0 is no limit.
func WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// ParseSpan reads a duration as people write it: 90d, 2w, 24h, 5m30s.
func ParseSpan(s string) (time.Duration, error) {
	for suffix, unit := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if n, err := strconv.Atoi(strings.TrimSuffix(s, suffix)); err == nil && strings.HasSuffix(s, suffix) && n >= 0 {
			return time.Duration(n) * unit, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, Usage("a span of time is like 90d, 2w, 24h or 5m, not %q", s)
	}
	return d, nil
}

// ParseSince reads a span before now, or a time or day; empty is no limit.
func ParseSince(s string) (api.Time, error) { return parseTime(s, -1) }

// ParseUntil reads a span after now, or a time or day; empty is no limit.
func ParseUntil(s string) (api.Time, error) { return parseTime(s, 1) }

func parseTime(s string, sign int) (api.Time, error) {
	if s == "" {
		return 0, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return api.TimeOf(at), nil
		}
	}
	d, err := ParseSpan(s)
	if err != nil {
		return 0, Usage("a time is like 7d, 3h, 2026-01-31 or 2026-01-31T15:04:05Z, not %q", s)
	}
	if sign < 0 {
		d = -d
	}
	return api.TimeOf(time.Now().Add(d)), nil
}
