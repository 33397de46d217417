package edge

import "github.com/valyala/fasthttp"

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

// Fresh is the cookie without a value.
func (c Cookie) Fresh() *fasthttp.Cookie {
	var out fasthttp.Cookie
	out.SetKey(c.Name())
	out.SetHTTPOnly(true)
	out.SetSameSite(fasthttp.CookieSameSiteLaxMode)
	out.SetPath("/")
	out.SetSecure(c.Secure)
	return &out
}
