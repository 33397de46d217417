package llm

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Kind sorts failures by what a caller can do about them.
type Kind string

// The kinds of failure.
const (
	KindRateLimited    Kind = "rate_limited"    // wait; RetryAfter says how long
	KindTimeout        Kind = "timeout"         // the vendor was too slow
	KindProvider       Kind = "provider_error"  // the vendor or the way to it is broken
	KindInvalidRequest Kind = "invalid_request" // the same request will fail again
	KindAuth           Kind = "auth"            // the operator's key is wrong
)

// Error is a failed call, after all tries. Message is fit for an operator's
// log and a job's error: it holds neither key nor prompt.
type Error struct {
	Kind       Kind
	Provider   string
	Message    string
	RetryAfter time.Duration // zero when the vendor named none
	Retryable  bool          // the same request may succeed later

	Status    int    // of the vendor's answer; 0 when there was none
	RequestID string // by which the vendor finds the request; "" when it gave none
	Reason    string // why there was no answer, such as "connection refused"
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.Provider, e.Kind, e.Message)
}

// maxDetail keeps a vendor's explanation to about a line.
const maxDetail = 300

// answerError sorts an HTTP answer of a vendor. The detail is the vendor's own
// explanation; an authentication failure goes without, since vendors repeat
// parts of the key in it.
func answerError(provider string, status int, header http.Header, detail string) *Error {
	e := &Error{Provider: provider, RetryAfter: retryAfter(header, time.Now()), Status: status, RequestID: requestID(header)}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		e.Kind = KindAuth
		e.Message = fmt.Sprintf("the key was refused (HTTP %d); check the configured key", status)
		return e
	case status == http.StatusTooManyRequests:
		e.Kind, e.Retryable = KindRateLimited, true
	case status == http.StatusRequestTimeout:
		e.Kind, e.Retryable = KindTimeout, true
	case status >= 400 && status < 500:
		e.Kind = KindInvalidRequest
	default:
		e.Kind, e.Retryable = KindProvider, true
	}
	e.Message = fmt.Sprintf("HTTP %d", status)
	if detail = oneLine(detail); detail != "" {
		e.Message += ": " + detail
	}
	return e
}

// requestID is the vendor's name of a request: OpenAI's header or Anthropic's.
func requestID(header http.Header) string {
	id := cmp.Or(header.Get("X-Request-Id"), header.Get("Request-Id"))
	if len(id) > 200 || strings.ContainsFunc(id, unicode.IsControl) {
		return ""
	}
	return id
}

// brokenAnswer is an answer that arrived but cannot be used.
func brokenAnswer(provider, message string) *Error {
	return &Error{Kind: KindProvider, Provider: provider, Message: message, Retryable: true}
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxDetail {
		s = strings.ToValidUTF8(s[:maxDetail], "") + "…"
	}
	return s
}

// maxRetryAfter ignores a vendor's slip; no limit of theirs lasts longer.
const maxRetryAfter = 24 * time.Hour

// retryAfter reads how long a vendor asks to wait: milliseconds in OpenAI's own
// header, else seconds or a date (RFC 9110, 10.2.3). Zero when it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	var wait time.Duration
	value := h.Get("Retry-After")
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		wait = within(ms, time.Millisecond)
	} else if s, err := strconv.ParseFloat(value, 64); err == nil {
		wait = within(s, time.Second)
	} else if date, err := http.ParseTime(value); err == nil {
		wait = date.Sub(now)
	}
	return max(0, min(wait, maxRetryAfter))
}

// within keeps the product inside what a Duration can hold; NaN becomes zero.
func within(n float64, unit time.Duration) time.Duration {
	if !(n > 0) {
		return 0
	}
	return time.Duration(min(n, float64(maxRetryAfter/unit)) * float64(unit))
}
