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
// vendor has: how long the vendor may be silent, before the first byte of the
// body and between two pieces of it (zero means no limit), the size of the
// answer, and no redirects, since a vendor's API sends none and a key must not
// follow one to another host.
func guarded(base *http.Client, silence time.Duration) *http.Client {
	c := *base
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	c.Transport = guard{next: c.Transport, silence: silence}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

type guard struct {
	next    http.RoundTripper
	silence time.Duration
}

func (g guard) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	b := &guardedBody{ctx: ctx, cancel: cancel, left: maxAnswer, silence: g.silence}
	if g.silence > 0 {
		b.timer = time.AfterFunc(g.silence, func() { cancel(errSlow) })
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
	ctx     context.Context // of the one request that this body answers
	cancel  context.CancelCauseFunc
	silence time.Duration
	timer   *time.Timer // runs until the first byte, then during each Read; nil without a limit
	begun   bool        // the first byte has come
	body    io.ReadCloser
	left    int64
}

// Read counts as silence only what the vendor takes, not what its reader does
// between two reads.
func (b *guardedBody) Read(p []byte) (int, error) {
	if b.timer != nil && b.begun {
		b.timer.Reset(b.silence)
	}
	n, err := b.body.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errLarge
	}
	if n > 0 && b.timer != nil {
		b.timer.Stop()
		b.begun = true
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

// explain tells a vendor that was silent for too long from a caller who left:
// both arrive as a canceled context.
func (b *guardedBody) explain(err error) error {
	if errors.Is(context.Cause(b.ctx), errSlow) {
		return errSlow
	}
	return err
}
