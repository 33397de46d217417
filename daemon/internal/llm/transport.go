package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

var (
	errSlow  = errors.New("no answer in time")
	errLarge = errors.New("answer is too large")
)

// maxAnswer bounds what is read of one answer: a large image in base64 fits.
const maxAnswer = 32 << 20

// guarded returns the caller's client with the limits that every call to a
// vendor has: time to the first byte of the body (zero means none), size of the
// answer, and no redirects, since a vendor's API sends none and a key must not
// follow one to another host.
func guarded(base *http.Client, firstByte time.Duration) *http.Client {
	c := *base
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	c.Transport = guard{next: c.Transport, firstByte: firstByte}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

type guard struct {
	next      http.RoundTripper
	firstByte time.Duration
}

func (g guard) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	b := &guardedBody{ctx: ctx, cancel: cancel, left: maxAnswer}
	if g.firstByte > 0 {
		b.timer = time.AfterFunc(g.firstByte, func() { cancel(errSlow) })
	}
	resp, err := g.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		err = b.explain(err)
		b.release()
		return nil, err
	}
	b.body, resp.Body = resp.Body, b
	return resp, nil
}

// guardedBody owns the request's context until the body is closed.
type guardedBody struct {
	ctx    context.Context // of the one request that this body answers
	cancel context.CancelCauseFunc
	timer  *time.Timer
	body   io.ReadCloser
	left   int64
}

func (b *guardedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errLarge
	}
	if n > 0 && b.timer != nil {
		b.timer.Stop()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.explain(err)
	}
	return n, err
}

func (b *guardedBody) Close() error {
	err := b.body.Close()
	b.release()
	return err
}

func (b *guardedBody) release() {
	if b.timer != nil {
		b.timer.Stop()
	}
	b.cancel(nil)
}

// explain tells a first byte that came too late from a caller who left: both
// arrive as a cancelled context.
func (b *guardedBody) explain(err error) error {
	if errors.Is(context.Cause(b.ctx), errSlow) {
		return errSlow
	}
	return err
}
