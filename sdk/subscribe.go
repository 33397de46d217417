package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"

	"edgesvc.dev/svc/sdk/api"
)

// subscribe yields the values of a live procedure until the daemon ends it or
// ctx does. A connection that is lost is opened again, as often as it takes, and
// goes on after the last value that had an id. An error that a new connection
// would meet too is yielded and ends it, and any error where there are to be no
// retries.
func subscribe[T any](ctx context.Context, t *transport, name string, in any) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		f := feed{t: t, name: name, in: in, deliver: func(raw []byte) (bool, error) {
			var v T
			if err := unwrap(raw, &v); err != nil {
				return false, unexpected(http.StatusOK, nil, "a live value is not what this version of the API sends: %v", err)
			}
			return yield(v, nil), nil
		}}
		if err := f.run(ctx); err != nil && !f.over {
			var none T
			yield(none, err)
		}
	}
}

// feed is one run of subscribe.
type feed struct {
	t       *transport
	name    string
	in      any
	deliver func(raw []byte) (more bool, err error)
	lastID  string
	over    bool // the consumer has left, or the daemon has ended it
	// progressed: the present connection said something, so that the next
	// failure counts as the first again.
	progressed bool
}

// maxDoubling keeps the wait before a new connection from growing further.
const maxDoubling = 4

func (f *feed) run(ctx context.Context) error {
	for failures := 0; ; failures++ {
		f.progressed = false
		err := f.connect(ctx)
		switch {
		case f.over:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && (f.t.retries == 0 || !passing(err)):
			return err
		case f.progressed:
			failures = 0
		}
		wait, _ := pause(min(failures, maxDoubling), nil)
		if e, ok := errors.AsType[*api.Error](err); ok && e.RetryAfter > 0 {
			wait = max(wait, min(time.Duration(e.RetryAfter)*time.Second, maxPause))
		}
		if err := f.t.sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// Ends of a connection that say nothing of the next.
var (
	errSilent = errors.New("the stream went silent")
	errLost   = errors.New("the stream was lost")
)

// passing reports an error that a later connection may not meet.
func passing(err error) bool {
	if e, ok := errors.AsType[*api.Error](err); ok {
		switch e.Status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return e.Retryable
	}
	return errors.Is(err, errSilent) || errors.Is(err, errLost) || dialFailed(err) || broken(err)
}

// connect follows one connection until it ends.
func (f *feed) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := f.request()
	if err != nil {
		return err
	}
	idle := time.AfterFunc(streamIdle, func() { cancel(errSilent) })
	defer idle.Stop()
	resp, err := f.t.open(ctx, req)
	if err == nil {
		defer resp.Body.Close()
		err = f.follow(resp, func() { idle.Reset(streamIdle) })
	}
	if errors.Is(context.Cause(ctx), errSilent) {
		return errSilent
	}
	return err
}

func (f *feed) request() (request, error) {
	input, err := wrapped(f.in)
	if err != nil {
		return request{}, err
	}
	header := http.Header{"Accept": {"text/event-stream"}}
	if f.lastID != "" {
		header.Set("Last-Event-Id", f.lastID)
	}
	path := procedures + f.name + "?input=" + url.QueryEscape(string(input))
	return request{method: http.MethodGet, path: path, header: header}, nil
}

func (f *feed) follow(resp *http.Response, alive func()) error {
	if resp.StatusCode != http.StatusOK {
		answer, err := read(resp)
		if err != nil {
			return err
		}
		return answer.plain().Err()
	}
	if mediaType(resp.Header) != "text/event-stream" {
		return unexpected(resp.StatusCode, resp.Header, "the server answered %s instead of a stream; is this the address of svc?", kind(resp.Header))
	}
	var failed error
	err := messages(resp.Body, alive, func(m message) (more bool) {
		more, failed = f.take(m, resp.Header)
		return more
	})
	if err != nil && !errors.Is(err, errLargeEvent) {
		return fmt.Errorf("%w: %w", errLost, err)
	}
	return errors.Join(failed, err)
}

// take handles one event; false ends the connection.
func (f *feed) take(m message, h http.Header) (more bool, err error) {
	f.progressed = true
	if m.id != "" {
		f.lastID = m.id
	}
	switch m.event {
	case "":
		more, err = f.deliver([]byte(m.data))
		f.over = !more && err == nil
		return more, err
	case "return":
		f.over = true
		return false, nil
	case "serialized-error":
		var e struct {
			JSON failure `json:"json"`
		}
		if err := json.Unmarshal([]byte(m.data), &e); err != nil {
			return false, unexpected(http.StatusOK, h, "the stream ended with an error that svc would not send")
		}
		return false, e.JSON.err(h)
	}
	return true, nil // connected, ping, and what later versions may tell
}
