package edge

import (
	"bytes"
	"log/slog"
	"net/url"
	"strconv"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// ProblemType is the content type of a refusal (RFC 9457).
const ProblemType = "application/problem+json"

type refused struct{}

// Refused is why a request was refused, nil for one that was not: a surface that
// words refusals in its own way needs no JSON of another.
func Refused(ctx *fasthttp.RequestCtx) *api.Error {
	e, _ := ctx.UserValue(refused{}).(*api.Error)
	return e
}

// Refuse answers with err as problem+json. Its instance is the path as the client
// sent it. What is not found has none, so that the answer for an object of another
// team is the same, byte for byte, as for one that does not exist.
func Refuse(ctx *fasthttp.RequestCtx, err error) {
	e := op.Refusal(err)
	if e.Instance = ""; e.Code != api.CodeNotFound {
		e.Instance = instanceOf(ctx)
	}
	Write(ctx, e)
}

// Write answers with e, which it completes by the request's id and keeps.
func Write(ctx *fasthttp.RequestCtx, e *api.Error) {
	e.RequestID = RequestID(ctx)
	ctx.SetUserValue(refused{}, e)
	ctx.SetStatusCode(e.Status)
	head := &ctx.Response.Header
	head.SetContentType(ProblemType)
	head.Set("Cache-Control", "no-store")
	if e.Status == fasthttp.StatusUnauthorized {
		head.Set("WWW-Authenticate", Challenge(e, ""))
	}
	if e.RetryAfter > 0 {
		head.Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	ctx.Response.SetBody(Encode(e))
}

// Encode is a refusal as JSON.
func Encode(e *api.Error) []byte {
	body, err := op.Encode(nil, e)
	if err != nil {
		slog.Error("problem cannot be encoded", "err", err)
	}
	return body
}

// instanceOf is the request's path, still escaped, which makes it a URI
// reference. Secrets are not in paths, queries are left out.
func instanceOf(ctx *fasthttp.RequestCtx) string {
	path, _, _ := bytes.Cut(ctx.Request.Header.RequestURI(), []byte("?"))
	if u, err := url.Parse(string(path)); err != nil || u.Path == "" || !utf8.ValidString(u.Path) {
		return "" // not a path: it may be left out
	}
	return string(path)
}

// Challenge is how to authenticate, as RFC 6750 section 3 has it: no error when no
// credential came. metadata is where a client learns more (RFC 9728 section 5.1),
// "" for nowhere.
func Challenge(e *api.Error, metadata string) string {
	c := `Bearer realm="svc"`
	if metadata != "" {
		c += `, resource_metadata="` + metadata + `"`
	}
	if e.Code == api.CodeMissingKey || e.Code == api.CodeSessionRequired {
		return c
	}
	return c + `, error="invalid_token", error_description="` + string(e.Code) + `"`
}

// RateHeaders tells a client what it may still do.
func RateHeaders(ctx *fasthttp.RequestCtx, r op.Rate) {
	if r.Quota == 0 {
		return
	}
	b := make([]byte, 0, 64)
	b = append(append(b, '"'), r.Policy...)
	name := len(b) + 1
	b = strconv.AppendInt(append(b, `";q=`...), int64(r.Quota), 10)
	b = append(b, ";w=60"...)
	ctx.Response.Header.SetBytesV("RateLimit-Policy", b)
	b = strconv.AppendInt(append(b[:name], ";r="...), int64(r.Remaining), 10)
	b = strconv.AppendInt(append(b, ";t="...), int64(r.Reset), 10)
	ctx.Response.Header.SetBytesV("RateLimit", b)
}
