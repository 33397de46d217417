package rest

import (
	"strings"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// CookieName is the session cookie's name.
const CookieName = "svc_session"

// Member is the signed-in caller of a request. Where open is set, no credential
// is looked at and anyone is let in.
func (h *Handler) Member(ctx *fasthttp.RequestCtx, open bool) (op.Caller, error) {
	address, agent := h.opt.Address(ctx), string(ctx.Request.Header.UserAgent())
	token, err := Bearer(ctx)
	if err != nil {
		token = string(ctx.Request.Header.Cookie(CookieName))
		if token != "" && !h.opt.SameOrigin(ctx) {
			return op.Caller{}, api.NewError(403, api.CodeCSRFFailed, "The session cookie works from the daemon's own pages only.")
		}
	}
	if open || token == "" {
		who := op.Caller{Address: address, UserAgent: agent, Source: "dashboard", RequestID: RequestID(ctx)}
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
	who.Source, who.RequestID = "dashboard", RequestID(ctx)
	return who, err
}

// SetCookie hands a new session to a browser and takes an ended one back.
func (h *Handler) SetCookie(ctx *fasthttp.RequestCtx, o *op.Op, answer any) {
	var c fasthttp.Cookie
	c.SetKey(CookieName)
	c.SetHTTPOnly(true)
	c.SetSameSite(fasthttp.CookieSameSiteLaxMode)
	c.SetPath("/")
	c.SetSecure(strings.HasPrefix(h.opt.BaseURL, "https:") || ctx.IsTLS())
	session, isSession := answer.(api.Session)
	switch {
	case isSession && session.Token != "":
		c.SetValue(session.Token)
		c.SetExpire(session.ExpiresAt.Time())
	case o.Name == "auth.logout":
		c.SetExpire(fasthttp.CookieExpireDelete)
	default:
		return
	}
	ctx.Response.Header.SetCookie(&c)
}
