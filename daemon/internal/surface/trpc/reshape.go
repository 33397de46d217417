package trpc

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// Reshape turns the problem with which something before this surface refused a
// request below Prefix into the protocol's form: clients take any other answer
// for a broken server.
func Reshape(ctx *fasthttp.RequestCtx) {
	path, _, _ := bytes.Cut(ctx.Request.Header.RequestURI(), []byte("?"))
	if rest, ok := bytes.CutPrefix(path, []byte(Prefix)); !ok || len(rest) > 0 && rest[0] != '/' {
		return
	}
	var problem api.Error
	if err := op.Decode(ctx.Response.Body(), &problem); err != nil {
		return // an answer of another form is left as it is
	}
	e := refusal(&problem, problem.RequestID)
	e.noPath = true
	ctx.SetContentType("application/json")
	ctx.SetBody(e.envelope(""))
}
