package rest

import (
	"strings"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
	"edgesvc.dev/svc/sdk/api"
)

// Member is the signed-in caller of a request. Where open is set, no credential
// is looked at and anyone is let in.
func (h *Handler) Member(ctx *fasthttp.RequestCtx, open bool) (op.Caller, error) {
	address, agent := h.opt.Address(ctx), string(ctx.Request.Header.UserAgent())
	token, err := edge.Bearer(ctx)
	if err != nil {
		token = string(h.opt.Cookie.Token(&ctx.Request.Header))
		if token != "" && !h.opt.SameOrigin(ctx) {
			return op.Caller{}, api.NewError(403, api.CodeCSRFFailed, "The session cookie works from the daemon's own pages only.")
		}
	}
	if open || token == "" {
		who := op.Caller{Address: address, UserAgent: agent, Source: "dashboard", RequestID: edge.RequestID(ctx)}
		if !open {
			return who, api.NewError(401, api.CodeSessionRequired, "Sign in first: svcctl login.")
		}
		if origin := ctx.Request.Header.Peek("Origin"); len(origin) > 0 && !h.opt.SameOrigin(ctx) {
			return who, api.NewError(403, api.CodeCSRFFailed, "Sign in from the daemon's own pages.")
		}
		return who, nil
	}
	if strings.HasPrefix(token, "svc_") {
		return op.Caller{}, api.NewError(401, api.CodeSessionRequired, "This needs a session, not an API key. Sign in with svcctl login.")
	}
	who, err := h.opt.Session(h.opt.Context, token, address, agent)
	who.Source, who.RequestID = "dashboard", edge.RequestID(ctx)
	return who, err
}
