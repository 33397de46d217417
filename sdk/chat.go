package sdk

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"edgesvc.dev/svc/sdk/api"
)

// Chat is a visitor of a site, as the widget is one: over server-sent events and
// POST, with the widget's frames. It is safe for concurrent use.
type Chat struct {
	t    *transport
	site string

	mu    sync.Mutex // guards what follows
	token string
	seq   int // up to which Frames has handed over everything
}

// OpenChat arrives at a site. visitor is the Token of an earlier Chat, which goes
// on with the same conversation, or empty.
func OpenChat(ctx context.Context, baseURL, siteID, visitor string, options ...Option) (*Chat, error) {
	c := &Chat{t: newTransport(baseURL, options), site: siteID, token: visitor}
	_, err := c.Do(ctx, api.ChatIn{T: "page", Page: &api.ChatPage{}})
	return c, err
}

// Token proves to be this visitor another time. It opens the conversation to
// whoever has it.
func (c *Chat) Token() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.token
}

// Send sends a message and returns its acknowledgement once it is stored. The
// same text sent twice is two messages; a lost answer is asked for again without
// doubling anything.
func (c *Chat) Send(ctx context.Context, text string) (api.ChatOut, error) {
	cid := rand.Text()
	frames, err := c.Do(ctx, api.ChatIn{T: "msg", CID: cid, Text: text})
	if err != nil {
		return api.ChatOut{}, err
	}
	for _, f := range frames {
		if f.T == "ack" && f.CID == cid {
			return f, nil
		}
	}
	return api.ChatOut{CID: cid}, nil // stored; the acknowledgement comes with Frames
}

// Do sends one frame and returns the daemon's answers to it. A refusal is an
// *api.Error.
func (c *Chat) Do(ctx context.Context, f api.ChatIn) ([]api.ChatOut, error) {
	c.mu.Lock()
	in := map[string]any{"visitor": c.token, "since": c.seq, "frame": f}
	c.mu.Unlock()
	body, err := encode(in)
	if err != nil {
		return nil, fmt.Errorf("encode frame: %w", err)
	}
	resp, err := c.t.send(ctx, request{
		method: http.MethodPost, path: "/svc-api/widget/frames?site=" + url.QueryEscape(c.site), body: body, replay: true,
		header: http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}},
	})
	if err != nil {
		return nil, err
	}
	var out struct {
		Frames []api.ChatOut `json:"frames"`
	}
	if err := resp.decode("frames", &out); err != nil {
		return nil, err
	}
	for i := range out.Frames {
		c.note(&out.Frames[i])
		if e := frameRefusal(&out.Frames[i]); e != nil {
			return out.Frames, e
		}
	}
	return out.Frames, nil
}

// note keeps the visitor's token.
func (c *Chat) note(f *api.ChatOut) {
	if f.T == "ready" && f.Visitor != "" {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.token = f.Visitor
	}
}

// errOver ends a connection of Frames that the consumer has left.
var errOver = errors.New("nobody reads on")

// Frames yields what the daemon has to say: ready, the messages, answers as they
// are written. Each message comes once, whatever happens to the connection,
// which is opened again until ctx ends.
func (c *Chat) Frames(ctx context.Context) iter.Seq2[api.ChatOut, error] {
	return func(yield func(api.ChatOut, error) bool) {
		for failures := 0; ; failures++ {
			heard, err := c.connect(ctx, func(f api.ChatOut) bool { return yield(f, nil) })
			switch {
			case errors.Is(err, errOver):
				return
			case ctx.Err() != nil:
				yield(api.ChatOut{}, context.Cause(ctx))
				return
			case err != nil && !passing(err):
				yield(api.ChatOut{}, err)
				return
			case heard:
				failures = 0
			}
			wait, _ := pause(min(failures, maxDoubling), nil)
			if err := c.t.sleep(ctx, wait); err != nil {
				yield(api.ChatOut{}, err)
				return
			}
		}
	}
}

// connect follows one connection; heard says that it told something.
func (c *Chat) connect(ctx context.Context, yield func(api.ChatOut) bool) (heard bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(streamIdle, func() { cancel(errSilent) })
	defer idle.Stop()
	resp, err := c.t.open(ctx, c.events())
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || mediaType(resp.Header) != "text/event-stream" {
		return false, noFrames(resp)
	}
	var failed error
	err = messages(resp.Body, func() { idle.Reset(streamIdle) }, func(m message) bool {
		heard = true
		failed = c.deliver(m, yield)
		return failed == nil
	})
	switch {
	case failed != nil:
		return heard, failed
	case err != nil:
		return heard, fmt.Errorf("%w: %w", errLost, err)
	}
	return heard, errLost
}

func (c *Chat) events() request {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := url.Values{"site": {c.site}, "visitor": {c.token}, "since": {strconv.Itoa(c.seq)}}
	return request{method: http.MethodGet, path: "/svc-api/widget/events?" + q.Encode(), header: http.Header{"Accept": {"text/event-stream"}}}
}

func noFrames(resp *http.Response) error {
	answer, err := read(resp)
	if err != nil {
		return err
	}
	if err := answer.Err(); err != nil {
		return err
	}
	return unexpected(answer.Status, answer.Header, "the server answered %s instead of a stream; is this the address of svc?", kind(answer.Header))
}

// deliver hands one frame over, unless it came before.
func (c *Chat) deliver(m message, yield func(api.ChatOut) bool) error {
	var f api.ChatOut
	if err := json.Unmarshal([]byte(m.data), &f); err != nil {
		return unexpected(http.StatusOK, nil, "a frame is not what this version of the API sends: %v", err)
	}
	if e := frameRefusal(&f); e != nil && f.Fatal {
		return e
	}
	if c.had(&f) {
		return nil
	}
	c.note(&f)
	if !yield(f) {
		return errOver
	}
	return nil
}

// frameRefusal is a frame's error, nil for other frames. One that says when to
// try again may be met by a later connection.
func frameRefusal(f *api.ChatOut) *api.Error {
	if f.T != "error" {
		return nil
	}
	status := http.StatusBadRequest
	if f.RetryIn > 0 {
		status = http.StatusTooManyRequests
	}
	e := api.NewError(status, api.Code(f.Code), "%s", f.Message)
	e.RetryAfter = f.RetryIn
	return e
}

// had reports a message that was handed over before, and notes one that was not.
func (c *Chat) had(f *api.ChatOut) bool {
	if f.T != "msg" && f.T != "done" && f.T != "ack" || f.Seq == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.Seq <= c.seq {
		return true
	}
	c.seq = f.Seq
	return false
}
