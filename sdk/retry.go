package sdk

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"

	"edgesvc.dev/svc/sdk/api"
)

// maxPause is the longest wait that a Retry-After is obeyed for; a longer one
// is the caller's to decide about.
const maxPause = time.Minute

// again reports whether r may be sent once more after this outcome. An answer
// that says "not now" left nothing behind; after a broken connection or a
// gateway's error that is unknown, so only a replayable request goes again.
func again(r request, resp *Response, err error) bool {
	if err != nil {
		if _, refused := errors.AsType[*api.Error](err); refused || errors.Is(err, ErrInsecure) || errors.Is(err, ErrAddress) {
			return false
		}
		return dialFailed(err) || r.replay && broken(err)
	}
	switch resp.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return r.replay
	case http.StatusConflict:
		// The first attempt arrived, its connection broke, and it still runs.
		return r.replay && refusal(resp).Code == api.CodeIdempotencyInProgress
	}
	return false
}

func dialFailed(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// broken reports an error of the connection, as opposed to one of the request.
func broken(err error) bool {
	if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted {
		return false
	}
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// pause is the wait before the next attempt: what the answer asks for, or a
// doubling from half a second with jitter so that clients do not return as one.
func pause(attempt int, resp *Response) (time.Duration, bool) {
	if resp != nil {
		if wait, ok := retryAfter(resp.Header); ok {
			return wait, wait <= maxPause
		}
	}
	wait := min(500*time.Millisecond<<attempt, 8*time.Second)
	return wait/2 + rand.N(wait/2), true
}

func retryAfter(h http.Header) (time.Duration, bool) {
	value := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 1<<30)) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at)), true
	}
	return 0, false
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// refusal reads the problem document of an answer; one that is none becomes a
// clear error of the same type.
func refusal(resp *Response) *api.Error {
	e := new(api.Error)
	if mediaType(resp.Header) != "application/problem+json" && mediaType(resp.Header) != "application/json" {
		e = unexpected(resp.Status, resp.Header, "the server answered %d with %s", resp.Status, kind(resp.Header))
	} else if err := json.Unmarshal(resp.Body, e); err != nil || e.Code == "" {
		e = unexpected(resp.Status, resp.Header, "the server answered %d without an error that svc would send", resp.Status)
	}
	e.Status = resp.Status
	if e.RequestID == "" {
		e.RequestID = resp.Header.Get("X-Request-Id")
	}
	if wait, ok := retryAfter(resp.Header); ok {
		e.RetryAfter = int(wait / time.Second)
	}
	return e
}
