package guard

import (
	"container/list"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/netaddr"
	"edgesvc.dev/svc/daemon/internal/pace"
	"edgesvc.dev/svc/daemon/internal/surface/edge"
)

const (
	// Closing a socket with unread bytes resets it, and the reset can overtake
	// the answer. A refused client gets this long, and this much, to read it.
	lingerTime  = 500 * time.Millisecond
	lingerBytes = 4 << 20
	// maxLingering bounds the refused connections that linger at once.
	maxLingering = 256

	// Pauses between attempts to accept while the system has nothing to accept
	// with.
	acceptPause     = 5 * time.Millisecond
	acceptPauseMost = 500 * time.Millisecond

	// amongSilent is how many of the oldest silent connections are compared, and
	// patience how long each has at least to send its first byte: it is on its way
	// with the last packet of the handshake.
	amongSilent = 8
	patience    = 20 * time.Millisecond

	// doorWait is how long a new connection waits for a place that may become
	// free, in its turn, before it is refused.
	doorWait = 250 * time.Millisecond
	// scarceFor is how long after a shortage connections end with their answers.
	scarceFor = time.Second

	// drainEvery is how often connections are looked at when the server stops.
	drainEvery = 20 * time.Millisecond
)

// listener counts connections per address before any byte of theirs is read.
// When a cap is reached, or the system runs out of descriptors, the oldest
// connection that never sent a byte gives way, then those that are stale (see
// stale.go), and each of the others when it has its answer; the new one waits for
// that in its turn, and is refused where all places stay in use. So neither idle
// sockets nor requests that do not arrive lock out a client, wherever they come
// from.
type listener struct {
	net.Listener
	limits limits
	plain  bool // an answer can be written before a handshake
	log    *slog.Logger
	closed chan struct{}
	freed  chan struct{} // holds one while a place was given up since Accept looked
	close  func() error
	owing  *pace.Limiter[netip.Prefix]
	short  atomic.Int64 // in ns: when all places were taken last

	mu        sync.Mutex // guards what follows, and every address in it
	draining  bool
	open      map[*conn]struct{}
	silent    list.List // of *conn that never sent a byte, oldest first
	addresses map[netip.Prefix]*address
	looked    time.Time // when no stale connection was found last
	hope      bool      // one was found then that does not answer a request
	warned    time.Time // when the lack of descriptors was logged last

	refusing  conc.WaitGroup
	lingering atomic.Int32
}

type address struct {
	open   int
	silent list.List // of *conn that never sent a byte, oldest first
}

func newListener(ln net.Listener, l limits, plain bool, log *slog.Logger) *listener {
	out := &listener{
		Listener: ln, limits: l, plain: plain, log: log, closed: make(chan struct{}), freed: make(chan struct{}, 1),
		open: map[*conn]struct{}{}, addresses: map[netip.Prefix]*address{},
		owing: pace.New[netip.Prefix](1, owesFor, maxOwing),
	}
	out.close = sync.OnceValue(func() error {
		out.mu.Lock()
		out.draining = true
		out.mu.Unlock()
		out.refusing.Go(out.drain)
		close(out.closed)
		return ln.Close()
	})
	return out
}

// Close implements net.Listener. Connections that wait for nothing are closed,
// too: those that never sent a whole request would keep the server from its end
// until they time out.
func (l *listener) Close() error { return l.close() }

// drain returns when no request is on its way any more.
func (l *listener) drain() {
	tick := time.NewTicker(drainEvery)
	defer tick.Stop()
	for l.clear() {
		<-tick.C
	}
}

// clear closes what keeps a place without using it, and reports whether there are
// requests that still arrive.
func (l *listener) clear() (arriving bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		switch {
		case c.busy.Load():
		case c.read.Load() == 0 && !waiting(c.Conn), c.stale():
			l.forget(c)
			_ = c.Conn.Close()
		default:
			arriving = true
		}
	}
	return arriving
}

// Accept implements net.Listener. An error of the listener as a whole is
// returned: to the server it is the end. What lies with one connection, or
// passes, it waits out.
func (l *listener) Accept() (net.Conn, error) {
	pause := acceptPause
	for {
		raw, err := l.Listener.Accept()
		switch {
		case err == nil:
			pause = acceptPause
			for begun := time.Now(); !l.ripe() && time.Since(begun) < doorWait && l.wait(patience/4, l.freed); {
			}
			if c := l.admit(raw); c != nil {
				return c, nil
			}
		case !passes(err):
			return nil, err
		case l.makeRoom(err): // at once again
		case !l.wait(pause, nil):
			return nil, net.ErrClosed
		default:
			pause = min(2*pause, acceptPauseMost)
		}
	}
}

// passes reports whether accepting may succeed after this error.
func passes(err error) bool {
	return outOfRoom(err) || errors.Is(err, syscall.ECONNABORTED) || errors.Is(err, syscall.EINTR)
}

// outOfRoom reports that the process or the system has no descriptor or memory
// left for a connection.
func outOfRoom(err error) bool {
	for _, e := range []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// makeRoom closes a connection that nobody uses, so that the one that waits can
// be accepted. It does not linger: that would keep the descriptor.
func (l *listener) makeRoom(err error) bool {
	if !outOfRoom(err) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.short.Store(now.UnixNano())
	if now.Sub(l.warned) > time.Minute {
		l.warned = now
		l.log.Warn("no connection can be accepted for now; raise the limit of open files", "err", err, "connections", len(l.open))
	}
	return l.yield(func(c *conn) { _ = c.Conn.Close() })
}

// ripe reports that a new connection need not wait, in the system's queue: there
// is a place, one that a connection can be told to leave, or none that becomes
// free soon.
func (l *listener) ripe() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) < l.limits.total {
		return true
	}
	l.short.Store(time.Now().UnixNano())
	if oldest := l.oldest(&l.silent); oldest != nil {
		return oldest.age() >= patience
	}
	return l.evictStale(netip.Prefix{}, l.turnOut) || !l.hope
}

// scarce reports that all places were taken a moment ago. Then a connection ends
// with its answer: another is waiting for its place.
func (l *listener) scarce() bool {
	short := l.short.Load()
	return short != 0 && time.Since(time.Unix(0, short)) < scarceFor
}

// turnOut answers a connection that has to go for want of places.
func (l *listener) turnOut(c *conn) { l.turnAway(c.Conn, overloaded) }

// wait reports whether the listener is still open after d, or sooner when early
// has something.
func (l *listener) wait(d time.Duration, early <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-l.closed:
		return false
	case <-early:
		return true
	case <-t.C:
		return true
	}
}

// settle returns when no refused connection lingers any more and, after Close, no
// request is on its way.
func (l *listener) settle() { l.refusing.Wait() }

func (l *listener) admit(raw net.Conn) *conn {
	c := &conn{Conn: raw, l: l, from: netaddr.NetworkOf(raw.RemoteAddr())}
	c.since.Store(time.Now().UnixNano())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.draining {
		_ = raw.Close()
		return nil
	}
	if refused := l.full(c.from); refused != nil {
		l.turnAway(raw, refused)
		return nil
	}
	a := l.addresses[c.from]
	if a == nil {
		a = &address{}
		l.addresses[c.from] = a
	}
	l.open[c] = struct{}{}
	a.open++
	c.silentHere, c.silent = a.silent.PushBack(c), l.silent.PushBack(c)
	return c
}

// full says why there is no place for another connection from there, after it
// has tried to make one.
func (l *listener) full(from netip.Prefix) *refusal {
	a := l.addresses[from]
	if a != nil && l.limits.perAddress > 0 && a.open >= l.limits.perAddress {
		away := func(c *conn) { l.turnAway(c.Conn, tooManyFromAddress) }
		if !l.evict(l.oldest(&a.silent), away) && !l.evictStale(from, away) {
			return tooManyFromAddress
		}
	}
	if len(l.open) >= l.limits.total {
		if !l.yield(l.turnOut) {
			return overloaded
		}
	}
	return nil
}

// yield lets a connection go that nobody needs, wherever it comes from. The
// caller holds mu.
func (l *listener) yield(away func(*conn)) bool {
	// Of the oldest silent ones, one of the address that has most of them: under
	// a flood, who comes alone has not had the time to speak.
	heaviest, most := l.oldest(&l.silent), 0
	if heaviest != nil {
		e := heaviest.silent
		for n := 0; e != nil && n < amongSilent; e, n = e.Next(), n+1 {
			c := e.Value.(*conn)
			if beside := l.addresses[c.from].silent.Len(); beside > most && (n == 0 || c.age() >= patience && !waiting(c.Conn)) {
				heaviest, most = c, beside
			}
		}
	}
	if heaviest != nil {
		l.owe(heaviest)
	}
	return l.evict(heaviest, away) || l.evictStale(netip.Prefix{}, away)
}

// oldest is the connection that has been silent for longest, after those that
// have spoken by now were taken out. The caller holds mu.
func (l *listener) oldest(silent *list.List) *conn {
	for e := silent.Front(); e != nil; e = silent.Front() {
		c := e.Value.(*conn)
		if !waiting(c.Conn) {
			return c
		}
		l.heard(c)
	}
	return nil
}

// evict lets a silent connection go, if there is one. The caller holds mu.
func (l *listener) evict(c *conn, away func(*conn)) bool {
	if c == nil {
		return false
	}
	l.forget(c)
	away(c)
	return true
}

// forget takes c out of the counts, once. The caller holds mu.
func (l *listener) forget(c *conn) {
	if _, counted := l.open[c]; !counted {
		return
	}
	delete(l.open, c)
	select {
	case l.freed <- struct{}{}:
	default:
	}
	a := l.addresses[c.from]
	a.open--
	l.heard(c)
	if a.open == 0 {
		delete(l.addresses, c.from)
	}
}

// heard takes c out of the silent ones. The caller holds mu.
func (l *listener) heard(c *conn) {
	if c.silent != nil {
		l.silent.Remove(c.silent)
		l.addresses[c.from].silent.Remove(c.silentHere)
		c.silent, c.silentHere = nil, nil
	}
}

// turnAway answers raw and closes it without holding up Accept.
func (l *listener) turnAway(raw net.Conn, r *refusal) {
	r.count()
	if !l.plain || int(l.lingering.Load()) >= l.limits.lingering {
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
	body := edge.Encode(&r.Error)
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/problem+json\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n"+
		"Retry-After: %d\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", r.Status, http.StatusText(r.Status), r.RetryAfter, len(body), body)
}

// linger makes the Close that follows a refusal wait for the client to read it.
func linger(c net.Conn) {
	if counted := counted(c); counted != nil {
		counted.refused.Store(true)
	}
}

// counted is the connection below TLS, nil for one that did not come of a
// listener.
func counted(c net.Conn) *conn {
	if tc, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = tc.NetConn()
	}
	out, _ := c.(*conn)
	return out
}

func drain(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_ = c.SetReadDeadline(time.Now().Add(lingerTime))
	_, _ = io.CopyN(io.Discard, c, lingerBytes)
}
