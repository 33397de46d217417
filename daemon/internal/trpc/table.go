package trpc

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/hijack"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/superjson"
	"edgesvc.dev/svc/sdk/api"
)

// Prefix is where the surface is.
const Prefix = "/svc-api/trpc"

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
	// SetCookie hands a browser its session where the answer of o is one.
	SetCookie func(ctx *fasthttp.RequestCtx, o *op.Op, answer any)
	Bridge    *hijack.Bridge
	// Observe is told of every answered operation.
	Observe func(op string, status int, seconds float64)
}

// Handler offers the operation table to signed-in members.
type Handler struct{ router Router }

// New makes every row a procedure of its name: a query when it changes nothing,
// otherwise a mutation.
func New(table *op.Table, o Options) *Handler {
	h := &Handler{router: Router{
		Procedures: map[string]*Procedure{}, Context: o.Context, Bridge: o.Bridge, Observe: o.Observe,
		MaxBatch: maxBatch, MaxBody: maxBody, Ping: ping,
		Session: func(ctx *fasthttp.RequestCtx) (any, error) {
			s := &session{}
			s.member, s.refused = o.Member(ctx, false)
			s.anyone, s.barred = o.Member(ctx, true)
			return s, nil
		},
		Finish: func(ctx *fasthttp.RequestCtx, c *Call) {
			if res, ok := c.Answer.(op.Result); ok {
				o.SetCookie(ctx, table.Lookup(c.Path), res.Value)
			}
		},
	}}
	for _, row := range table.Ops {
		h.router.Procedures[row.Name] = procedure(table, row)
	}
	return h
}

// Serve answers a request at Prefix or below it.
func (h *Handler) Serve(ctx *fasthttp.RequestCtx) {
	path := strings.TrimPrefix(string(ctx.URI().PathOriginal()), Prefix)
	h.router.Serve(ctx, strings.TrimPrefix(path, "/"))
}

// session is who a request comes from, as operations that need a member and
// open ones see it.
type session struct {
	member, anyone  op.Caller
	refused, barred error
}

func procedure(table *op.Table, o *op.Op) *Procedure {
	shape := superjson.ShapeOf(o.OutputType())
	p := &Procedure{Type: Mutation}
	if o.ReadOnly() {
		p.Type = Query
	}
	p.Call = func(ctx context.Context, c *Call) ([]byte, error) {
		s := c.Session.(*session)
		who, err := s.member, s.refused
		if o.Open {
			who, err = s.anyone, s.barred
		}
		if err != nil {
			return nil, refusal(op.Refusal(err), who.RequestID)
		}
		body, err := c.JSON()
		if err != nil {
			return nil, err
		}
		if string(body) == "null" {
			body = nil
		}
		res, refused := table.Call(ctx, op.Request{Op: o, Caller: who, Args: op.Args{Body: body}})
		if refused != nil {
			return nil, refusal(refused, who.RequestID)
		}
		c.Answer = res
		return wrap(shape, res)
	}
	return p
}

func wrap(shape *superjson.Shape, res op.Result) ([]byte, error) {
	body := res.JSON
	if body == nil {
		if res.Value == nil {
			return nil, nil
		}
		var err error
		if body, err = op.Encode(nil, res.Value); err != nil {
			return nil, err
		}
	}
	return shape.Wrap(nil, body)
}

// byStatus are the protocol's codes for the statuses of refusals.
var byStatus = map[int]string{
	http.StatusBadRequest: "BAD_REQUEST", http.StatusUnauthorized: "UNAUTHORIZED", http.StatusPaymentRequired: "PAYMENT_REQUIRED",
	http.StatusForbidden: "FORBIDDEN", http.StatusNotFound: "NOT_FOUND", http.StatusConflict: "CONFLICT", http.StatusGone: "NOT_FOUND",
	http.StatusPreconditionFailed: "PRECONDITION_FAILED", http.StatusRequestEntityTooLarge: "PAYLOAD_TOO_LARGE",
	http.StatusUnsupportedMediaType: "UNSUPPORTED_MEDIA_TYPE", http.StatusUnprocessableEntity: "UNPROCESSABLE_CONTENT",
	http.StatusPreconditionRequired: "PRECONDITION_REQUIRED", http.StatusTooManyRequests: "TOO_MANY_REQUESTS",
	http.StatusNotImplemented: "NOT_IMPLEMENTED", http.StatusBadGateway: "BAD_GATEWAY", http.StatusServiceUnavailable: "SERVICE_UNAVAILABLE",
	http.StatusGatewayTimeout: "GATEWAY_TIMEOUT", http.StatusInsufficientStorage: "SERVICE_UNAVAILABLE",
}

func refusal(e *api.Error, requestID string) *Error {
	code, ok := byStatus[e.Status]
	if !ok {
		code = errInternal.Code
	}
	e.RequestID = requestID
	return &Error{Code: code, Message: e.Detail, Problem: e}
}
