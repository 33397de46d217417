package trpc

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/superjson"
	"edgesvc.dev/svc/daemon/internal/surface/hijack"
)

// Where the surface is, and its declarations for TypeScript.
const (
	Prefix    = "/svc-api/trpc"
	TypesPath = "/svc-api/trpc.d.ts"
)

// Bounds of one request, and the time between signs of life on a stream.
const (
	maxBatch = 20
	maxBody  = 2 << 20
	ping     = 15 * time.Second
)

// Options join the surface to the daemon.
type Options struct {
	// Context is the parent of every operation's context.
	Context context.Context
	// Member is the signed-in caller of a request; where open is set, anyone.
	Member func(ctx *fasthttp.RequestCtx, open bool) (op.Caller, error)
	// Present is the caller of a session as it is now, or refuses.
	Present func(ctx context.Context, who op.Caller) (op.Caller, error)
	// SetCookie hands a browser its session where the answer of o is one.
	SetCookie func(ctx *fasthttp.RequestCtx, o *op.Op, answer any)
	// Rate tells a client what it may still do.
	Rate   func(ctx *fasthttp.RequestCtx, r op.Rate)
	Bridge *hijack.Bridge
	// Observe is told of every answered operation.
	Observe func(op string, status int, seconds float64)
}

// Handler offers the operation table to signed-in members.
type Handler struct {
	table     *op.Table
	opt       Options
	router    Router
	streams   map[string]*op.Stream
	followers followers
	end       context.CancelFunc
	types     func() []byte
}

// New makes every row a procedure of its name: a query when it changes nothing,
// otherwise a mutation; and every stream a subscription. Close is owed.
func New(table *op.Table, o Options) *Handler {
	h := &Handler{table: table, opt: o, streams: map[string]*op.Stream{}, followers: followers{open: map[string]int{}}}
	h.types = sync.OnceValue(func() []byte { return Types(table) })
	ending, end := context.WithCancel(o.Context)
	h.end = end
	h.router = Router{
		Procedures: map[string]*Procedure{}, Context: o.Context, Bridge: o.Bridge, Observe: o.Observe,
		MaxBatch: maxBatch, MaxBody: maxBody, Ping: ping, Quiet: 3 * ping, Posted: true,
		Session: h.session, Finish: h.finish, Present: h.present, Ending: ending,
	}
	for _, row := range table.Ops {
		h.router.Procedures[row.Name] = h.procedure(row)
	}
	for _, row := range table.Streams {
		h.router.Procedures[row.Name], h.streams[row.Name] = h.subscription(row), row
	}
	return h
}

// Close ends the subscriptions; their clients come back elsewhere, or later.
func (h *Handler) Close() { h.end() }

// Serve answers a request at Prefix or below it.
func (h *Handler) Serve(ctx *fasthttp.RequestCtx) {
	path := strings.TrimPrefix(string(ctx.URI().PathOriginal()), Prefix)
	h.router.Serve(ctx, strings.TrimPrefix(path, "/"))
	Reshape(ctx) // where the bridge lets no more streams in
}

// ServeTypes answers with the declarations of every procedure.
func (h *Handler) ServeTypes(ctx *fasthttp.RequestCtx) {
	head := &ctx.Response.Header
	if !ctx.IsGet() && !ctx.IsHead() {
		head.Set("Allow", "GET, HEAD")
		ctx.SetStatusCode(fasthttp.StatusMethodNotAllowed)
		return
	}
	head.SetContentType("application/typescript; charset=utf-8")
	head.Set("Cache-Control", "public, max-age=300")
	head.Set("Access-Control-Allow-Origin", "*")
	ctx.Response.SetBody(h.types())
}

// session is who a request comes from, as operations that need a member and
// open ones see it.
type session struct {
	member, anyone  op.Caller
	refused, barred error
	key             string // Idempotency-Key
}

func (h *Handler) session(ctx *fasthttp.RequestCtx) (any, error) {
	s := &session{key: string(ctx.Request.Header.Peek("Idempotency-Key"))}
	if h.onlyOpen(ctx) {
		s.refused = &Error{Code: "UNAUTHORIZED", Message: "Sign in first."} // asked by nobody
	} else {
		s.member, s.refused = h.opt.Member(ctx, false)
	}
	s.anyone, s.barred = h.opt.Member(ctx, true)
	return s, nil
}

// onlyOpen reports a request for open operations alone, as of a browser that signs
// in with the cookie of a session that is over. Looking at that would count as a
// wrong guess.
func (h *Handler) onlyOpen(ctx *fasthttp.RequestCtx) bool {
	path := strings.Trim(strings.TrimPrefix(string(ctx.Path()), Prefix), "/")
	for name := range strings.SplitSeq(path, ",") {
		if row := h.table.Lookup(name); row == nil || !row.Open {
			return false
		}
	}
	return true
}

func (h *Handler) finish(ctx *fasthttp.RequestCtx, c *Call) {
	res, ok := c.Answer.(op.Result)
	if !ok {
		return
	}
	h.opt.Rate(ctx, res.Rate)
	h.opt.SetCookie(ctx, h.table.Lookup(c.Path), res.Value)
	if res.Replayed && c.Alone {
		ctx.Response.Header.Set("Idempotency-Replayed", "true")
	}
}

// procedure is that of a row. Those of sessions set and take cookies.
func (h *Handler) procedure(o *op.Op) *Procedure {
	shape := superjson.ShapeOf(o.OutputType())
	p := &Procedure{Type: Mutation, First: strings.HasPrefix(o.Name, "auth.")}
	if o.ReadOnly() {
		p.Type = Query
	}
	p.Call = func(ctx context.Context, c *Call, dst []byte) ([]byte, error) {
		s := c.Session.(*session)
		who, err := s.member, s.refused
		if o.Open {
			who, err = s.anyone, s.barred
		}
		if err != nil {
			return dst, refusal(err, who.RequestID)
		}
		req := op.Request{Op: o, Caller: who, Class: op.ClassTRPC}
		if req.IdempotencyKey, err = s.keyOf(c, o); err != nil {
			return nil, err
		}
		if req.Args.Body, err = arguments(c); err != nil {
			return nil, err
		}
		res, refused := h.table.Call(ctx, req)
		c.Answer = res
		if refused != nil {
			return dst, refusal(refused, who.RequestID)
		}
		return wrap(dst, shape, res)
	}
	return p
}

// keyOf is the request's idempotency key where it can be meant for c: of a
// batch it would name several changes.
func (s *session) keyOf(c *Call, o *op.Op) (string, error) {
	switch {
	case s.key == "" || o.ReadOnly() || o.Open: // the answer to a sign-in is secret
		return "", nil
	case !c.Alone:
		return "", bad("Idempotency-Key needs a request of one call")
	}
	return s.key, nil
}

// arguments is the call's input as an operation takes it.
func arguments(c *Call) ([]byte, error) {
	body, err := c.JSON()
	if err != nil || string(body) == "null" {
		return nil, err
	}
	return body, nil
}

// wrap appends the envelope of an answer of the shape to dst.
func wrap(dst []byte, shape *superjson.Shape, res op.Result) ([]byte, error) {
	body := res.JSON
	if body == nil {
		if res.Value == nil {
			return dst, nil
		}
		var err error
		if body, err = op.Encode(nil, res.Value); err != nil {
			return dst, err
		}
	}
	return shape.Wrap(dst, body)
}

// byStatus are the protocol's codes for the statuses of refusals.
var byStatus = map[int]string{
	http.StatusBadRequest: "BAD_REQUEST", http.StatusUnauthorized: "UNAUTHORIZED", http.StatusPaymentRequired: "PAYMENT_REQUIRED",
	http.StatusForbidden: "FORBIDDEN", http.StatusNotFound: "NOT_FOUND", http.StatusConflict: "CONFLICT", http.StatusGone: "NOT_FOUND",
	http.StatusPreconditionFailed: "PRECONDITION_FAILED", http.StatusRequestEntityTooLarge: "PAYLOAD_TOO_LARGE",
	http.StatusUnsupportedMediaType: "UNSUPPORTED_MEDIA_TYPE", http.StatusUnprocessableEntity: "UNPROCESSABLE_CONTENT",
	http.StatusPreconditionRequired: "PRECONDITION_REQUIRED", http.StatusRequestTimeout: "TIMEOUT",
	http.StatusMethodNotAllowed: "METHOD_NOT_SUPPORTED", http.StatusRequestHeaderFieldsTooLarge: "PAYLOAD_TOO_LARGE", http.StatusTooManyRequests: "TOO_MANY_REQUESTS",
	http.StatusNotImplemented: "NOT_IMPLEMENTED", http.StatusBadGateway: "BAD_GATEWAY", http.StatusServiceUnavailable: "SERVICE_UNAVAILABLE",
	http.StatusGatewayTimeout: "GATEWAY_TIMEOUT", http.StatusInsufficientStorage: "SERVICE_UNAVAILABLE",
}

func refusal(err error, requestID string) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	e := op.Refusal(err)
	code, ok := byStatus[e.Status]
	if !ok {
		code = errInternal.Code
	}
	e.RequestID = requestID
	return &Error{Code: code, Message: e.Detail, Problem: e}
}
