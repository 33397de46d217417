package widget

import (
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/http"
	"strings"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

// file is one of the program's own, with its address for ever.
type file struct {
	media, etag  string
	body, packed []byte // packed by gzip
}

//go:embed dist/widget.js
var scriptCode []byte

//go:embed dist/panel.css
var panelStyle []byte

//go:embed demo.html
var demoPage string

//go:embed demo.css
var demoStyle []byte

func newFile(media string, body []byte) *file {
	sum := sha512.Sum384(body)
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is one
	}
	_, _ = w.Write(body) // a buffer takes all
	_ = w.Close()
	return &file{media: media, etag: `"` + hex.EncodeToString(sum[:10]) + `"`, body: body, packed: packed.Bytes()}
}

func (f *file) name() string { return strings.Trim(f.etag, `"`) }

// Pinned returns the path at which this version of the script stays the same, and
// the value of an integrity attribute for it.
func (h *Handler) Pinned() (path, integrity string) {
	sum := sha512.Sum384(h.script.body)
	return PagePrefix + h.script.name() + ".js", "sha384-" + base64.StdEncoding.EncodeToString(sum[:])
}

// serveFile answers for the script and the demo page.
func (h *Handler) serveFile(ctx *fasthttp.RequestCtx, path string) {
	if !ctx.IsGet() && !ctx.IsHead() {
		ctx.Response.Header.Set("Allow", "GET, HEAD")
		refuse(ctx, api.NewError(http.StatusMethodNotAllowed, api.CodeMethodNotAllowed, "Use GET here."))
		return
	}
	pinned, _ := h.Pinned()
	switch path {
	case ScriptPath:
		h.script.serve(ctx, "public, max-age=300, stale-while-revalidate=86400")
	case pinned:
		h.script.serve(ctx, "public, max-age=31536000, immutable")
	case PagePrefix + h.panel.name() + ".css":
		h.panel.serve(ctx, "public, max-age=31536000, immutable")
	case PagePrefix + "demo.css":
		h.style.serve(ctx, "public, max-age=300")
	case PagePrefix + "demo":
		h.serveDemo(ctx)
	default:
		refuse(ctx, api.NewError(http.StatusNotFound, api.CodeNotFound, "There is nothing at this address."))
	}
}

// serve answers with the file, compressed where the client takes that. Any page
// may load it: it holds nothing of anybody.
func (f *file) serve(ctx *fasthttp.RequestCtx, cache string) {
	head := &ctx.Response.Header
	head.Set("Cache-Control", cache)
	head.Set("ETag", f.etag)
	head.Set("Access-Control-Allow-Origin", "*")
	head.Set("Cross-Origin-Resource-Policy", "cross-origin")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Vary", "Accept-Encoding")
	if strings.Contains(string(ctx.Request.Header.Peek("If-None-Match")), f.etag) {
		ctx.SetStatusCode(http.StatusNotModified)
		return
	}
	head.SetContentType(f.media)
	if ctx.Request.Header.HasAcceptEncoding("gzip") {
		head.Set("Content-Encoding", "gzip")
		ctx.Response.SetBodyRaw(f.packed)
		return
	}
	ctx.Response.SetBodyRaw(f.body)
}

// serveDemo shows the widget on a page that allows it no more than the strictest
// site would.
func (h *Handler) serveDemo(ctx *fasthttp.RequestCtx) {
	site := string(ctx.QueryArgs().Peek("site"))
	if site == "" && h.opt.DemoSite != nil {
		site = h.opt.DemoSite(h.opt.Context)
	}
	head := &ctx.Response.Header
	head.SetContentType("text/html; charset=utf-8")
	head.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	ctx.SetBodyString(strings.NewReplacer("{{site}}", html.EscapeString(site), "{{base}}", html.EscapeString(h.opt.BaseURL)).Replace(demoPage))
}
