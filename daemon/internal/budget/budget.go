// Package budget bounds the memory that large bodies hold at one time, requests
// and answers together, for the whole process. It knows nothing of HTTP.
//
// What it counts is what is announced: the length of a body that is about to be
// read, or of an answer that waits for a slow reader. Take before the memory is
// set aside, and answer 503 with Retry-After where it refuses; release when the
// bytes have been sent or dropped. What is shared by all who ask for it, such as
// a cached page, is not counted.
package budget

import (
	"context"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// calm is how long after a burst its memory is given back to the system.
const calm = time.Second

// Budget is safe for concurrent use. Make one with New.
type Budget struct {
	total int64
	inUse atomic.Int64

	mu      sync.Mutex // guards what follows
	holders map[string]int64
	freed   int64         // bytes released since the collector was last asked
	spent   chan struct{} // told when that is half of total
}

// New returns a budget of total bytes.
func New(total int64) *Budget {
	return &Budget{total: total, holders: map[string]int64{}, spent: make(chan struct{}, 1)}
}

// Total is how many bytes may be in flight.
func (b *Budget) Total() int64 { return b.total }

// InUse is how many bytes are in flight.
func (b *Budget) InUse() int64 { return b.inUse.Load() }

// Take sets n bytes aside for holder, such as a team or a network of clients, or
// reports that there is no room. No holder gets more than half, so that one
// alone cannot keep the others out, but for a single body that is larger: one
// fits always, when nothing else is in flight. With true, release is owed;
// calling it again changes nothing.
func (b *Budget) Take(holder string, n int64) (release func(), ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	used, held := b.inUse.Load(), b.holders[holder]
	if used > 0 && used+n > b.total || held > 0 && held+n > b.total/2 {
		return nil, false
	}
	return b.add(holder, n), true
}

// Charge counts n bytes that exist already, room or not: the answer to a change
// that was made cannot be refused any more. Release is owed.
func (b *Budget) Charge(holder string, n int64) (release func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.add(holder, n)
}

func (b *Budget) add(holder string, n int64) (release func()) {
	b.inUse.Add(n)
	b.holders[holder] += n
	return sync.OnceFunc(func() { b.release(holder, n) })
}

func (b *Budget) release(holder string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inUse.Add(-n)
	if b.holders[holder] -= n; b.holders[holder] == 0 {
		delete(b.holders, holder)
	}
	if b.freed += n; b.freed < b.total/2 {
		return
	}
	b.freed = 0
	select {
	case b.spent <- struct{}{}:
	default: // it is told already
	}
}

// Run has the memory of released bodies collected, until ctx ends. The collector
// by itself waits until the garbage is several times what is in use, which for
// bodies of megabytes is several times the budget; and what it frees it keeps
// for itself, so that the process stays as large as its largest burst.
func (b *Budget) Run(ctx context.Context) {
	after := time.NewTimer(calm)
	after.Stop()
	defer after.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.spent:
			runtime.GC()
			after.Reset(calm)
		case <-after.C:
			debug.FreeOSMemory()
		}
	}
}
