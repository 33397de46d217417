package api

import (
	"cmp"
	"fmt"
	"strings"
)

// Code names an error for programs. Codes are stable; texts are not.
type Code string

// The codes and the HTTP status that each comes with.
const (
	CodeInvalidJSON            Code = "invalid_json"             // 400
	CodeUnknownParameter       Code = "unknown_parameter"        // 400
	CodeInvalidParameter       Code = "invalid_parameter"        // 400
	CodeInvalidCursor          Code = "invalid_cursor"           // 400
	CodeIdempotencyKeyRequired Code = "idempotency_key_required" // 400
	CodeInvalidRequest         Code = "invalid_request"          // 400, 408, 431: not HTTP as it should be
	CodeMissingKey             Code = "missing_key"              // 401
	CodeInvalidKey             Code = "invalid_key"              // 401
	CodeRevokedKey             Code = "revoked_key"              // 401
	CodeExpiredKey             Code = "expired_key"              // 401
	CodeSessionRequired        Code = "session_required"         // 401
	CodeInvalidCredentials     Code = "invalid_credentials"      // 401
	CodeInsufficientScope      Code = "insufficient_scope"       // 403
	CodeOriginNotAllowed       Code = "origin_not_allowed"       // 403
	CodeCSRFFailed             Code = "csrf_failed"              // 403
	CodeRoleRequired           Code = "role_required"            // 403
	CodeNotFound               Code = "not_found"                // 404
	CodeRouteNotFound          Code = "route_not_found"          // 404
	CodeMethodNotAllowed       Code = "method_not_allowed"       // 405
	CodeGone                   Code = "gone"                     // 410
	CodeSlugTaken              Code = "slug_taken"               // 409
	CodeEmailTaken             Code = "email_taken"              // 409
	CodeShortcutTaken          Code = "shortcut_taken"           // 409
	CodeInvalidTransition      Code = "invalid_transition"       // 409
	CodeIdempotencyInProgress  Code = "idempotency_in_progress"  // 409
	CodeQuotaExceeded          Code = "quota_exceeded"           // 409
	CodeVersionConflict        Code = "version_conflict"         // 412
	CodePayloadTooLarge        Code = "payload_too_large"        // 413
	CodeUnsupportedMediaType   Code = "unsupported_media_type"   // 415
	CodeValidationFailed       Code = "validation_failed"        // 422
	CodeUnknownField           Code = "unknown_field"            // 422
	CodeNoGenerationFlags      Code = "no_generation_flags"      // 422
	CodeUnknownModel           Code = "unknown_model"            // 422
	CodeHTMLTooLarge           Code = "html_too_large"           // 422
	CodeUnsafeURL              Code = "unsafe_url"               // 422
	CodeTemplateError          Code = "template_error"           // 422
	CodeIdempotencyKeyReused   Code = "idempotency_key_reused"   // 422
	CodeRateLimited            Code = "rate_limited"             // 429
	CodeUsageLimit             Code = "usage_limit"              // 429: a daily amount is used up
	CodeInternal               Code = "internal"                 // 500
	CodeProviderError          Code = "provider_error"           // 502
	CodeProviderTimeout        Code = "provider_timeout"         // 504
	CodeOverloaded             Code = "overloaded"               // 503
	CodeReadOnly               Code = "read_only"                // 503
	CodeStorageFull            Code = "storage_full"             // 507
)

// Error is a refusal, as application/problem+json (RFC 9457) on REST and in
// each other surface's own form.
type Error struct {
	Type      string       `json:"type"`
	Title     string       `json:"title"`
	Status    int          `json:"status"`
	Detail    string       `json:"detail,omitempty"`
	Instance  string       `json:"instance,omitempty"`
	Code      Code         `json:"code"`
	RequestID string       `json:"requestId,omitempty"`
	Retryable bool         `json:"retryable"`
	Errors    []FieldError `json:"errors,omitempty"`

	// What the code adds; see the codes' documentation.
	RequiredScope string   `json:"requiredScope,omitempty"`
	SuggestedSlug string   `json:"suggestedSlug,omitempty"`
	ExistingID    string   `json:"existingId,omitempty"`
	From          string   `json:"from,omitempty"`
	To            string   `json:"to,omitempty"`
	Allowed       []string `json:"allowed,omitempty"`

	// RetryAfter is in seconds and travels as a header.
	RetryAfter int `json:"-"`
}

// FieldError is one failing member of the input.
type FieldError struct {
	Pointer string `json:"pointer" doc:"JSON pointer (RFC 6901) into the body, or the parameter's name."`
	Code    string `json:"code" doc:"required, type, too_short, too_long, too_small, too_large, too_many, enum, format, pattern, unknown_field or a code of the operation."`
	Message string `json:"message"`
}

// NewError returns an error of the given status; detail is for the person.
func NewError(status int, code Code, detail string, args ...any) *Error {
	if len(args) > 0 {
		detail = fmt.Sprintf(detail, args...)
	}
	return &Error{
		Type:      code.uri(),
		Title:     code.title(),
		Status:    status,
		Detail:    detail,
		Code:      code,
		Retryable: status == 429 || status >= 500 && status != 501 && status != 507,
	}
}

func (c Code) uri() string { return "https://svc.example/errors/" + string(c) }

func (c Code) title() string {
	return strings.ToUpper(string(c[:1])) + strings.ReplaceAll(string(c[1:]), "_", " ")
}

// WithCode gives the error a more particular code of the same status, and returns it.
func (e *Error) WithCode(code Code) *Error {
	e.Code, e.Type, e.Title = code, code.uri(), code.title()
	return e
}

// InvalidFields is a 422 about all the fields that cannot be accepted.
func InvalidFields(bad ...FieldError) *Error {
	e := NewError(422, CodeValidationFailed, "%d of the fields sent cannot be accepted.", len(bad))
	if len(bad) == 1 {
		e.Detail = cmp.Or(strings.TrimPrefix(bad[0].Pointer, "/"), "The body") + " " + bad[0].Message + "."
	}
	e.Errors = bad
	return e
}

// Invalid is a 422 about one field, with the words for the person. Operations
// use it for rules that a schema cannot say.
func Invalid(pointer, code, message string, args ...any) *Error {
	if len(args) > 0 {
		message = fmt.Sprintf(message, args...)
	}
	e := InvalidFields(FieldError{Pointer: pointer, Code: code, Message: message})
	e.Detail = message
	return e
}

// Error implements error: the code, then the detail.
func (e *Error) Error() string {
	if e.Detail == "" {
		return string(e.Code)
	}
	return string(e.Code) + ": " + e.Detail
}

// Pointer returns the pointer of the first failing field, or "".
func (e *Error) Pointer() string {
	if len(e.Errors) == 0 {
		return ""
	}
	return e.Errors[0].Pointer
}
