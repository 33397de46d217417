package hijack

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// spill is how much of a stream may wait for a Flush.
const spill = 64 << 10

// writer is the http.ResponseWriter of a call. It collects the answer until a
// connection is attached, and sends it in chunks from then on.
type writer struct {
	timeout time.Duration
	last    *atomic.Int64 // of the bridge
	cancel  context.CancelFunc
	head    bool // a HEAD request: nothing to stream

	header  http.Header
	flushed chan struct{} // closed by the first Flush

	mu       sync.Mutex // guards what follows
	code     int
	sent     http.Header // header as of WriteHeader
	streams  bool
	conn     net.Conn
	chunked  bool
	buf      []byte
	writeErr error
}

func newWriter(b *Bridge, cancel context.CancelFunc, head bool) *writer {
	return &writer{timeout: b.writeTimeout, last: &b.last, cancel: cancel, head: head, header: make(http.Header), flushed: make(chan struct{})}
}

// Header implements http.ResponseWriter.
func (w *writer) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter. Interim (1xx) answers are not
// sent.
func (w *writer) WriteHeader(code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(code)
}

func (w *writer) writeHeader(code int) {
	if w.code == 0 && code >= http.StatusOK {
		w.code, w.sent = code, w.header.Clone()
	}
}

// Write implements http.ResponseWriter.
func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.writeErr != nil {
		return 0, w.writeErr
	}
	w.writeHeader(http.StatusOK)
	if w.buf == nil && w.sent.Get("Content-Type") == "" {
		w.sent.Set("Content-Type", http.DetectContentType(p))
	}
	w.buf = append(w.buf, p...)
	if w.conn != nil && len(w.buf) > spill {
		w.send()
	}
	return len(p), nil
}

// Flush implements http.Flusher.
func (w *writer) Flush() { _ = w.FlushError() }

// FlushError is what http.ResponseController calls.
func (w *writer) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(http.StatusOK)
	if !w.streams && !w.head {
		w.streams = true
		close(w.flushed)
	}
	w.send()
	return w.writeErr
}

// copyHeader moves status and header to the answer of ctx, over what is
// already set there.
func (w *writer) copyHeader(ctx *fasthttp.RequestCtx) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ctx.SetStatusCode(w.code)
	h := &ctx.Response.Header
	for k, values := range w.sent {
		switch k {
		case "Connection", "Content-Length", "Transfer-Encoding":
			continue // framing is fasthttp's
		}
		h.Del(k)
		for _, v := range values {
			h.Add(k, v)
		}
	}
}

// attach sends the header block and what was flushed so far.
func (w *writer) attach(c net.Conn, head []byte, chunked bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conn, w.chunked = c, chunked
	w.raw(head)
	w.send()
}

// finish ends the stream so that the client can tell it from a broken one.
func (w *writer) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.send()
	if w.chunked {
		w.raw([]byte("0\r\n\r\n"))
	}
}

// send writes buf as one chunk. Without a connection buf stays.
func (w *writer) send() {
	if w.conn == nil || len(w.buf) == 0 {
		return
	}
	if !w.chunked {
		w.raw(w.buf)
	} else {
		b := append(strconv.AppendInt(make([]byte, 0, len(w.buf)+20), int64(len(w.buf)), 16), "\r\n"...)
		w.raw(append(append(b, w.buf...), "\r\n"...))
	}
	w.buf = w.buf[:0]
}

func (w *writer) raw(p []byte) {
	if w.writeErr != nil {
		return
	}
	_ = w.conn.SetWriteDeadline(time.Now().Add(w.timeout))
	if last := w.last.Load(); last != 0 { // looked at after the deadline is set: see Bridge.cut
		_ = w.conn.SetWriteDeadline(time.Unix(0, last))
	}
	if _, err := w.conn.Write(p); err != nil {
		w.writeErr = errors.Join(http.ErrAbortHandler, err)
		w.cancel()
	}
}
