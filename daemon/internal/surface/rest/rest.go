// Package rest offers the operation table as versioned JSON over HTTP, to team
// API keys. It knows paths, headers and problem+json; it does not know what operations
// do.
package rest

import (
	"context"
	"reflect"
	"strings"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
	"edgesvc.dev/svc/sdk/api"
)

// The paths of this surface.
const (
	Prefix      = "/svc-api/v1"
	OpenAPIPath = "/svc-api/openapi.json"
)

// Options join the surface to the daemon.
type Options struct {
	// Context is the parent of every operation's context; it ends when the
	// daemon stops.
	Context context.Context
	// Key and Session turn credentials into callers, or refuse with *api.Error.
	Key     func(ctx context.Context, bearer, address string) (op.Caller, error)
	Session func(ctx context.Context, token, address, userAgent string) (op.Caller, error)
	Cookie  edge.Cookie
	// SameOrigin reports whether a browser's Origin may use the session cookie.
	SameOrigin func(ctx *fasthttp.RequestCtx) bool
	// Address is the client's address, behind a proxy too.
	Address func(*fasthttp.RequestCtx) string
	// Observe is told of every answered operation.
	Observe func(op string, status int, seconds float64)
	// BaseURL is the public address for the contract's servers entry.
	BaseURL string
	Version string
}

// Handler serves the surface.
type Handler struct {
	table  *op.Table
	opt    Options
	routes node
	docs   func() []byte
}

// Route is a handler written by hand beside the table, for what does not fit a
// row: streams and uploads. It has passed the same checks as a row.
type Route struct {
	Method, Path string
	Name         string
	Scope        op.Scope
	Class        op.Class
	Doc          string
	// Body is the media type of the request, "" for none; Answer of the answer.
	Body, Answer string
	Output       reflect.Type // of a JSON answer, nil otherwise
	Query        []string     // names of accepted parameters
	Refuses      []api.Code   // as for a row
	// Serve answers by itself. It changes nothing.
	Serve func(ctx *fasthttp.RequestCtx, who op.Caller, param func(string) string) error
	// Change takes a body that is not JSON, under the rules of every operation
	// that changes something: an Idempotency-Key answers a repeat as the first
	// request was answered. It keeps no part of body. One of Serve and Change.
	Change func(ctx context.Context, who op.Caller, body []byte, param func(string) string) (any, error)

	row *op.Op // of a Change
}

// asRow is what a Change is to the table, and any route to the contract.
func (r *Route) asRow() *op.Op {
	return &op.Op{
		Name: r.Name, Method: r.Method, Path: r.Path, Scope: r.Scope, Class: r.Class, Status: fasthttp.StatusCreated,
		Refuses: r.Refuses, Hints: op.Hints{ReadOnly: r.Change == nil},
	}
}

// New joins rows and hand-written routes. It panics when two share a path.
func New(table *op.Table, o Options, extra ...Route) *Handler {
	h := &Handler{table: table, opt: o}
	for _, row := range table.Ops {
		if row.Method != "" {
			h.routes.add(row.Method, row.Path, target{op: row})
		}
	}
	for i := range extra {
		if extra[i].Change != nil {
			extra[i].row = extra[i].asRow()
		}
		h.routes.add(extra[i].Method, extra[i].Path, target{route: &extra[i]})
	}
	h.docs = documentOnce(table, extra, o)
	return h
}

// Serve answers a request below Prefix or for OpenAPIPath.
func (h *Handler) Serve(ctx *fasthttp.RequestCtx) {
	path := string(ctx.Path())
	switch {
	case path == OpenAPIPath:
		h.serveContract(ctx)
	case strings.HasPrefix(path, Prefix+"/"):
		h.serveVersioned(ctx, path[len(Prefix):])
	default:
		edge.Refuse(ctx, noRoute())
	}
}

func (h *Handler) serveVersioned(ctx *fasthttp.RequestCtx, path string) {
	method := string(ctx.Method())
	if method == fasthttp.MethodHead {
		method = fasthttp.MethodGet
	}
	found, params, allow := h.routes.find(method, path)
	switch {
	case allow != nil:
		ctx.Response.Header.Set("Allow", strings.Join(allow, ", "))
		edge.Refuse(ctx, api.NewError(405, api.CodeMethodNotAllowed, "This path allows %s.", strings.Join(allow, ", ")))
	case found == (target{}):
		edge.Refuse(ctx, noRoute())
	case found.route != nil:
		h.serveRoute(ctx, found.route, params)
	default:
		h.serveOp(ctx, found.op, params)
	}
}

func noRoute() *api.Error {
	return api.NewError(404, api.CodeRouteNotFound, "There is nothing at this path. The contract is at %s.", OpenAPIPath)
}
