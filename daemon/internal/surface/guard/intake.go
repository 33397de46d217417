package guard

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// intake knows the large bodies that are being read: between the header, when
// nothing but its memory's address tells one request from another, and the
// moment that the body is there or has failed.
type intake struct {
	count atomic.Int32 // of entries in by

	mu sync.Mutex // guards by
	by map[*fasthttp.RequestHeader]reading
}

// reading is one of them, or why it must not be read.
type reading struct {
	release func()
	refused *refusal
	until   time.Time // when the read has failed for sure
}

func (r reading) end() {
	if r.release != nil {
		r.release()
	}
}

// put notes what was decided for the request. What a connection that broke
// without a word has left behind ends here.
func (in *intake) put(h *fasthttp.RequestHeader, r reading) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.by == nil {
		in.by = map[*fasthttp.RequestHeader]reading{}
	}
	now := time.Now()
	for h, old := range in.by {
		if now.After(old.until) {
			old.end()
			delete(in.by, h)
		}
	}
	in.by[h] = r
	in.count.Store(int32(len(in.by))) // at most one for each connection
}

// peek tells what was noted for the request.
func (in *intake) peek(h *fasthttp.RequestHeader) reading {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.by[h]
}

// take hands over what was noted for the request, if anything was.
func (in *intake) take(h *fasthttp.RequestHeader) reading {
	if in.count.Load() == 0 {
		return reading{}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	r := in.by[h]
	delete(in.by, h)
	in.count.Store(int32(len(in.by))) // at most one for each connection
	return r
}
