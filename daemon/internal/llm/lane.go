package llm

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// lane is the way to one vendor, which all calls share: so many at a time, and
// none of a model for which the vendor has asked to wait. It keeps a burst of
// visitors from becoming a storm of refused requests.
type lane struct {
	places *semaphore.Weighted

	mu    sync.Mutex           // guards until
	until map[string]time.Time // by model, when it may be asked again
}

func newLane(atOnce int) *lane {
	return &lane{places: semaphore.NewWeighted(int64(atOnce)), until: map[string]time.Time{}}
}

// maxHold bounds how long one refusal keeps all calls from a model, so that a
// limit which the vendor lifted is found out.
const maxHold = time.Minute

// hold notes that the vendor refused a call of the model because of its rate.
func (l *lane) hold(model string, e *Error) {
	if e.Kind != KindRateLimited || !e.Retryable {
		return
	}
	until := time.Now().Add(min(pause(1, e.RetryAfter), maxHold))
	l.mu.Lock()
	defer l.mu.Unlock()
	if until.After(l.until[model]) {
		l.until[model] = until
	}
}

// held is how long a call has to wait until the model may be asked, a little
// more for some than for others; zero when it may be asked now.
func (l *lane) held(model string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	wait := time.Until(l.until[model])
	if wait <= 0 {
		return 0
	}
	return wait + rand.N(wait/2+time.Millisecond)
}

// enter takes a place, which leave gives back.
func (l *lane) enter(ctx context.Context) (leave func(), err error) {
	if err := l.places.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { l.places.Release(1) }, nil
}
