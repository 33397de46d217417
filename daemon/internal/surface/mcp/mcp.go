// Package mcp offers the operation table to AI clients over the Model Context
// Protocol: every row that names a tool, and resources and prompts made of
// rows, at one path. It knows the protocol, keys' scopes and how much a model
// should be made to read. What an operation does it does not know, and none of
// its descriptions depends on stored data: what a post says can never become
// part of what a client takes for instructions.
package mcp

import (
	"context"
	"net/http"
	"time"

	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/hijack"
)

// The paths of this surface, and the largest body that it takes.
const (
	Path         = "/svc-api/mcp"
	MetadataPath = "/.well-known/oauth-protected-resource" + Path
	MaxBody      = 1 << 20
)

// Options join the surface to the daemon. Origins, Host and BaseURL may be
// left zero.
type Options struct {
	// Context is the parent of what runs before a request has its own.
	Context context.Context //nolint:containedctx // the daemon's, not a request's
	// Bridge carries the requests to the protocol's library.
	Bridge *hijack.Bridge
	// Key turns a team API key into a caller, or refuses with *api.Error.
	Key func(ctx context.Context, bearer, address string) (op.Caller, error)
	// Address is the client's address, behind a proxy too.
	Address func(*fasthttp.RequestCtx) string
	// Observe is told of every tool call.
	Observe func(op string, status int, seconds float64)
	// Host reports whether the daemon answers under this Host header. nil: any,
	// but on a loopback address only names of this machine and that of BaseURL,
	// so that no web page reaches the daemon by rebinding a name of its own
	// (CVE-2025-66414).
	Host func(host string) bool
	// Origins are the web origins, besides the daemon's own, whose pages may
	// call.
	Origins []string
	// BaseURL is the public address; "" takes it from the request.
	BaseURL string
	Version string
}

// Handler serves the surface. It is safe for concurrent use.
type Handler struct {
	opt     Options
	table   *op.Table
	catalog catalog
	servers servers
	whole   http.Handler // answers with JSON
	stream  http.Handler // answers with events, the last of which is the answer
	beat    time.Duration

	// fixtures lets the conformance suites' test server add what they expect
	// to find; nil in the daemon.
	fixtures func(*mcpsdk.ServerOptions) (add func(*mcpsdk.Server))
}

// New makes the tools of the table's rows. It panics when a row cannot be a
// tool, for that is a mistake in the program.
func New(table *op.Table, o Options) *Handler {
	h := &Handler{opt: o, table: table, catalog: newCatalog(table), beat: 5 * time.Second}
	h.whole, h.stream = protocol(true), protocol(false)
	return h
}

// protocol is the library's side of the surface. It keeps nothing between
// requests.
func protocol(whole bool) http.Handler {
	return mcpsdk.NewStreamableHTTPHandler(
		func(r *http.Request) *mcpsdk.Server { return visitOf(r.Context()).server },
		&mcpsdk.StreamableHTTPOptions{
			Stateless:                    true,
			JSONResponse:                 whole,
			DisableLocalhostProtection:   true, // admitBrowser checks Host and Origin
			MaxRequestBodyBytes:          MaxBody,
			PropagateRequestCancellation: true,
		})
}

// visit is one request: who makes it, and what that caller may see.
type visit struct {
	caller op.Caller
	choice choice
	server *mcpsdk.Server
	// request ends when nobody waits for the answer any more. The library
	// detaches what it passes to tools from it.
	request context.Context //nolint:containedctx // of the request that the visit is
}

type visitKey struct{}

func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// bound ties a tool's context to the request again.
func (v *visit) bound(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(v.request, cancel)
	return ctx, func() { unhook(); cancel() }
}

// Serve answers a request for Path.
func (h *Handler) Serve(ctx *fasthttp.RequestCtx) {
	if done := h.admitBrowser(ctx); done {
		return
	}
	v, err := h.admit(ctx)
	if err != nil {
		h.refuse(ctx, err)
		return
	}
	msg, bad := readMessage(ctx.PostBody(), string(ctx.Request.Header.Peek("Mcp-Protocol-Version")))
	if bad != nil {
		bad.write(ctx, msg.id)
		return
	}
	serve := h.whole
	if msg.progress {
		serve = h.stream
	}
	h.opt.Bridge.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.request = r.Context()
		r = r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
		serve.ServeHTTP(&rpcWriter{ResponseWriter: w, id: msg.id}, r)
	}))(ctx)
}

// observe reports one tool call.
func (h *Handler) observe(name string, status int, start time.Time) {
	h.opt.Observe(name, status, time.Since(start).Seconds())
}
