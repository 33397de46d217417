package hijack

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"edgesvc.dev/svc/sdk/api"
	"github.com/coder/websocket"
	"github.com/valyala/fasthttp"
)

// socketBuffer is the size of a websocket's buffers each way. Longer frames
// pass around them.
const socketBuffer = 512

// Upgrade answers a websocket handshake and runs serve on the connection, in a
// goroutine of its own, after ctx is gone. serve gets a context that ends when
// Close gives up on the connection; whatever it returns on, the connection is
// closed then. A refused handshake is answered on ctx, and serve does not run.
//
// Upgrade compares no origins: whoever calls it has.
func (s *Sockets) Upgrade(ctx *fasthttp.RequestCtx, address, protocol string, serve func(context.Context, *websocket.Conn)) {
	leave, err := s.enter(address)
	if err != nil {
		ctx.Response.Header.Set("Retry-After", "5")
		if errors.Is(err, errClosed) {
			fail(ctx, http.StatusServiceUnavailable, api.CodeOverloaded, "The server is stopping. Try again.")
		} else {
			fail(ctx, http.StatusTooManyRequests, api.CodeRateLimited, "Too many sockets are open.")
		}
		return
	}
	r, err := request(ctx)
	if err != nil {
		leave()
		fail(ctx, http.StatusBadRequest, api.CodeInvalidRequest, "The address of the request cannot be read.")
		return
	}
	w := &handshake{ctx: ctx, header: make(http.Header), conn: &lateConn{}}
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{protocol}, InsecureSkipVerify: true})
	if err != nil {
		leave() // the library has answered
		return
	}
	raw := w.conn
	ctx.Hijack(func(hc net.Conn) {
		defer s.recovered()
		raw.attach(hc)
		s.adopt(c, raw.Conn, leave, serve)
	})
}

// handshake is the http.ResponseWriter that the library accepts on. fasthttp
// writes the answer, so that the connection follows only later.
type handshake struct {
	ctx    *fasthttp.RequestCtx
	header http.Header
	conn   *lateConn
	wrote  bool
}

// Header implements http.ResponseWriter.
func (w *handshake) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *handshake) WriteHeader(code int) {
	if w.wrote {
		return
	}
	w.wrote = true
	for k, values := range w.header {
		for _, v := range values {
			w.ctx.Response.Header.Set(k, v)
		}
	}
	w.ctx.SetStatusCode(code)
}

// Write implements http.ResponseWriter.
func (w *handshake) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.ctx.Write(p)
}

// Hijack implements http.Hijacker.
func (w *handshake) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return w.conn, bufio.NewReadWriter(bufio.NewReaderSize(w.conn, socketBuffer), bufio.NewWriterSize(w.conn, socketBuffer)), nil
}

var errNotAttached = errors.New("hijack: the handshake is not answered yet")

// lateConn stands in for a connection between its handshake and the moment at
// which fasthttp lets go of it.
type lateConn struct {
	net.Conn        // nil until attach
	early    []byte // what the client sent before
}

// attach takes the connection out of fasthttp's wrapper, which is recycled, and
// keeps what its reader had read too far.
func (c *lateConn) attach(hc net.Conn) {
	raw := connOf(hc)
	if raw != hc {
		_ = raw.SetReadDeadline(time.Unix(1, 0)) // past: only what is in the buffer comes
		var b [512]byte
		for {
			n, err := hc.Read(b[:])
			c.early = append(c.early, b[:n]...)
			if err != nil {
				break
			}
		}
	}
	_ = raw.SetDeadline(time.Time{})
	c.Conn = raw
}

// Read implements net.Conn.
func (c *lateConn) Read(p []byte) (int, error) {
	switch {
	case c.Conn == nil:
		return 0, errNotAttached
	case len(c.early) > 0:
		n := copy(p, c.early)
		if c.early = c.early[n:]; len(c.early) == 0 {
			c.early = nil
		}
		return n, nil
	}
	return c.Conn.Read(p)
}

// Write implements net.Conn.
func (c *lateConn) Write(p []byte) (int, error) {
	if c.Conn == nil {
		return 0, errNotAttached
	}
	return c.Conn.Write(p)
}

// Close implements net.Conn.
func (c *lateConn) Close() error {
	if c.Conn == nil {
		return nil
	}
	return c.Conn.Close()
}
