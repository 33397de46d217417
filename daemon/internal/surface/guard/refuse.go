package guard

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/refusals"
)

// A refusal is an answer that the server gives in place of the handler.
type refusal struct {
	status int
	code   string
	detail string
	// Header is sent beside the usual ones; empty for most.
	header, headerValue string
	retryable           bool
}

var (
	tooLarge = refusal{status: http.StatusRequestEntityTooLarge, code: "payload_too_large",
		detail: "The body is larger than this request may send."}
	headerTooLarge = refusal{status: http.StatusRequestHeaderFieldsTooLarge, code: "invalid_request",
		detail: "The request line and headers together exceed 64 KiB."}
	tooSlow = refusal{status: http.StatusRequestTimeout, code: "invalid_request",
		detail: "The request did not arrive in time.", retryable: true}
	encodedBody = refusal{status: http.StatusUnsupportedMediaType, code: "unsupported_media_type",
		detail: "Send the body without Content-Encoding.", header: "Accept-Encoding", headerValue: "identity"}
	unknownMethod = refusal{status: http.StatusMethodNotAllowed, code: "method_not_allowed",
		detail: "The method is not one that this server knows.", header: "Allow", headerValue: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"}
	panicked = refusal{status: http.StatusInternalServerError, code: "internal",
		detail: "The server met a fault of its own; it is in its log under this request id."}
	tooManyFromAddress = refusal{status: http.StatusTooManyRequests, code: "rate_limited",
		detail: "Too many connections from this address.", header: "Retry-After", headerValue: "5", retryable: true}
	overloaded = refusal{status: http.StatusServiceUnavailable, code: "overloaded",
		detail: "The server has as many connections as it takes.", header: "Retry-After", headerValue: "5", retryable: true}
	tooMuchAtOnce = refusal{status: http.StatusServiceUnavailable, code: "overloaded",
		detail: "Too many large bodies are under way at once. Try again in a moment.", header: "Retry-After", headerValue: "2", retryable: true}
)

func malformed(detail string) *refusal {
	return &refusal{status: http.StatusBadRequest, code: "invalid_request", detail: detail}
}

// refusalOf names the read error without repeating its text: parse errors
// quote the bytes they met, credentials among them.
func refusalOf(err error) *refusal {
	if errors.Is(err, fasthttp.ErrBodyTooLarge) {
		return &tooLarge
	}
	if _, ok := errors.AsType[*fasthttp.ErrSmallBuffer](err); ok {
		return &headerTooLarge
	}
	if ne, ok := errors.AsType[net.Error](err); ok && ne.Timeout() {
		return &tooSlow
	}
	return malformed("The request is not well-formed HTTP/1.1.")
}

// count counts those refusals that tell of load.
func (r *refusal) count() {
	switch r.code {
	case "rate_limited":
		refusals.RateLimit.Count()
	case "overloaded":
		refusals.Overloaded.Count()
	}
}

// problem is the body of a refusal (RFC 9457).
type problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	Code      string `json:"code"`
	RequestID string `json:"requestId,omitempty"`
	Retryable bool   `json:"retryable"`
}

func (r *refusal) body(requestID string) []byte {
	b, err := json.Marshal(problem{Type: "about:blank", Title: http.StatusText(r.status), Status: r.status,
		Detail: r.detail, Code: r.code, RequestID: requestID, Retryable: r.retryable})
	if err != nil {
		panic(err) // strings, an int and a bool always encode
	}
	return b
}

func writeProblem(ctx *fasthttp.RequestCtx, r *refusal, requestID string) {
	h := &ctx.Response.Header
	h.Set(RequestIDHeader, requestID)
	h.SetCanonical(noSniff, noSniffValue)
	h.Set("Cache-Control", "no-store")
	if r.header != "" {
		h.Set(r.header, r.headerValue)
	}
	ctx.SetStatusCode(r.status)
	ctx.SetContentType("application/problem+json")
	ctx.SetConnectionClose()
	ctx.SetBody(r.body(requestID))
}
