package sdk

import (
	"context"
	"time"
)

// WithSleep replaces the waits between attempts.
func WithSleep(sleep func(context.Context, time.Duration) error) Option {
	return func(t *transport) { t.sleep = sleep }
}
