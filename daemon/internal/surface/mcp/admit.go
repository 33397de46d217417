package mcp

import (
	"net/url"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
	"edgesvc.dev/svc/sdk/api"
)

// admitBrowser makes sure that no foreign web page reaches further. It reports
// whether it has answered: a refusal, or a preflight.
func (h *Handler) admitBrowser(ctx *fasthttp.RequestCtx) bool {
	if !h.hostAllowed(ctx) {
		h.refuse(ctx, api.NewError(403, api.CodeOriginNotAllowed, "The daemon does not answer under this Host."))
		return true
	}
	origin := string(ctx.Request.Header.Peek("Origin"))
	crossSite := string(ctx.Request.Header.Peek("Sec-Fetch-Site")) == "cross-site"
	listed := slices.Contains(h.opt.Origins, origin)
	switch {
	case listed:
		ctx.Response.Header.Set("Access-Control-Allow-Origin", origin)
		ctx.Response.Header.Set("Access-Control-Expose-Headers", "WWW-Authenticate, Retry-After, X-Request-Id")
		ctx.Response.Header.Set("Vary", "Origin")
	case origin == "" && !crossSite, h.own(origin, string(ctx.Host())):
	default:
		h.refuse(ctx, api.NewError(403, api.CodeOriginNotAllowed, "Pages of this origin may not call the daemon."))
		return true
	}
	if ctx.IsOptions() && listed {
		ctx.Response.Header.Set("Access-Control-Allow-Methods", "POST")
		ctx.Response.Header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, X-MCP-Toolsets, X-MCP-Readonly")
		ctx.Response.Header.Set("Access-Control-Max-Age", "600")
		ctx.SetStatusCode(fasthttp.StatusNoContent)
		return true
	}
	return false
}

// own reports whether the origin is the daemon's, by the name that it was
// called or by its public one: a proxy may hide either from it.
func (h *Handler) own(origin, host string) bool {
	u, err := url.Parse(h.opt.BaseURL)
	return edge.SameHost(origin, host) || err == nil && u.Host != "" && edge.SameHost(origin, u.Host)
}

func (h *Handler) hostAllowed(ctx *fasthttp.RequestCtx) bool {
	host := string(ctx.Host())
	if h.opt.Host != nil {
		return h.opt.Host(host)
	}
	return !edge.Loopback(ctx.LocalAddr().String()) || edge.Loopback(host) || edge.SameHost(h.opt.BaseURL, host)
}

// admit reads who calls and what they chose to see.
func (h *Handler) admit(ctx *fasthttp.RequestCtx) (*visit, error) {
	if !ctx.IsPost() {
		ctx.Response.Header.Set("Allow", "POST")
		return nil, api.NewError(405, api.CodeMethodNotAllowed, "Each message is a POST of its own; there are no sessions and no streams to GET or DELETE.")
	}
	if !accepts(ctx, "application/json", "application/*") || !accepts(ctx, "text/event-stream", "text/*") {
		return nil, api.NewError(400, api.CodeInvalidRequest, "Send Accept: application/json, text/event-stream.")
	}
	media, _, _ := strings.Cut(string(ctx.Request.Header.ContentType()), ";")
	if !strings.EqualFold(strings.TrimSpace(media), "application/json") {
		return nil, api.NewError(415, api.CodeUnsupportedMediaType, "Send the message as Content-Type: application/json.")
	}
	if len(ctx.PostBody()) > MaxBody {
		return nil, api.NewError(413, api.CodePayloadTooLarge, "A message may have at most %d bytes.", MaxBody)
	}
	who, err := h.caller(ctx)
	if err != nil {
		return nil, err
	}
	rate, err := h.table.Take(&who, op.ClassMCP)
	edge.RateHeaders(ctx, rate)
	if err != nil {
		return nil, err
	}
	c, err := h.catalog.choose(who.Scopes, headers(ctx, "X-MCP-Toolsets"), headers(ctx, "X-MCP-Readonly"))
	if err != nil {
		return nil, err
	}
	return &visit{caller: who, choice: c, server: h.server(c)}, nil
}

// headers joins the values of a header that may stand several times.
func headers(ctx *fasthttp.RequestCtx, name string) string {
	var values []string
	for _, v := range ctx.Request.Header.PeekAll(name) {
		values = append(values, string(v))
	}
	return strings.Join(values, ",")
}

func accepts(ctx *fasthttp.RequestCtx, exact, kind string) bool {
	for one := range strings.SplitSeq(headers(ctx, "Accept"), ",") {
		media, _, _ := strings.Cut(one, ";")
		media = strings.ToLower(strings.TrimSpace(media))
		if media == exact || media == kind || media == "*/*" {
			return true
		}
	}
	return false
}

// caller authenticates a key. Nothing else serves: a session belongs to a
// person, and a model acts under a key that can be narrowed and revoked alone.
func (h *Handler) caller(ctx *fasthttp.RequestCtx) (op.Caller, error) {
	bearer, err := edge.Bearer(ctx)
	if err != nil {
		return op.Caller{}, err
	}
	if !strings.HasPrefix(bearer, "svc_") {
		return op.Caller{}, api.NewError(401, api.CodeInvalidKey, "MCP takes a team API key (svc_…), not a session.")
	}
	who, err := h.opt.Key(h.opt.Context, bearer, h.opt.Address(ctx))
	if err != nil {
		return op.Caller{}, err
	}
	if who.Kind != op.Key {
		return op.Caller{}, api.NewError(401, api.CodeInvalidKey, "MCP takes a team API key (svc_…).")
	}
	who.Source = "mcp"
	who.UserAgent = string(ctx.UserAgent())
	who.RequestID = edge.RequestID(ctx)
	return who, nil
}
