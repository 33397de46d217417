package public

import (
	"fmt"
	"strings"

	"github.com/valyala/fasthttp"
)

// Pictures that a browser may show by themselves. Anything else, SVG above all,
// which can hold scripts, is offered for saving.
var inline = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/avif": true,
}

// media serves /media/{id}, with or without an ending such as .png. A file never
// changes, so it may be kept for ever.
func (p *Pages) media(ctx *fasthttp.RequestCtx, path []string) error {
	if len(path) != 1 {
		return errNotFound
	}
	id, _, _ := strings.Cut(path[0], ".")
	mime, data, found, err := p.source.Media(ctx, id)
	if err != nil {
		return fmt.Errorf("read media: %w", err)
	}
	if !found {
		return errNotFound
	}
	h := &ctx.Response.Header
	h.Set(fasthttp.HeaderCacheControl, immutable)
	h.Set(fasthttp.HeaderETag, `"`+id+`"`)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if !inline[mime] {
		h.Set(fasthttp.HeaderContentDisposition, "attachment")
	}
	if matches(string(ctx.Request.Header.Peek(fasthttp.HeaderIfNoneMatch)), `"`+id+`"`) {
		ctx.SetStatusCode(fasthttp.StatusNotModified)
		return nil
	}
	ctx.SetContentType(mime)
	ctx.Response.SetBodyRaw(data)
	return nil
}
