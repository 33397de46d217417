package trpc

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// Error is a refusal as clients of this protocol see it. The zero Message is
// the code.
type Error struct {
	Code    string // "NOT_FOUND"
	Message string
	Allow   string // methods, with METHOD_NOT_SUPPORTED
	// Problem is what the contract says of the refusal; nil where the protocol
	// itself was not followed.
	Problem *api.Error
	noPath  bool
}

func (e *Error) Error() string {
	if e.Message == "" {
		return e.Code
	}
	return e.Message
}

// codes are the protocol's: JSON-RPC number and HTTP status by name.
var codes = map[string]struct{ number, status int }{
	"PARSE_ERROR":            {-32700, 400},
	"BAD_REQUEST":            {-32600, 400},
	"UNAUTHORIZED":           {-32001, 401},
	"PAYMENT_REQUIRED":       {-32002, 402},
	"FORBIDDEN":              {-32003, 403},
	"NOT_FOUND":              {-32004, 404},
	"METHOD_NOT_SUPPORTED":   {-32005, 405},
	"TIMEOUT":                {-32008, 408},
	"CONFLICT":               {-32009, 409},
	"PRECONDITION_FAILED":    {-32012, 412},
	"PAYLOAD_TOO_LARGE":      {-32013, 413},
	"UNSUPPORTED_MEDIA_TYPE": {-32015, 415},
	"UNPROCESSABLE_CONTENT":  {-32022, 422},
	"PRECONDITION_REQUIRED":  {-32028, 428},
	"TOO_MANY_REQUESTS":      {-32029, 429},
	"CLIENT_CLOSED_REQUEST":  {-32099, 499},
	"INTERNAL_SERVER_ERROR":  {-32603, 500},
	"NOT_IMPLEMENTED":        {-32603, 501},
	"BAD_GATEWAY":            {-32603, 502},
	"SERVICE_UNAVAILABLE":    {-32603, 503},
	"GATEWAY_TIMEOUT":        {-32603, 504},
}

// Known reports whether code is one of the protocol's.
func Known(code string) bool { return codes[code].status != 0 }

// Status is the HTTP status of the error's code.
func (e *Error) Status() int { return codes[e.Code].status }

var errInternal = &Error{Code: "INTERNAL_SERVER_ERROR", Message: "Something went wrong on our side."}

// failure is err for clients: what is no *Error is not shown.
func failure(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return errInternal
}

func statusOf(err error) int {
	if err == nil {
		return http.StatusOK
	}
	return failure(err).Status()
}

func bad(message string) *Error { return &Error{Code: "BAD_REQUEST", Message: message} }

// maxReason is the most bytes of what is wrong with an input: the reason may
// quote it, and each call of a batch gives it.
const maxReason = 300

func badInput(err error) error {
	if err == nil {
		return nil
	}
	reason := err.Error()
	return bad(strings.ToValidUTF8(reason[:min(len(reason), maxReason)], ""))
}

// shape is the error as JSON. Path is left out where there was no call.
func (e *Error) shape(path string) []byte {
	c := codes[e.Code]
	b := append([]byte(nil), `{"message":`...)
	b, _ = jsontext.AppendQuote(b, e.Error()) // replaces invalid UTF-8, which is right for a message
	b = strconv.AppendInt(append(b, `,"code":`...), int64(c.number), 10)
	b = append(append(b, `,"data":{"code":"`...), e.Code...)
	b = strconv.AppendInt(append(b, `","httpStatus":`...), int64(c.status), 10)
	if !e.noPath {
		b, _ = jsontext.AppendQuote(append(b, `,"path":`...), path)
	}
	if e.Problem != nil {
		b = e.appendProblem(b)
	}
	return append(b, "}}"...)
}

func (e *Error) appendProblem(dst []byte) []byte {
	if e.Problem.RetryAfter > 0 {
		dst = strconv.AppendInt(append(dst, `,"retryAfter":`...), int64(e.Problem.RetryAfter), 10)
	}
	dst = append(dst, `,"problem":`...)
	out, err := op.Encode(dst, e.Problem)
	if err != nil { // a problem is text and numbers
		return append(dst, "null"...)
	}
	return out
}

// envelope is the answer that carries e.
func (e *Error) envelope(path string) []byte {
	return append(append([]byte(`{"error":{"json":`), e.shape(path)...), "}}"...)
}
