package guard

import (
	"container/list"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/netaddr"
)

const (
	// Closing a socket with unread bytes resets it, and the reset can overtake
	// the answer. A refused client gets this long, and this much, to read it.
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 4 << 20
	// maxLingering bounds the refused connections that linger at once.
	maxLingering = 256
)

// limits are the connection caps; perAddress below zero means none.
type limits struct{ total, perAddress int }

// listener counts connections per address before any byte of theirs is read.
// When an address is at its cap, the oldest of its connections that never
// sent a byte gives way, so that idle sockets cannot lock out a client that
// shares the address; if all have spoken, the new one is refused.
type listener struct {
	net.Listener
	limits limits
	plain  bool // an answer can be written before a handshake

	mu        sync.Mutex // guards open, addresses and every address in it
	open      int
	addresses map[netip.Prefix]*address

	refusing  conc.WaitGroup
	lingering atomic.Int32
}

type address struct {
	open   int
	silent list.List // of *conn that never sent a byte, oldest first
}

func newListener(ln net.Listener, l limits, plain bool) *listener {
	return &listener{Listener: ln, limits: l, plain: plain, addresses: make(map[netip.Prefix]*address)}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.admit(raw); c != nil {
			return c, nil
		}
	}
}

// wait returns when no refused connection lingers any more.
func (l *listener) wait() { l.refusing.Wait() }

func (l *listener) admit(raw net.Conn) *conn {
	c := &conn{Conn: raw, l: l, from: netaddr.NetworkOf(raw.RemoteAddr())}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= l.limits.total {
		l.turnAway(raw, &overloaded)
		return nil
	}
	a := l.addresses[c.from]
	if a == nil {
		a = &address{}
		l.addresses[c.from] = a
	}
	if l.limits.perAddress > 0 && a.open >= l.limits.perAddress {
		oldest := a.silent.Front()
		if oldest == nil {
			l.turnAway(raw, &tooManyFromAddress)
			return nil
		}
		evicted := oldest.Value.(*conn)
		l.forget(evicted)
		l.turnAway(evicted.Conn, &tooManyFromAddress)
	}
	l.open++
	a.open++
	c.silent = a.silent.PushBack(c)
	return c
}

// forget takes c out of the counts, once. The caller holds mu.
func (l *listener) forget(c *conn) {
	if c.forgotten {
		return
	}
	c.forgotten = true
	l.open--
	a := l.addresses[c.from]
	a.open--
	if c.silent != nil {
		a.silent.Remove(c.silent)
		c.silent = nil
	}
	if a.open == 0 {
		delete(l.addresses, c.from)
	}
}

// turnAway answers raw and closes it without holding up Accept.
func (l *listener) turnAway(raw net.Conn, r *refusal) {
	if !l.plain || l.lingering.Load() >= maxLingering {
		_ = raw.Close()
		return
	}
	l.lingering.Add(1)
	l.refusing.Go(func() {
		defer l.lingering.Add(-1)
		_ = raw.SetWriteDeadline(time.Now().Add(lingerTime))
		if _, err := raw.Write(r.wire()); err == nil {
			drain(raw)
		}
		_ = raw.Close()
	})
}

// wire is a whole HTTP answer, for connections that no request was read from.
func (r *refusal) wire() []byte {
	body := r.body("")
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\n"+
		"%s: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", r.status, http.StatusText(r.status), r.header, r.headerValue, len(body), body)
}

// conn is a counted connection.
type conn struct {
	net.Conn
	l    *listener
	from netip.Prefix

	silent    *list.Element // guarded by l.mu; nil once a byte came
	forgotten bool          // guarded by l.mu

	spoke, refused atomic.Bool
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && !c.spoke.Load() {
		c.speak()
	}
	return n, err
}

func (c *conn) speak() {
	c.spoke.Store(true)
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	if c.silent != nil {
		c.l.addresses[c.from].silent.Remove(c.silent)
		c.silent = nil
	}
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.l.mu.Lock()
	c.l.forget(c)
	c.l.mu.Unlock()
	if c.refused.Load() {
		drain(c.Conn)
	}
	return c.Conn.Close()
}

// linger makes the Close that follows a refusal wait for the client to read it.
func linger(c net.Conn) {
	if tc, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = tc.NetConn()
	}
	if counted, ok := c.(*conn); ok {
		counted.refused.Store(true)
	}
}

func drain(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = c.SetReadDeadline(time.Now().Add(lingerTime))
	_, _ = io.CopyN(io.Discard, c, lingerBytes)
}
