package api

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Code names an error for programs. Codes are stable; texts are not.
type Code string

// The codes.
const (
	CodeInvalidJSON            Code = "invalid_json"
	CodeUnknownParameter       Code = "unknown_parameter"
	CodeInvalidParameter       Code = "invalid_parameter"
	CodeInvalidCursor          Code = "invalid_cursor"
	CodeIdempotencyKeyRequired Code = "idempotency_key_required"
	CodeInvalidRequest         Code = "invalid_request"
	CodeMissingKey             Code = "missing_key"
	CodeInvalidKey             Code = "invalid_key"
	CodeRevokedKey             Code = "revoked_key"
	CodeExpiredKey             Code = "expired_key"
	CodeSessionRequired        Code = "session_required"
	CodeInvalidCredentials     Code = "invalid_credentials"
	CodeInsufficientScope      Code = "insufficient_scope"
	CodeOriginNotAllowed       Code = "origin_not_allowed"
	CodeCSRFFailed             Code = "csrf_failed"
	CodeRoleRequired           Code = "role_required"
	CodeNotFound               Code = "not_found"
	CodeRouteNotFound          Code = "route_not_found"
	CodeMethodNotAllowed       Code = "method_not_allowed"
	CodeGone                   Code = "gone"
	CodeSlugTaken              Code = "slug_taken"
	CodeEmailTaken             Code = "email_taken"
	CodeShortcutTaken          Code = "shortcut_taken"
	CodeInvalidTransition      Code = "invalid_transition"
	CodeIdempotencyInProgress  Code = "idempotency_in_progress"
	CodeQuotaExceeded          Code = "quota_exceeded"
	CodeVersionConflict        Code = "version_conflict"
	CodePayloadTooLarge        Code = "payload_too_large"
	CodeUnsupportedMediaType   Code = "unsupported_media_type"
	CodeValidationFailed       Code = "validation_failed"
	CodeUnknownField           Code = "unknown_field"
	CodeNoGenerationFlags      Code = "no_generation_flags"
	CodeUnknownModel           Code = "unknown_model"
	CodeHTMLTooLarge           Code = "html_too_large"
	CodeUnsafeURL              Code = "unsafe_url"
	CodeTemplateError          Code = "template_error"
	CodeIdempotencyKeyReused   Code = "idempotency_key_reused"
	CodeRateLimited            Code = "rate_limited"
	CodeUsageLimit             Code = "usage_limit" // a daily amount is used up
	CodeInternal               Code = "internal"
	CodeProviderError          Code = "provider_error"
	CodeProviderTimeout        Code = "provider_timeout"
	CodeOverloaded             Code = "overloaded"
	CodeReadOnly               Code = "read_only"
	CodeStorageFull            Code = "storage_full"
)

// statuses are the HTTP statuses that each code comes with: its own first.
// invalid_request has others for what was not read to its end: 408 for a request
// that took too long, 431 for headers that are too large.
var statuses = map[Code][]int{
	CodeInvalidJSON:            {400},
	CodeUnknownParameter:       {400},
	CodeInvalidParameter:       {400},
	CodeInvalidCursor:          {400},
	CodeIdempotencyKeyRequired: {400},
	CodeInvalidRequest:         {400, 408, 431},
	CodeMissingKey:             {401},
	CodeInvalidKey:             {401},
	CodeRevokedKey:             {401},
	CodeExpiredKey:             {401},
	CodeSessionRequired:        {401},
	CodeInvalidCredentials:     {401},
	CodeInsufficientScope:      {403},
	CodeOriginNotAllowed:       {403},
	CodeCSRFFailed:             {403},
	CodeRoleRequired:           {403},
	CodeNotFound:               {404},
	CodeRouteNotFound:          {404},
	CodeMethodNotAllowed:       {405},
	CodeGone:                   {410},
	CodeSlugTaken:              {409},
	CodeEmailTaken:             {409},
	CodeShortcutTaken:          {409},
	CodeInvalidTransition:      {409},
	CodeIdempotencyInProgress:  {409},
	CodeQuotaExceeded:          {409},
	CodeVersionConflict:        {412},
	CodePayloadTooLarge:        {413},
	CodeUnsupportedMediaType:   {415},
	CodeValidationFailed:       {422},
	CodeUnknownField:           {422},
	CodeNoGenerationFlags:      {422},
	CodeUnknownModel:           {422},
	CodeHTMLTooLarge:           {422},
	CodeUnsafeURL:              {422},
	CodeTemplateError:          {422},
	CodeIdempotencyKeyReused:   {422},
	CodeRateLimited:            {429},
	CodeUsageLimit:             {429},
	CodeInternal:               {500},
	CodeProviderError:          {502},
	CodeProviderTimeout:        {504},
	CodeOverloaded:             {503},
	CodeReadOnly:               {503},
	CodeStorageFull:            {507},
}

// Statuses are the HTTP statuses that the code comes with, its own first; none
// for an unknown code.
func (c Code) Statuses() []int { return slices.Clone(statuses[c]) }

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
