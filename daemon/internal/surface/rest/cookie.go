package rest

import (
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// SetCookie hands a new session to a browser and takes an ended one back.
func (h *Handler) SetCookie(ctx *fasthttp.RequestCtx, o *op.Op, answer any) {
	c := h.opt.Cookie.Fresh()
	session, isSession := answer.(api.Session)
	switch {
	case isSession && session.Token != "":
		c.SetValue(string(session.Token))
		c.SetExpire(session.ExpiresAt.Time())
	case o.Name == "auth.logout":
		c.SetExpire(fasthttp.CookieExpireDelete)
	default:
		return
	}
	ctx.Response.Header.SetCookie(c)
}
