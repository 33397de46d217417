package llm

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"time"
)

// Limits bound one call. A zero field means its default.
type Limits struct {
	Total time.Duration // all tries and pauses; default 120 s
	// Silence is how long a vendor may send nothing, before the first byte of an
	// answer and between two pieces of it; default 15 s.
	Silence time.Duration
	Tries   int // default 3
	// AtOnce is how many calls to one vendor are under way at a time; others wait
	// for their turn, which counts for Total. Default 128.
	AtOnce int
}

func (l Limits) withDefaults() Limits {
	if l.Total == 0 {
		l.Total = 120 * time.Second
	}
	if l.Silence == 0 {
		l.Silence = 15 * time.Second
	}
	if l.Tries == 0 {
		l.Tries = 3
	}
	if l.AtOnce == 0 {
		l.AtOnce = 128
	}
	return l
}

// target is who a call goes to: a model by its id among Models and under the name
// that its server has for it. The offline client has no lane.
type target struct {
	provider, id, model string
	lane                *lane
}

// failed notes a try that failed: for the operator, and in the lane.
func (to target) failed(ctx context.Context, r *Router, try int, e *Error) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return
	}
	r.outcomes.note(to.id, Outcome{Status: e.Status, RequestID: e.RequestID, Problem: e.Kind})
	failed(to.provider, to.id, try, e)
	if to.lane != nil {
		to.lane.hold(to.model, e)
	}
}

// attempts is the one retry policy; the SDKs' own is switched off. Another try
// follows rate limits, server errors, lost connections and broken answers, and
// once a vendor that fell silent. mayRepeat is asked before each further try.
func attempts[T any](ctx context.Context, r *Router, to target, mayRepeat func() bool, try func(context.Context) (T, error)) (T, error) {
	var none T
	ctx, cancel := context.WithTimeout(ctx, r.limits.Total)
	defer cancel()
	if err := r.await(ctx, to); err != nil {
		return none, abandonedOr(ctx, to.provider, err)
	}
	silent := false
	for n := 1; ; n++ {
		out, err := through(ctx, to, try)
		if err == nil {
			r.outcomes.note(to.id, Outcome{OK: true, Status: http.StatusOK})
			return out, nil
		}
		e := sorted(ctx, to.provider, err)
		to.failed(ctx, r, n, e)
		if e.Kind == KindTimeout && silent {
			return none, abandonedOr(ctx, to.provider, e)
		}
		silent = silent || e.Kind == KindTimeout
		wait := pause(n, e.RetryAfter)
		again := ctx.Err() == nil && e.Retryable && n < r.limits.Tries && !outlasts(ctx, wait) && mayRepeat()
		if !again || r.wait(ctx, wait) != nil {
			return none, abandonedOr(ctx, to.provider, e)
		}
	}
}

// await waits while the vendor has asked for no calls of the model.
func (r *Router) await(ctx context.Context, to target) error {
	if to.lane == nil {
		return nil
	}
	wait := to.lane.held(to.model)
	if wait == 0 {
		return nil
	}
	e := &Error{Kind: KindRateLimited, Provider: to.provider, Message: "the vendor has asked to wait", RetryAfter: wait, Retryable: true}
	if outlasts(ctx, wait) || r.wait(ctx, wait) != nil {
		return e
	}
	return nil
}

// through makes one try when it has a place in the lane.
func through[T any](ctx context.Context, to target, try func(context.Context) (T, error)) (T, error) {
	if to.lane != nil {
		leave, err := to.lane.enter(ctx)
		if err != nil {
			var none T
			return none, err
		}
		defer leave()
	}
	return try(ctx)
}

// abandonedOr is the failure, unless the caller has left.
func abandonedOr(ctx context.Context, provider string, failure error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: call abandoned: %w", provider, context.Canceled)
	}
	return failure
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
	broken := brokenAnswer(provider, "connection failed or broke off")
	broken.Reason = systemReason(err)
	return broken
}

// systemReason is what the system says of a connection that failed: the part of
// such an error that quotes nothing of the request.
func systemReason(err error) string {
	if e, ok := errors.AsType[*os.SyscallError](err); ok {
		return e.Err.Error()
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return e.Err
	}
	return ""
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
