package rest

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

func (h *Handler) answer(ctx *fasthttp.RequestCtx, res op.Result) {
	head := &ctx.Response.Header
	if res.Location != "" {
		head.Set("Location", Prefix+res.Location)
	}
	if res.Status == fasthttp.StatusAccepted {
		head.Set("Retry-After", "1")
	}
	if res.Replayed {
		head.Set("Idempotency-Replayed", "true")
	}
	if res.Version > 0 {
		tag := `"` + strconv.Itoa(res.Version) + `"`
		head.Set("ETag", tag)
		if (ctx.IsGet() || ctx.IsHead()) && unchanged(ctx.Request.Header.Peek("If-None-Match"), tag) {
			ctx.SetStatusCode(fasthttp.StatusNotModified)
			return
		}
	}
	head.Set("Cache-Control", "no-store")
	writeJSON(ctx, res.Status, res.Value, res.JSON)
}

// unchanged reports that an If-None-Match names the tag, by the weak comparison
// of RFC 9110 section 13.1.2.
func unchanged(header []byte, tag string) bool {
	if len(header) == 0 {
		return false
	}
	for one := range bytes.SplitSeq(header, []byte(",")) {
		one = bytes.TrimPrefix(bytes.TrimSpace(one), []byte("W/"))
		if string(one) == tag || string(one) == "*" {
			return true
		}
	}
	return false
}

func writeJSON(ctx *fasthttp.RequestCtx, status int, v any, stored []byte) {
	ctx.SetStatusCode(status)
	ctx.Response.Header.SetContentType("application/json")
	if stored != nil {
		ctx.Response.SetBodyRaw(stored) // made for this answer: nobody changes it
		return
	}
	if err := op.EncodeTo(ctx.Response.BodyWriter(), v); err != nil {
		slog.Error("answer cannot be encoded", "path", string(ctx.Path()), "err", err)
		ctx.Response.ResetBody()
		Refuse(ctx, op.Refusal(err))
	}
}

// Refuse answers with err as problem+json (RFC 9457). Its instance is the path as
// the client sent it. What is not found has none, so that the answer for an
// object of another team is the same, byte for byte, as for one that does not
// exist.
func Refuse(ctx *fasthttp.RequestCtx, err error) {
	e := op.Refusal(err)
	if e.Instance = ""; e.Code != api.CodeNotFound {
		e.Instance = instanceOf(ctx)
	}
	e.RequestID = RequestID(ctx)
	ctx.SetStatusCode(e.Status)
	head := &ctx.Response.Header
	head.SetContentType("application/problem+json")
	head.Set("Cache-Control", "no-store")
	if e.Status == fasthttp.StatusUnauthorized {
		head.Set("WWW-Authenticate", challenge(e))
	}
	if e.RetryAfter > 0 {
		head.Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	body, encErr := op.Encode(nil, e)
	if encErr != nil {
		slog.Error("problem cannot be encoded", "err", encErr)
	}
	ctx.Response.SetBody(body)
}

// instanceOf is the request's path, still escaped, which makes it a URI
// reference. Secrets do not stand in paths, queries are left out.
func instanceOf(ctx *fasthttp.RequestCtx) string {
	path, _, _ := bytes.Cut(ctx.Request.Header.RequestURI(), []byte("?"))
	if u, err := url.Parse(string(path)); err != nil || u.Path == "" || !utf8.ValidString(u.Path) {
		return "" // not a path: it may be left out
	}
	return string(path)
}

// challenge is as RFC 6750 section 3 has it: no error when no credential came.
func challenge(e *api.Error) string {
	if e.Code == api.CodeMissingKey || e.Code == api.CodeSessionRequired {
		return `Bearer realm="svc"`
	}
	return `Bearer realm="svc", error="invalid_token", error_description="` + string(e.Code) + `"`
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
