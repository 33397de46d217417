package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Limits bound one call. A zero field means its default.
type Limits struct {
	Total     time.Duration // all tries and pauses; default 120 s
	FirstByte time.Duration // until a try's answer begins; default 30 s
	Tries     int           // default 3
}

func (l Limits) withDefaults() Limits {
	if l.Total == 0 {
		l.Total = 120 * time.Second
	}
	if l.FirstByte == 0 {
		l.FirstByte = 30 * time.Second
	}
	if l.Tries == 0 {
		l.Tries = 3
	}
	return l
}

// attempts is the one retry policy; the SDKs' own is switched off. Another try
// follows rate limits, server errors, lost connections and broken answers, not
// time-outs, whose time the caller has already spent. mayRepeat is asked before
// each further try.
func attempts[T any](ctx context.Context, r *Router, provider string, mayRepeat func() bool, try func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, r.limits.Total)
	defer cancel()
	for n := 1; ; n++ {
		out, err := try(ctx)
		if err == nil {
			return out, nil
		}
		e := sorted(ctx, provider, err)
		wait := pause(n, e.RetryAfter)
		again := ctx.Err() == nil && e.Retryable && e.Kind != KindTimeout && n < r.limits.Tries && !outlasts(ctx, wait) && mayRepeat()
		if again && r.wait(ctx, wait) == nil {
			continue
		}
		var none T
		if errors.Is(ctx.Err(), context.Canceled) {
			return none, fmt.Errorf("%s: call abandoned: %w", provider, context.Canceled)
		}
		return none, e
	}
}

// sorted makes an Error of whatever stopped a try.
func sorted(ctx context.Context, provider string, err error) *Error {
	if ctx.Err() != nil || errors.Is(err, errSlow) || errors.Is(err, context.DeadlineExceeded) {
		return &Error{Kind: KindTimeout, Provider: provider, Message: "no answer in time", Retryable: true}
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if errors.Is(err, errLarge) {
		return &Error{Kind: KindProvider, Provider: provider, Message: errLarge.Error()}
	}
	// What is left never reached the vendor or broke on the way back. The text
	// of such errors may quote what was sent, so it is not passed on.
	return brokenAnswer(provider, "connection failed or broke off")
}

// pause obeys the vendor, else doubles from half a second, spread by a quarter
// so that jobs which failed together do not return together.
func pause(n int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked
	}
	base := 500 * time.Millisecond << (n - 1)
	return base*3/4 + rand.N(base/2)
}

func outlasts(ctx context.Context, wait time.Duration) bool {
	deadline, _ := ctx.Deadline()
	return time.Until(deadline) <= wait
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
