package trpc

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/surface/edge"
)

// Reshape words a refusal by something before this surface in the protocol's form,
// where the request is below Prefix: clients take any other answer for a broken
// server.
func Reshape(ctx *fasthttp.RequestCtx) {
	path, _, _ := bytes.Cut(ctx.Request.Header.RequestURI(), []byte("?"))
	if rest, ok := bytes.CutPrefix(path, []byte(Prefix)); !ok || len(rest) > 0 && rest[0] != '/' {
		return
	}
	problem := edge.Refused(ctx)
	if problem == nil {
		return
	}
	e := refusal(problem, problem.RequestID)
	e.noPath = true
	ctx.SetContentType("application/json")
	ctx.SetBody(e.envelope(""))
}
