package widget

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

// maxFrame is the largest frame of a client in bytes: room for a message of 4,000
// characters, however its JSON is written. An emoji takes twelve bytes where it is
// escaped.
const maxFrame = 52 << 10

var (
	strict = json.RejectUnknownMembers(true)
	plain  = jsontext.EscapeForHTML(false)
)

// decode reads one object: no unknown, miscased or repeated members, nothing
// after it.
func decode(b []byte, v any) error { return json.Unmarshal(b, v, strict) }

func encode(v any) []byte {
	b, err := json.Marshal(v, plain)
	if err != nil {
		panic(err) // the contract's types always encode
	}
	return b
}

// refusal is what the client may know of an error; others are logged.
func refusal(err error) *api.Error {
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e
	}
	slog.Error("widget", "err", err)
	return api.NewError(http.StatusInternalServerError, api.CodeInternal, "Something went wrong on our side.")
}

// errorFrame is a refusal as a frame; cid names the message that it is about.
func errorFrame(e *api.Error, cid string) api.ChatOut {
	return api.ChatOut{T: "error", Code: string(e.Code), Message: e.Detail, RetryIn: e.RetryAfter, CID: cid}
}

// refuse answers a request (RFC 9457).
func refuse(ctx *fasthttp.RequestCtx, e *api.Error) {
	ctx.SetStatusCode(e.Status)
	if e.RetryAfter > 0 {
		ctx.Response.Header.Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	ctx.SetContentType("application/problem+json")
	out := *e
	out.RequestID = string(ctx.Response.Header.Peek("X-Request-Id"))
	ctx.SetBody(encode(&out))
}

func answer(ctx *fasthttp.RequestCtx, v any) {
	ctx.SetContentType("application/json")
	ctx.SetBody(encode(v))
}
