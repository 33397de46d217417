package rest

import (
	"bytes"
	"log/slog"
	"strconv"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
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
		edge.Refuse(ctx, err)
	}
}
