package sdk

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"edgesvc.dev/svc/sdk/api"
)

// failure is a refusal as tRPC writes it. What the contract says of it is in
// data.problem; there is none where the protocol itself was not followed.
type failure struct {
	Message string `json:"message"`
	Data    struct {
		Code       string     `json:"code"`
		HTTPStatus int        `json:"httpStatus"`
		Problem    *api.Error `json:"problem"`
		RetryAfter int        `json:"retryAfter"`
	} `json:"data"`
}

func (f *failure) err(h http.Header) *api.Error {
	e := f.Data.Problem
	if e == nil || e.Code == "" {
		e = f.protocol(h)
	}
	e.RetryAfter = f.Data.RetryAfter
	if wait, ok := retryAfter(h); ok {
		e.RetryAfter = int(wait.Seconds())
	}
	return e
}

// protocolCodes are the contract's codes for refusals of the protocol itself.
var protocolCodes = map[string]api.Code{
	"PARSE_ERROR": api.CodeInvalidJSON, "BAD_REQUEST": api.CodeInvalidRequest, "NOT_FOUND": api.CodeRouteNotFound,
	"METHOD_NOT_SUPPORTED": api.CodeMethodNotAllowed, "PAYLOAD_TOO_LARGE": api.CodePayloadTooLarge,
	"UNSUPPORTED_MEDIA_TYPE": api.CodeUnsupportedMediaType, "INTERNAL_SERVER_ERROR": api.CodeInternal,
}

func (f *failure) protocol(h http.Header) *api.Error {
	code, known := protocolCodes[f.Data.Code]
	if !known {
		return unexpected(f.Data.HTTPStatus, h, "%s", f.Message)
	}
	e := api.NewError(f.Data.HTTPStatus, code, "%s", f.Message)
	e.RequestID = h.Get("X-Request-Id")
	return e
}

// isProcedure reports whether r is answered in tRPC.
func (r route) isProcedure() bool { return strings.HasPrefix(r.path, procedures) }

// plain is the answer to a procedure as REST would give it: the value alone, or
// the problem. An answer that is none of tRPC stays as it is.
func (r *Response) plain() *Response {
	var answer struct {
		Result *struct {
			Data envelope `json:"data"`
		} `json:"result"`
		Error *struct {
			JSON failure `json:"json"`
		} `json:"error"`
	}
	if mediaType(r.Header) != "application/json" || json.Unmarshal(r.Body, &answer) != nil {
		return r
	}
	switch {
	case answer.Error != nil:
		return r.problem(answer.Error.JSON.err(r.Header))
	case answer.Result != nil:
		if body, err := answer.Result.Data.plain(); err == nil {
			return &Response{Status: r.Status, Header: r.Header, Body: body}
		}
	}
	return r
}

func (r *Response) problem(e *api.Error) *Response {
	body, err := encode(e)
	if err != nil {
		return r
	}
	h := r.Header.Clone()
	h.Set("Content-Type", "application/problem+json")
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	return &Response{Status: r.Status, Header: h, Body: body}
}
