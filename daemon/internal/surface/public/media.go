package public

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/valyala/fasthttp"
)

// Pictures that a browser may show by themselves. Anything else, SVG above all,
// which can hold scripts, is offered for saving.
var inline = map[string]bool{
	"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/avif": true,
}

// filePolicy lets nothing of a file run or load anything; drawings have styles.
const filePolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'"

// Media is a file of any team. Bytes outlives the request: a slow reader takes
// them as it can, and there may be many.
type Media struct {
	MIME  string
	Size  int64
	Bytes io.ReaderAt
}

// media serves /media/{id}, with or without an ending such as .png. A file never
// changes, so it may be kept for ever.
func (p *Pages) media(ctx *fasthttp.RequestCtx, path []string) error {
	if len(path) != 1 {
		return errNotFound
	}
	id, _, _ := strings.Cut(path[0], ".")
	m, found, err := p.source.Media(ctx, id)
	if err != nil {
		return fmt.Errorf("read media: %w", err)
	}
	if !found {
		return errNotFound
	}
	etag := `"` + id + `"`
	h := &ctx.Response.Header
	h.Set(fasthttp.HeaderCacheControl, immutable)
	h.Set(fasthttp.HeaderETag, etag)
	h.Set(fasthttp.HeaderAcceptRanges, "bytes")
	h.Set("Content-Security-Policy", filePolicy)
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if !inline[m.MIME] {
		h.Set(fasthttp.HeaderContentDisposition, "attachment")
	}
	if matches(string(ctx.Request.Header.Peek(fasthttp.HeaderIfNoneMatch)), etag) {
		ctx.SetStatusCode(fasthttp.StatusNotModified)
		return nil
	}
	ctx.SetContentType(m.MIME)
	first, last, partial := part(ctx, etag, m.Size)
	switch {
	case partial && first > last:
		h.Set(fasthttp.HeaderContentRange, fmt.Sprintf("bytes */%d", m.Size))
		ctx.SetStatusCode(fasthttp.StatusRequestedRangeNotSatisfiable)
		return nil
	case partial:
		h.Set(fasthttp.HeaderContentRange, fmt.Sprintf("bytes %d-%d/%d", first, last, m.Size))
		ctx.SetStatusCode(fasthttp.StatusPartialContent)
	}
	ctx.Response.SetBodyStream(io.NewSectionReader(m.Bytes, first, last-first+1), int(last-first+1))
	return nil
}

// part is the first and last byte to be sent (RFC 9110, 14.2). What is not one
// range of bytes, or is meant for another version of the file, is the whole.
// first is greater than last where there is no such part.
func part(ctx *fasthttp.RequestCtx, etag string, size int64) (first, last int64, partial bool) {
	asked := ctx.Request.Header.Peek(fasthttp.HeaderRange)
	version := ctx.Request.Header.Peek(fasthttp.HeaderIfRange)
	if !bytes.HasPrefix(asked, []byte("bytes=")) || bytes.IndexByte(asked, ',') >= 0 || len(version) > 0 && string(version) != etag {
		return 0, size - 1, false
	}
	from, to, err := fasthttp.ParseByteRange(asked, int(size))
	if err != nil {
		return 1, 0, true
	}
	return int64(from), int64(to), true
}
