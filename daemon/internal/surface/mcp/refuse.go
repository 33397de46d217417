package mcp

import (
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// requestID is the id that the guard gave the request.
func requestID(ctx *fasthttp.RequestCtx) string {
	return string(ctx.Response.Header.Peek("X-Request-Id"))
}

// refuse answers with problem+json (RFC 9457): the request did not become a
// message.
func (h *Handler) refuse(ctx *fasthttp.RequestCtx, err error) {
	e := op.Refusal(err)
	e.Instance = Path
	e.RequestID = requestID(ctx)
	head := &ctx.Response.Header
	head.SetContentType("application/problem+json")
	head.Set("Cache-Control", "no-store")
	if e.Status == fasthttp.StatusUnauthorized {
		head.Set("WWW-Authenticate", h.challenge(ctx, e))
	}
	if e.RetryAfter > 0 {
		head.Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	ctx.SetStatusCode(e.Status)
	writeJSON(ctx, e)
}

// challenge names where a client learns how to authenticate (RFC 9728 section
// 5.1), and no error when no credential came (RFC 6750 section 3).
func (h *Handler) challenge(ctx *fasthttp.RequestCtx, e *api.Error) string {
	c := `Bearer realm="svc", resource_metadata="` + h.baseURL(ctx) + MetadataPath + `"`
	if e.Code != api.CodeMissingKey {
		c += `, error="invalid_token", error_description="` + string(e.Code) + `"`
	}
	return c
}

func writeJSON(ctx *fasthttp.RequestCtx, v any) {
	b, err := op.Encode(nil, v)
	if err != nil {
		slog.Error("answer cannot be encoded", "path", string(ctx.Path()), "err", err)
	}
	ctx.SetBody(b)
}

func rateHeaders(ctx *fasthttp.RequestCtx, r op.Rate) {
	if r.Quota == 0 {
		return
	}
	policy := strconv.Quote(r.Policy)
	ctx.Response.Header.Set("RateLimit-Policy", policy+";q="+strconv.Itoa(r.Quota)+";w=60")
	ctx.Response.Header.Set("RateLimit", policy+";r="+strconv.Itoa(r.Remaining)+";t="+strconv.Itoa(r.Reset))
}

// rpcError refuses a message in the protocol's own form.
type rpcError struct {
	status  int
	code    int64
	message string
}

type rpcAnswer struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Error   struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (e *rpcError) encode(id jsontext.Value) []byte {
	a := rpcAnswer{Version: "2.0", ID: id}
	if a.ID == nil {
		a.ID = jsontext.Value("null")
	}
	a.Error.Code, a.Error.Message = e.code, e.message
	b, err := op.Encode(nil, a)
	if err != nil {
		slog.Error("answer cannot be encoded", "err", err)
	}
	return b
}

func (e *rpcError) write(ctx *fasthttp.RequestCtx, id jsontext.Value) {
	ctx.SetStatusCode(e.status)
	ctx.SetContentType("application/json")
	ctx.SetBody(e.encode(id))
}

// rpcWriter puts the library's refusals in plain text into the protocol's
// form, so that a client always reads JSON.
type rpcWriter struct {
	http.ResponseWriter
	id    jsontext.Value
	plain *rpcError
}

func (w *rpcWriter) WriteHeader(status int) {
	if status >= 400 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.plain = &rpcError{status: status, code: jsonrpc.CodeInvalidRequest}
		w.Header().Set("Content-Type", "application/json")
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *rpcWriter) Write(p []byte) (int, error) {
	if w.plain == nil {
		return w.ResponseWriter.Write(p)
	}
	w.plain.message = strings.TrimSpace(string(p))
	if _, err := w.ResponseWriter.Write(w.plain.encode(w.id)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Unwrap lets the library flush (http.ResponseController).
func (w *rpcWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
