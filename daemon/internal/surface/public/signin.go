package public

import "github.com/valyala/fasthttp"

// signInPage is the body of the page of a sign-in link.
type signInPage struct {
	Command string // for a terminal; "" where the link is not one
}

// SignIn answers with how to use a sign-in link: command is what to run in a
// terminal, "" where the address is not that of a link.
func (p *Pages) SignIn(ctx *fasthttp.RequestCtx, command string) {
	setSafetyHeaders(ctx)
	head := &ctx.Response.Header
	head.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set(fasthttp.HeaderCacheControl, "no-store")
	v := view{Title: "Sign in to svc", NoIndex: true, Body: signInPage{command}}
	if command == "" {
		v.Title = "Not a sign-in link"
		ctx.SetStatusCode(fasthttp.StatusBadRequest)
	}
	page, err := p.html("signin", v)
	if err != nil {
		p.log.ErrorContext(ctx, "render sign-in page", "error", err)
		ctx.SetStatusCode(fasthttp.StatusInternalServerError)
		page = p.message(site{}, fasthttp.StatusInternalServerError)
	}
	ctx.SetContentType(typeHTML)
	ctx.SetBody(page)
}
