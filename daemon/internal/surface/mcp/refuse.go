package mcp

import (
	"log/slog"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
)

// refuse answers a request that did not become a message.
func (h *Handler) refuse(ctx *fasthttp.RequestCtx, err error) {
	edge.Refuse(ctx, err)
	if e := edge.Refused(ctx); e.Status == fasthttp.StatusUnauthorized {
		ctx.Response.Header.Set("WWW-Authenticate", edge.Challenge(e, h.baseURL(ctx)+MetadataPath))
	}
}

func writeJSON(ctx *fasthttp.RequestCtx, v any) {
	b, err := op.Encode(nil, v)
	if err != nil {
		slog.Error("answer cannot be encoded", "path", string(ctx.Path()), "err", err)
	}
	ctx.SetBody(b)
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
