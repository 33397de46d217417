package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/kv"
)

// Handler works on one claim. It ends the claim itself with Finish or Retry, in
// the transaction of its effects. When it returns an error other than ErrLost,
// the queue calls Retry; when it leaves because ctx ended, the item is given
// back. ctx ends when the worker stops or the claim is lost.
type Handler func(ctx context.Context, c Claim) error

// idle is the longest that Run sleeps without looking, for work that another
// process added.
const idle = 30 * time.Second

// errorPause follows a failure of the store, so that a full disk does not spin.
const errorPause = time.Second

// Run works on the queue with that many workers until ctx ends, and returns
// when all of them have stopped.
func (q *Queue) Run(ctx context.Context, workers int, handle Handler) {
	p := &pool{q: q, handle: handle, free: workers, running: map[string]int{}}
	defer p.wg.Wait()
	for ctx.Err() == nil {
		wait := idle
		if n, running := p.capacity(); n > 0 {
			claims, next, err := q.claim(ctx, n, running)
			if err != nil && ctx.Err() == nil {
				slog.ErrorContext(ctx, "queue cannot claim", "queue", q.name, "err", err)
				wait = errorPause
			}
			for _, c := range claims {
				p.start(ctx, c)
			}
			// With a worker free, all that is due and may be worked on is claimed;
			// with none, the end of work wakes this loop.
			if err == nil && len(claims) < n {
				wait = q.pause(next)
			}
		}
		q.sleep(ctx, wait)
	}
}

// pause is how long to wait for the time next, zero being never, when nothing else
// wakes the queue.
func (q *Queue) pause(next time.Time) time.Duration {
	if next.IsZero() {
		return idle
	}
	return min(idle, max(next.Sub(q.o.Now()), time.Millisecond))
}

func (q *Queue) sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-q.wake:
	case <-t.C:
	}
}

// pool is the workers of one Run.
type pool struct {
	q      *Queue
	handle Handler
	wg     conc.WaitGroup

	mu      sync.Mutex // guards what follows
	free    int
	running map[string]int // by team
}

func (p *pool) capacity() (int, map[string]int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.free, maps.Clone(p.running)
}

func (p *pool) count(team string, by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free -= by
	p.running[team] += by
	if p.running[team] == 0 {
		delete(p.running, team)
	}
}

func (p *pool) start(ctx context.Context, c Claim) {
	p.count(c.Team, 1)
	p.wg.Go(func() {
		defer p.q.notify()
		defer p.count(c.Team, -1)
		p.q.work(ctx, c, p.handle)
	})
}

// work runs the handler under a lease that is renewed while it runs.
func (q *Queue) work(ctx context.Context, c Claim, handle Handler) {
	held, lose := context.WithCancelCause(ctx)
	var wg conc.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() { q.keep(held, c, stop, lose) })
	err := q.guarded(held, c, handle)
	close(stop)
	wg.Wait()
	lose(nil)
	// The outcome is written even while the daemon stops.
	if err := q.settle(context.WithoutCancel(ctx), c, ctx.Err() != nil, err); err != nil {
		slog.ErrorContext(ctx, "queue cannot settle an item; its lease will run out", "queue", q.name, "item", c.ID, "err", err)
	}
}

// guarded turns a panic of the handler into a failed attempt.
func (q *Queue) guarded(ctx context.Context, c Claim, handle Handler) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return handle(ctx, c)
}

// keep renews the lease four times in its length.
func (q *Queue) keep(ctx context.Context, c Claim, stop <-chan struct{}, lose context.CancelCauseFunc) {
	tick := time.NewTicker(q.o.Lease / 4)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := q.renew(ctx, c)
		if errors.Is(err, ErrLost) {
			lose(ErrLost)
			return
		}
		if err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "queue cannot renew a lease", "queue", q.name, "item", c.ID, "err", err)
		}
	}
}

func (q *Queue) settle(ctx context.Context, c Claim, stopped bool, failure error) error {
	if failure == nil || errors.Is(failure, ErrLost) {
		return nil
	}
	if !stopped {
		slog.WarnContext(ctx, "queue item failed", "queue", q.name, "item", c.ID, "attempt", c.Attempt, "err", failure)
	}
	err := q.store.Update(ctx, func(tx kv.Tx) error {
		if stopped {
			return q.release(tx, c)
		}
		return q.Retry(tx, c, failure.Error())
	})
	if errors.Is(err, ErrLost) {
		return nil
	}
	return err
}
