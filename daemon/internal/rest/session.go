package rest

import (
	"strings"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// CookieName is the session cookie's name.
const CookieName = "svc_session"

// serveSession runs the operation of that name for a signed-in member. The
// cookie counts only for same-origin requests, the bearer token always.
func (h *Handler) serveSession(ctx *fasthttp.RequestCtx, name string) {
	o := h.table.Lookup(name)
	switch {
	case o == nil || (o.Session == 0 && !o.Open):
		Refuse(ctx, noRoute())
		return
	case !ctx.IsPost():
		ctx.Response.Header.Set("Allow", "POST")
		Refuse(ctx, api.NewError(405, api.CodeMethodNotAllowed, "This path allows POST."))
		return
	}
	if err := h.answerSession(ctx, o); err != nil {
		Refuse(ctx, err)
	}
}

func (h *Handler) answerSession(ctx *fasthttp.RequestCtx, o *op.Op) error {
	who, err := h.Member(ctx, o.Open)
	if err != nil {
		return err
	}
	req := op.Request{Op: o, Caller: who, IdempotencyKey: string(ctx.Request.Header.Peek("Idempotency-Key"))}
	if who.Kind == op.Anonymous {
		req.IdempotencyKey = "" // an answer to a sign-in holds a secret
	}
	if mediaType(ctx) != "application/json" {
		return notJSON()
	}
	req.Args.Body = ctx.PostBody()
	res, refused := h.table.Call(h.opt.Context, req)
	RateHeaders(ctx, res.Rate)
	if refused != nil {
		return refused
	}
	h.SetCookie(ctx, o, res.Value)
	h.answer(ctx, res)
	return nil
}

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
