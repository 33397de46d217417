package hijack

import (
	"bytes"
	"io"
	"net/http"
	"net/url"

	"github.com/valyala/fasthttp"
)

// request copies everything that a handler may read out of ctx.
func request(ctx *fasthttp.RequestCtx) (*http.Request, error) {
	target := string(ctx.RequestURI())
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return nil, err
	}
	body := bytes.Clone(ctx.PostBody())
	r := &http.Request{
		Method:        string(ctx.Method()),
		URL:           u,
		RequestURI:    target,
		Host:          string(ctx.Host()),
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		RemoteAddr:    ctx.RemoteAddr().String(),
		TLS:           ctx.TLSConnectionState(),
		Header:        header(ctx),
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)),
	}
	if !ctx.Request.Header.IsHTTP11() {
		r.Proto, r.ProtoMinor = "HTTP/1.0", 0
	}
	return r, nil
}

func header(ctx *fasthttp.RequestCtx) http.Header {
	h := make(http.Header, ctx.Request.Header.Len())
	for k, v := range ctx.Request.Header.All() {
		h.Add(string(k), string(v))
	}
	// net/http keeps these in fields of the request.
	h.Del("Host")
	h.Del("Transfer-Encoding")
	return h
}
