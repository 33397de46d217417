package bolt

import (
	"slices"
	"sync"

	"github.com/sourcegraph/conc/panics"

	"edgesvc.dev/svc/kv"
)

// request is one Update on its way through the writer.
type request struct {
	fn       func(kv.Tx) error
	hooks    []func()
	taken    bool // guarded by the queue's mutex
	err      error
	panicked *panics.Recovered
	done     chan struct{}
}

// queue holds the Updates that wait for a commit.
type queue struct {
	mu      sync.Mutex // guards what follows, and taken of each request
	waiting []*request
	closed  error

	wake chan struct{} // holds one token while there may be work
}

func (q *queue) put(r *request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed != nil {
		return q.closed
	}
	q.waiting = append(q.waiting, r)
	q.signal()
	return nil
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take moves up to n waiting requests to dst.
func (q *queue) take(dst []*request, n int) (_ []*request, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n = min(n, len(q.waiting))
	for _, r := range q.waiting[:n] {
		r.taken = true
	}
	dst = append(dst, q.waiting[:n]...)
	rest := copy(q.waiting, q.waiting[n:])
	clear(q.waiting[rest:])
	q.waiting = q.waiting[:rest]
	if rest > 0 {
		q.signal()
	}
	return dst, q.closed != nil
}

// withdraw takes r back unless a commit has it.
func (q *queue) withdraw(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if r.taken {
		return false
	}
	for i, w := range q.waiting {
		if w == r {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			break
		}
	}
	return true
}

// close answers everything that waits, and everything later, with err.
func (q *queue) close(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed == nil {
		q.closed = err
	}
	for _, r := range q.waiting {
		r.taken, r.err = true, q.closed
		close(r.done)
	}
	q.waiting = nil
	q.signal()
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// putBack lets requests that were taken wait again, before all others.
func (q *queue) putBack(rs []*request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, r := range rs {
		r.taken = q.closed != nil
		if r.taken {
			r.err = q.closed
			close(r.done)
		}
	}
	if len(rs) > 0 && q.closed == nil {
		q.waiting = append(slices.Clone(rs), q.waiting...)
		q.signal()
	}
}
