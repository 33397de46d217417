package rest

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
	"edgesvc.dev/svc/sdk/api"
)

func (h *Handler) serveOp(ctx *fasthttp.RequestCtx, o *op.Op, params []op.Param) {
	start := time.Now()
	if err := h.answerOp(ctx, o, params); err != nil {
		edge.Refuse(ctx, err)
	}
	h.opt.Observe(o.Name, ctx.Response.StatusCode(), time.Since(start).Seconds())
}

func (h *Handler) answerOp(ctx *fasthttp.RequestCtx, o *op.Op, params []op.Param) error {
	who, err := h.caller(ctx)
	if err != nil {
		return err
	}
	req := op.Request{Op: o, Caller: who, Args: op.Args{Params: params}}
	if err := readArgs(ctx, &req); err != nil {
		return err
	}
	return h.call(ctx, req)
}

// caller authenticates a key. Two Authorization headers are a confusion that
// the guard refuses before.
func (h *Handler) caller(ctx *fasthttp.RequestCtx) (op.Caller, error) {
	bearer, err := edge.Bearer(ctx)
	if err != nil {
		return op.Caller{}, err
	}
	if strings.HasPrefix(bearer, "sess_") {
		return op.Caller{}, api.NewError(401, api.CodeInvalidKey, "The REST API takes a team API key (svc_…), not a session.")
	}
	who, err := h.opt.Key(h.opt.Context, bearer, h.opt.Address(ctx))
	if err != nil {
		return op.Caller{}, err
	}
	who.Source = "api"
	if bytes.HasPrefix(ctx.Request.Header.UserAgent(), []byte("svcctl/")) {
		who.Source = "cli"
	}
	who.RequestID = edge.RequestID(ctx)
	return who, nil
}

func readArgs(ctx *fasthttp.RequestCtx, req *op.Request) error {
	req.Args.Query = !req.Op.TakesBody()
	for k, v := range ctx.QueryArgs().All() {
		if !req.Args.Query {
			return api.NewError(400, api.CodeUnknownParameter, "This operation takes no query parameters; %s belongs in the body.", strconv.Quote(string(k)))
		}
		req.Args.Params = append(req.Args.Params, op.Param{Name: string(k), Value: string(v)})
	}
	if !req.Args.Query {
		if err := readBody(ctx, req); err != nil {
			return err
		}
	} else if len(ctx.PostBody()) > 0 {
		return api.NewError(400, api.CodeInvalidRequest, "This operation takes no body.")
	}
	req.IdempotencyKey = string(ctx.Request.Header.Peek("Idempotency-Key"))
	return readIfMatch(ctx, req)
}

func readBody(ctx *fasthttp.RequestCtx, req *op.Request) error {
	req.Args.Body = ctx.PostBody()
	if len(req.Args.Body) == 0 {
		return nil
	}
	media := mediaType(ctx)
	if media != "application/json" && (media != "application/merge-patch+json" || req.Op.Method != fasthttp.MethodPatch) {
		return notJSON()
	}
	return nil
}

// mediaType is that of the body, "" for one in another encoding than UTF-8.
func mediaType(ctx *fasthttp.RequestCtx) string {
	media, params, _ := strings.Cut(strings.ToLower(string(ctx.Request.Header.ContentType())), ";")
	if _, charset, said := strings.Cut(params, "charset="); said && strings.Trim(charset, `" `) != "utf-8" {
		return ""
	}
	return strings.TrimSpace(media)
}

func notJSON() *api.Error {
	return api.NewError(415, api.CodeUnsupportedMediaType, "Send the body as Content-Type: application/json, in UTF-8.")
}

// readIfMatch turns the header into the input's ifMatch member.
func readIfMatch(ctx *fasthttp.RequestCtx, req *op.Request) error {
	tag := strings.TrimSpace(string(ctx.Request.Header.Peek("If-Match")))
	if tag == "" || tag == "*" || req.Op.ReadOnly() {
		return nil
	}
	version, err := strconv.Unquote(tag)
	n, nerr := strconv.Atoi(version)
	if err != nil || nerr != nil || n < 1 {
		return api.NewError(412, api.CodeVersionConflict, `If-Match must be an ETag of this object, like "7".`)
	}
	if !req.Op.Takes("ifMatch") {
		return api.NewError(400, api.CodeInvalidRequest, "This operation does not take If-Match.")
	}
	req.Args.Params = append(req.Args.Params, op.Param{Name: "ifMatch", Value: version})
	return nil
}

func (h *Handler) serveRoute(ctx *fasthttp.RequestCtx, r *Route, params []op.Param) {
	start := time.Now()
	if err := h.runRoute(ctx, r, params); err != nil {
		edge.Refuse(ctx, err)
	}
	h.opt.Observe(r.Name, ctx.Response.StatusCode(), time.Since(start).Seconds())
}

func (h *Handler) runRoute(ctx *fasthttp.RequestCtx, r *Route, params []op.Param) error {
	who, err := h.caller(ctx)
	if err != nil {
		return err
	}
	if r.Change == nil {
		if err := who.Require(r.Scope); err != nil {
			return err
		}
		rate, err := h.table.Take(&who, r.Class)
		edge.RateHeaders(ctx, rate)
		if err != nil {
			return err
		}
	}
	for k, v := range ctx.QueryArgs().All() {
		if !slices.Contains(r.Query, string(k)) {
			return api.NewError(400, api.CodeUnknownParameter, "There is no parameter %s.", strconv.Quote(string(k)))
		}
		params = append(params, op.Param{Name: string(k), Value: string(v)})
	}
	param := func(name string) string {
		for _, p := range params {
			if p.Name == name {
				return p.Value
			}
		}
		return ""
	}
	if r.Change == nil {
		return r.Serve(ctx, who, param)
	}
	return h.call(ctx, op.Request{
		Op: r.row, Caller: who, Args: op.Args{Params: params, Body: ctx.PostBody()},
		IdempotencyKey: string(ctx.Request.Header.Peek("Idempotency-Key")),
		Do: func(c context.Context, who op.Caller) (any, error) {
			return r.Change(c, who, ctx.PostBody(), param)
		},
	})
}

// call runs an operation and answers with what it says.
func (h *Handler) call(ctx *fasthttp.RequestCtx, req op.Request) error {
	res, refused := h.table.Call(h.opt.Context, req)
	edge.RateHeaders(ctx, res.Rate)
	if refused != nil {
		return refused
	}
	h.answer(ctx, res)
	return nil
}
