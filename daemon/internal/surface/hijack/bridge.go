// Package hijack takes connections over from fasthttp: for net/http handlers
// that stream (server-sent events and the Model Context Protocol), and for
// websockets.
//
// A request is copied before its handler sees it and has a context of its
// own, because fasthttp recycles its memory the moment its handler returns: an
// adapter that lends that memory lets one client read another's credentials.
// The package knows no route and no protocol above HTTP.
package hijack

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"edgesvc.dev/svc/daemon/internal/surface/edge"
	"edgesvc.dev/svc/sdk/api"
	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"
)

// grace is how long a flushed answer may stay in memory. A handler that ends
// within it, as most that flush once do, keeps its connection alive.
const grace = 3 * time.Millisecond

// lastWords is how long a stream that was told to end may still be written to.
const lastWords = time.Second

// Bridge runs handlers and knows which are still running.
type Bridge struct {
	log          *slog.Logger
	writeTimeout time.Duration

	base   context.Context // the parent of every request's context, ended by Close
	cancel context.CancelFunc

	mu      sync.Mutex // guards closed and streams, and running.Go against Close
	closed  bool
	streams map[net.Conn]struct{} // that are being written to
	running conc.WaitGroup

	last atomic.Int64 // in Unix ns: when every write ends; 0 before Close gives up
}

// New returns a bridge. writeTimeout bounds each write to a client of a
// stream; a client that takes none in that time is cut off.
func New(log *slog.Logger, writeTimeout time.Duration) *Bridge {
	base, cancel := context.WithCancel(context.Background())
	return &Bridge{log: log, writeTimeout: writeTimeout, base: base, cancel: cancel, streams: map[net.Conn]struct{}{}}
}

// Handler serves h. The answer is sent whole when h returns, on a connection
// that stays open; from the first Flush on it is a stream, and the connection
// ends with it.
//
// The request's context ends when h returns, when Close gives up waiting, when
// a write fails, and, once the answer streams, when the client leaves.
func (b *Bridge) Handler(h http.Handler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		r, err := request(ctx)
		if err != nil {
			fail(ctx, http.StatusBadRequest, api.CodeInvalidRequest, "The address of the request cannot be read.")
			return
		}
		c := newCall(b, ctx)
		if !b.start(func() { c.run(h, r) }) {
			c.cancel()
			ctx.Response.Header.Set("Retry-After", "1")
			fail(ctx, http.StatusServiceUnavailable, api.CodeOverloaded, "The server is stopping. Try again.")
			return
		}
		if c.settled() {
			c.respond(ctx)
			return
		}
		c.stream(ctx)
	}
}

// Close lets no new request in and waits for those that run. When ctx ends
// first, it ends their contexts, leaves a second for last words, so that a client
// that takes nothing holds up no one, waits for the handlers to return, and
// reports that it had to.
func (b *Bridge) Close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	defer b.cancel()

	ended := make(chan struct{})
	var waiting conc.WaitGroup
	defer waiting.Wait()
	waiting.Go(func() {
		defer close(ended)
		b.running.Wait()
	})
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		b.cancel()
		b.cut()
		return fmt.Errorf("wait for streams: %w", context.Cause(ctx))
	}
}

// start runs f unless the bridge is closed. Close waits for f.
func (b *Bridge) start(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	b.running.Go(f)
	return true
}

// opened notes a connection that a stream is written to, until the returned
// function is called.
func (b *Bridge) opened(c net.Conn) (closed func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.streams[c] = struct{}{}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.streams, c)
	}
}

// cut lets every write end within lastWords, those under way as well.
func (b *Bridge) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	end := time.Now().Add(lastWords)
	b.last.Store(end.UnixNano())
	for c := range b.streams {
		_ = c.SetWriteDeadline(end)
	}
}

// fail answers in place of the handler.
func fail(ctx *fasthttp.RequestCtx, status int, code api.Code, detail string) {
	ctx.SetConnectionClose()
	edge.Write(ctx, api.NewError(status, code, detail))
}

// connOf unwraps the pooled connection that fasthttp hands to a hijacker:
// nothing may use the wrapper after the hijack handler has returned.
func connOf(c net.Conn) net.Conn {
	if u, ok := c.(interface{ UnsafeConn() net.Conn }); ok {
		return u.UnsafeConn()
	}
	return c
}
