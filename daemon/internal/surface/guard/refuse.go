package guard

import (
	"errors"
	"net"
	"net/http"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/refusals"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
	"edgesvc.dev/svc/sdk/api"
)

// A refusal is an answer that the server gives in place of the handler. It is
// copied for each request.
type refusal struct {
	api.Error
	// Header is sent beside the usual ones; empty for most.
	header, headerValue string
}

var (
	tooLarge       = refuse(http.StatusRequestEntityTooLarge, api.CodePayloadTooLarge, "The body is larger than this request may send.")
	headerTooLarge = refuse(http.StatusRequestHeaderFieldsTooLarge, api.CodeInvalidRequest, "The request line and headers together exceed 64 KiB.")
	tooSlow        = again(refuse(http.StatusRequestTimeout, api.CodeInvalidRequest, "The request did not arrive in time."), 0)
	encodedBody    = refuse(http.StatusUnsupportedMediaType, api.CodeUnsupportedMediaType, "Send the body without Content-Encoding.").
			with("Accept-Encoding", "identity")
	unknownMethod = refuse(http.StatusMethodNotAllowed, api.CodeMethodNotAllowed, "The method is not one that this server knows.").
			with("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
	panicked           = refuse(http.StatusInternalServerError, api.CodeInternal, "The server met a fault of its own; it is in its log under this request id.")
	tooManyFromAddress = again(refuse(http.StatusTooManyRequests, api.CodeRateLimited, "Too many connections from this address."), 5)
	overloaded         = again(refuse(http.StatusServiceUnavailable, api.CodeOverloaded, "The server has as many connections as it takes."), 5)
	tooMuchAtOnce      = again(refuse(http.StatusServiceUnavailable, api.CodeOverloaded, "Too many large bodies are under way at once. Try again in a moment."), 2)
)

func refuse(status int, code api.Code, detail string) *refusal {
	return &refusal{Error: *api.NewError(status, code, detail)}
}

// again is a refusal that may not be one the next time.
func again(r *refusal, seconds int) *refusal {
	r.Retryable, r.RetryAfter = true, seconds
	return r
}

func (r *refusal) with(header, value string) *refusal {
	r.header, r.headerValue = header, value
	return r
}

func malformed(detail string) *refusal {
	return refuse(http.StatusBadRequest, api.CodeInvalidRequest, detail)
}

// refusalOf names the read error without repeating its text: parse errors
// quote the bytes they met, credentials among them.
func refusalOf(err error) *refusal {
	if errors.Is(err, fasthttp.ErrBodyTooLarge) {
		return tooLarge
	}
	if _, ok := errors.AsType[*fasthttp.ErrSmallBuffer](err); ok {
		return headerTooLarge
	}
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		return tooSlow
	}
	return malformed("The request is not well-formed HTTP/1.1.")
}

// count counts those refusals that tell of load.
func (r *refusal) count() {
	switch r.Code {
	case api.CodeRateLimited:
		refusals.RateLimit.Count()
	case api.CodeOverloaded:
		refusals.Overloaded.Count()
	}
}

func writeProblem(ctx *fasthttp.RequestCtx, r *refusal, requestID string) {
	h := &ctx.Response.Header
	h.Set(edge.RequestIDHeader, requestID)
	h.SetCanonical(noSniff, noSniffValue)
	if r.header != "" {
		h.Set(r.header, r.headerValue)
	}
	ctx.SetConnectionClose()
	e := r.Error
	edge.Write(ctx, &e)
}
