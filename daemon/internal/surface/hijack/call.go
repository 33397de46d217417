package hijack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"edgesvc.dev/svc/sdk/api"
	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"
)

// call is one request on its way through a handler.
type call struct {
	b        *Bridge
	id       string // of the request, for the log
	ctx      context.Context
	cancel   context.CancelFunc
	w        *writer
	done     chan struct{} // closed when the handler returned
	answered chan struct{} // closed when nothing is left to send
	panicked bool          // read after done
}

func newCall(b *Bridge, ctx *fasthttp.RequestCtx) *call {
	c := &call{b: b, done: make(chan struct{}), answered: make(chan struct{})}
	c.id = string(ctx.Response.Header.Peek("X-Request-Id"))
	own := context.WithValue(b.base, http.LocalAddrContextKey, ctx.LocalAddr())
	c.ctx, c.cancel = context.WithCancel(own)
	c.w = newWriter(b, c.cancel, ctx.IsHead())
	return c
}

// run calls h and stays until the answer is out, so that Close does not leave
// a last chunk behind. Two writes at most remain when h has returned.
func (c *call) run(h http.Handler, r *http.Request) {
	c.serve(h, r)
	t := time.NewTimer(2 * c.b.writeTimeout)
	defer t.Stop()
	select {
	case <-c.answered:
	case <-t.C:
	}
}

func (c *call) serve(h http.Handler, r *http.Request) {
	defer close(c.done)
	defer c.cancel()
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		c.panicked = true
		if err, ok := p.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
			c.b.log.Error("panic in a bridged handler", "requestId", c.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
		}
	}()
	h.ServeHTTP(c.w, r.WithContext(c.ctx))
}

// settled reports whether the handler returned before its answer had to
// become a stream.
func (c *call) settled() bool {
	select {
	case <-c.done:
		return true
	case <-c.w.flushed:
	}
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-c.done:
		return true
	case <-t.C:
		return false
	}
}

// respond sends a whole answer through fasthttp.
func (c *call) respond(ctx *fasthttp.RequestCtx) {
	defer close(c.answered)
	if c.panicked {
		fail(ctx, http.StatusInternalServerError, api.CodeInternal, "Something went wrong on our side.")
		return
	}
	c.w.WriteHeader(http.StatusOK)
	c.w.copyHeader(ctx)
	ctx.Response.SetBodyRaw(c.w.buf)
}

// stream takes the connection over from fasthttp and keeps it until the
// handler returns.
func (c *call) stream(ctx *fasthttp.RequestCtx) {
	c.w.copyHeader(ctx)
	ctx.SetConnectionClose()
	chunked := ctx.Request.Header.IsHTTP11()
	if chunked {
		ctx.Response.Header.SetContentLength(-1)
	} else {
		ctx.Response.Header.SetContentLength(-2)
	}
	head := append([]byte(nil), ctx.Response.Header.Header()...)
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(hc net.Conn) {
		defer close(c.answered)
		conn := connOf(hc)
		defer c.b.opened(conn)()
		var watching conc.WaitGroup
		watching.Go(func() {
			untilGone(conn)
			c.cancel()
		})
		c.w.attach(conn, head, chunked)
		<-c.done
		if !c.panicked {
			c.w.finish()
		}
		_ = conn.Close()
		watching.Wait()
	})
}

// untilGone returns when the client has closed its side. Nothing that it
// sends meanwhile has a meaning: the connection ends with the stream.
func untilGone(c net.Conn) {
	var b [512]byte
	for {
		if _, err := c.Read(b[:]); err != nil {
			return
		}
	}
}
