package widget

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/sdk/api"
)

const (
	// writeWithin is how long a client may take to accept a frame.
	writeWithin = 10 * time.Second
	// helloWithin is how long it may take to say who it is.
	helloWithin = 10 * time.Second
	// maxStrikes is how many frames of a client may be refused, less those that
	// are not.
	maxStrikes = 20
)

// serveSocket answers GET /svc-api/widget/ws.
func (h *Handler) serveSocket(ctx *fasthttp.RequestCtx, site Site) {
	address := h.opt.Address(ctx)
	s := &socket{h: h, site: &site, address: address}
	h.opt.Upgrade(ctx, address, api.ChatProtocol, func(ctx context.Context, c *websocket.Conn) {
		s.conn = c
		s.serve(ctx)
	})
}

// turnAway lets the client of an unknown site read why: a script cannot see the
// status of a handshake, and would try again for ever.
func (h *Handler) turnAway(ctx *fasthttp.RequestCtx) {
	h.opt.Upgrade(ctx, h.opt.Address(ctx), api.ChatProtocol, func(_ context.Context, c *websocket.Conn) {
		_ = c.Close(api.ChatBadSite, "unknown site")
	})
}

// socket is one client's connection. Its goroutine only waits for frames: what
// needs a deeper stack is done aside, and who writes comes when there is
// something to write, so that a connection on which nothing is said stays small.
type socket struct {
	h       *Handler
	site    *Site // nil when the visit has begun
	address string
	conn    *websocket.Conn
	visit   Visit
	strikes int
	silence *time.Timer // closes the connection when it goes off

	wakes   atomic.Int32 // since the writer was started; 0 is no writer
	writing conc.WaitGroup
}

func (s *socket) serve(ctx context.Context) {
	s.conn.SetReadLimit(-1) // the limit is ours, for the sake of its close code
	s.silence = time.AfterFunc(helloWithin, func() { s.close(api.ChatIdle, "idle") })
	defer s.silence.Stop()
	if !s.frame(func(hello *api.ChatIn) bool { return s.begin(ctx, hello) }) {
		return
	}
	for s.frame(func(f *api.ChatIn) bool { return s.turn(ctx, f) }) {
	}
	s.visit.Close() // nobody wakes from here on
	s.writing.Wait()
}

// aside runs f on a stack that is given back afterwards.
func aside(f func()) {
	var wg conc.WaitGroup
	wg.Go(f)
	wg.Wait()
}

// frame waits for the next frame and passes it on. It reports whether there may
// be another.
func (s *socket) frame(act func(*api.ChatIn) bool) (more bool) {
	// Closing the connection ends the wait; a context to end it too would cost
	// each of them memory.
	kind, r, err := s.conn.Reader(context.Background())
	aside(func() {
		if err != nil {
			s.broken(err)
		} else if f, ok := s.read(kind, r); ok {
			more = act(f)
		}
	})
	return more
}

// begin opens the visit.
func (s *socket) begin(ctx context.Context, hello *api.ChatIn) bool {
	if hello.T != "hello" {
		s.close(api.ChatBadFrame, "the first frame is hello")
		return false
	}
	visit, err := s.h.desk.Visit(ctx, *s.site, *hello, s.address)
	if err != nil {
		e := refusal(err)
		frame := errorFrame(e, "")
		frame.Fatal = true
		s.send(ctx, frame)
		s.close(codeOf(e), "")
		return false
	}
	s.visit, s.site = visit, nil
	s.silence.Reset(s.h.opt.Idle)
	visit.Notify(func() { s.wake(ctx) })
	return true
}

func codeOf(e *api.Error) websocket.StatusCode {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusNotFound:
		return api.ChatBadSite
	case http.StatusForbidden:
		return api.ChatOrigin
	case http.StatusTooManyRequests:
		return api.ChatSlowDown
	case http.StatusServiceUnavailable:
		return websocket.StatusServiceRestart
	}
	return websocket.StatusInternalError
}

// turn acts on one frame.
func (s *socket) turn(ctx context.Context, f *api.ChatIn) bool {
	s.silence.Reset(s.h.opt.Idle)
	err := s.visit.Receive(ctx, *f)
	if err == nil {
		s.strikes = max(0, s.strikes-1)
		return true
	}
	if s.strikes++; s.strikes > maxStrikes {
		s.close(api.ChatSlowDown, "slow down")
		return false
	}
	return s.send(ctx, errorFrame(refusal(err), f.CID))
}

// buffers are for a frame while it is read and decoded.
var buffers = sync.Pool{New: func() any { return new([maxFrame + 1]byte) }}

// read reads a frame to its end. Without one, the connection is closed.
func (s *socket) read(kind websocket.MessageType, r io.Reader) (*api.ChatIn, bool) {
	buf := buffers.Get().(*[maxFrame + 1]byte)
	defer buffers.Put(buf)
	n, err := io.ReadFull(r, buf[:])
	switch {
	case err == nil:
		s.close(api.ChatTooBig, "a frame has at most 52 KiB")
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		s.broken(err)
	case kind != websocket.MessageText:
		s.close(api.ChatBadFrame, "frames are text")
	case !utf8.Valid(buf[:n]):
		s.close(websocket.StatusInvalidFramePayloadData, "not UTF-8")
	default:
		f := new(api.ChatIn)
		if decode(buf[:n], f) == nil {
			return f, true
		}
		s.close(api.ChatBadFrame, "not a frame of "+api.ChatProtocol)
	}
	return nil, false
}

// broken ends a connection that cannot be read on. The library has answered most
// violations of the protocol; it says nothing about a frame without a mask.
func (s *socket) broken(err error) {
	_, network := errors.AsType[net.Error](err)
	if network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		errors.Is(err, context.Canceled) || websocket.CloseStatus(err) != -1 {
		_ = s.conn.CloseNow()
		return
	}
	s.close(websocket.StatusProtocolError, "protocol error")
}

func (s *socket) close(code websocket.StatusCode, reason string) { _ = s.conn.Close(code, reason) }

// wake starts the writer unless it runs: it looks again before it ends.
func (s *socket) wake(ctx context.Context) {
	if s.wakes.Add(1) == 1 {
		s.writing.Go(func() { s.write(ctx) })
	}
}

// write sends what the visit has to say. After a fatal error, or to a client
// that does not read, there will be no other writer.
func (s *socket) write(ctx context.Context) {
	for {
		seen := s.wakes.Load()
		if !s.flush(ctx) || s.wakes.CompareAndSwap(seen, 0) {
			return
		}
	}
}

// flush sends what there is. It reports whether there may be more.
func (s *socket) flush(ctx context.Context) bool {
	for _, f := range s.visit.Take() {
		if !s.send(ctx, f) {
			return false
		}
		if f.T == "error" && f.Fatal {
			s.close(endOf(f.Code), f.Code)
			return false
		}
	}
	return true
}

// endOf is the close code of a visit that ended with an error.
func endOf(code string) websocket.StatusCode {
	switch api.Code(code) {
	case api.CodeOriginNotAllowed:
		return api.ChatOrigin
	case api.CodeNotFound:
		return api.ChatBadSite
	}
	return websocket.StatusServiceRestart // connect again
}

func (s *socket) send(ctx context.Context, f api.ChatOut) bool {
	ctx, cancel := context.WithTimeout(ctx, writeWithin)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, encode(&f)) == nil
}
