package rest

import (
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// Cookie is how browsers keep a session. Secure is for a daemon whose public
// address is https: browsers take a name that begins with __Host- from that host
// itself only, so that a neighbour below the same domain cannot sign a member in
// to a session of its own. A daemon has one name and reads no other one, or such
// a neighbour would plant the other.
type Cookie struct{ Secure bool }

// Name is the cookie's name.
func (c Cookie) Name() string {
	if c.Secure {
		return "__Host-svc_session"
	}
	return "svc_session"
}

// Token is the session that a request's cookie names, nil without one. It is
// valid as long as h.
func (c Cookie) Token(h *fasthttp.RequestHeader) []byte { return h.Cookie(c.Name()) }

// fresh is the cookie without a value.
func (c Cookie) fresh() *fasthttp.Cookie {
	var out fasthttp.Cookie
	out.SetKey(c.Name())
	out.SetHTTPOnly(true)
	out.SetSameSite(fasthttp.CookieSameSiteLaxMode)
	out.SetPath("/")
	out.SetSecure(c.Secure)
	return &out
}

// SetCookie hands a new session to a browser and takes an ended one back.
func (h *Handler) SetCookie(ctx *fasthttp.RequestCtx, o *op.Op, answer any) {
	c := h.opt.Cookie.fresh()
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
