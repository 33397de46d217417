// Package trpc answers tRPC version 11 clients over HTTP: single calls, batches,
// batches streamed as JSON lines, subscriptions as server-sent events, and
// message envelopes posted to the bare path. Values are SuperJSON.
//
// Router is the protocol and knows procedures only; Handler offers the
// operation table through it. It does not know what operations do.
package trpc

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/superjson"
	"edgesvc.dev/svc/daemon/internal/surface/hijack"
)

// Type is what a procedure is called as.
type Type string

// The types.
const (
	Query        Type = "query"
	Mutation     Type = "mutation"
	Subscription Type = "subscription"
)

// Procedure is one name that clients call.
type Procedure struct {
	Type Type
	// Call answers a query or mutation: it appends an envelope to dst, or
	// nothing for undefined.
	Call func(ctx context.Context, c *Call, dst []byte) ([]byte, error)
	// Subscribe sends events until it returns. An error of emit means that the
	// client has left.
	Subscribe func(ctx context.Context, c *Call, emit func(Event) error) error
	// First says that Call may change the answer's header, as a sign-in does: in
	// a streamed batch it runs before the header is sent.
	First bool
}

// Event is one value of a subscription. A client that reconnects names the last
// ID that it saw; without one the value is not resumed from.
type Event struct {
	ID   string
	Data []byte // envelope, nil for undefined
}

// Call is one invocation.
type Call struct {
	Path    string
	Session any  // what Router.Session made of the request
	Answer  any  // what Call leaves for Router.Finish
	Alone   bool // the request's only call
	input   input
}

// Router answers the protocol.
type Router struct {
	Procedures map[string]*Procedure
	// Context is the parent of every call's context.
	Context context.Context
	// Session is made once for each request; its error is that of every call.
	Session func(*fasthttp.RequestCtx) (any, error)
	Bridge  *hijack.Bridge
	// Finish may add headers for a call to an answer that is sent whole.
	Finish func(ctx *fasthttp.RequestCtx, c *Call)
	// Present refuses a subscription whose caller may no longer follow it. It is
	// asked before every event and sign of life.
	Present func(ctx context.Context, c *Call) error
	// Ending ends when subscriptions are to let their clients go elsewhere.
	Ending context.Context
	// Observe is told of every finished call.
	Observe  func(path string, status int, seconds float64)
	MaxBatch int // calls in a request; 0 is one, without batches
	MaxBody  int
	Ping     time.Duration // between signs of life on a quiet stream
	// Posted says that queries and subscriptions are taken by POST too.
	Posted bool
	// Quiet is how long a subscription's client hears nothing before it comes
	// again; 0 is for ever.
	Quiet time.Duration
	// Separator is in URLs for the dots of names; "" is a dot.
	Separator string
}

// Serve answers a request whose path below the prefix, still escaped, is path.
func (r *Router) Serve(ctx *fasthttp.RequestCtx, path string) {
	if ctx.IsHead() {
		ctx.SetStatusCode(fasthttp.StatusNoContent)
		return
	}
	head := &ctx.Response.Header
	head.SetContentType("application/json")
	head.Set("Vary", "trpc-accept, accept")
	head.Set("Cache-Control", "no-store")
	b, err := r.plan(ctx, path)
	switch {
	case err != nil:
		e := failure(err)
		ctx.SetStatusCode(e.Status())
		ctx.Response.SetBody(e.envelope(""))
	case b.messages != nil:
		r.serveMessages(ctx, b)
	case b.stream:
		r.serveLines(ctx, b)
	case !b.batch && b.calls[0].proc != nil && b.calls[0].proc.Type == Subscription:
		r.serveEvents(ctx, b)
	default:
		r.serveWhole(ctx, b)
	}
}

// planned is a call that was found, or why it cannot be.
type planned struct {
	Call
	proc *Procedure
	err  error
}

// plan is what a request asks for. It aliases nothing of the request.
type plan struct {
	calls         []planned
	batch, stream bool
	method        string
	lastID        string // of a subscription that resumes
	messages      []message
	single        bool // one message, no list
}

// run appends the envelope of a call's answer to dst.
func (r *Router) run(ctx context.Context, c *planned, dst []byte) (out []byte, err error) {
	start := time.Now()
	defer func() {
		if p := recover(); p != nil {
			slog.Error("panic in a procedure", "path", c.Path, "panic", fmt.Sprint(p))
			err = errInternal
		}
		if c.proc != nil {
			r.Observe(c.Path, statusOf(err), time.Since(start).Seconds())
		}
	}()
	if c.err != nil {
		return dst, c.err
	}
	if out, err = c.proc.Call(ctx, &c.Call, dst); err == nil && len(out) == len(dst) {
		out = append(out, undefined...)
	}
	return out, err
}

func (r *Router) serveWhole(ctx *fasthttp.RequestCtx, b *plan) {
	body := ctx.Response.SwapBody(nil)[:0] // its memory comes and goes with answers
	status := 0
	if b.batch {
		body = append(body, '[')
	}
	for i := range b.calls {
		if i > 0 {
			body = append(body, ',')
		}
		var err error
		body, err = r.answer(ctx, &b.calls[i], body, `{"result":{"data":`)
		if err != nil {
			body = append(body, failure(err).envelope(b.calls[i].Path)...)
		} else {
			body = append(body, "}}"...)
		}
		status = common(status, statusOf(err))
	}
	if b.batch {
		body = append(body, ']')
	}
	ctx.SetStatusCode(status)
	ctx.Response.SwapBody(body)
}

// answer runs a call whose answer's header is not sent yet. It appends before
// and the envelope to dst, or nothing with an error.
func (r *Router) answer(ctx *fasthttp.RequestCtx, c *planned, dst []byte, before string) ([]byte, error) {
	out, err := r.run(r.Context, c, append(dst, before...))
	r.Finish(ctx, &c.Call)
	if err == nil {
		return out, nil
	}
	switch e := failure(err); {
	case e.Code == "UNAUTHORIZED":
		ctx.Response.Header.Set("WWW-Authenticate", `Bearer realm="svc"`)
	case e.Allow != "":
		ctx.Response.Header.Set("Allow", e.Allow)
	case e.Problem != nil && e.Problem.RetryAfter > 0:
		ctx.Response.Header.Set("Retry-After", strconv.Itoa(e.Problem.RetryAfter))
	}
	return dst, err
}

// common is the status of a batch: that of all calls, or 207 when they differ.
func common(sofar, next int) int {
	if sofar == 0 || sofar == next {
		return next
	}
	return fasthttp.StatusMultiStatus
}

// undefined is the envelope of no value.
const undefined = `{"json":null,"meta":{"values":["undefined"],"v":1}}`

// Value is the call's input. Reading it may refuse with BAD_REQUEST.
func (c *Call) Value() (*superjson.Value, error) {
	if err := c.input.check(); err != nil {
		return nil, err
	}
	v := &superjson.Value{}
	if raw := c.input.raw; len(raw) > 0 {
		var err error
		if v, err = superjson.Decode(raw); err != nil {
			return nil, badInput(err)
		}
	}
	return c.input.resumed(v), nil
}

// JSON is the call's input as plain JSON, nil for undefined.
func (c *Call) JSON() ([]byte, error) {
	if err := c.input.check(); err != nil || len(c.input.raw) == 0 && c.input.lastID == "" {
		return nil, err
	}
	if c.input.lastID != "" {
		v, err := c.Value()
		if err != nil {
			return nil, err
		}
		b, err := v.AppendJSON(nil)
		return b, badInput(err)
	}
	b, err := superjson.Plain(c.input.raw)
	return b, badInput(err)
}
