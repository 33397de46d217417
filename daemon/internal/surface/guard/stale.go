package guard

import (
	"cmp"
	"container/list"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// idleLong is how long a connection pauses between two requests before
	// another may have its place. A client that finds it closed opens another.
	idleLong = 5 * time.Second
	// dripLong is how long a request may take to arrive before its place may go,
	// unless it has sent dripBytes by then, as a slow upload has and a client
	// that keeps the server waiting has not.
	dripLong  = 2 * time.Second
	dripBytes = 16 << 10
	// staleShare of the cap is how many are let go at once, so that looking
	// through all of them is rare; lookEvery bounds it when none was found.
	staleShare = 16
	lookEvery  = 250 * time.Millisecond
)

// conn is a counted connection.
type conn struct {
	net.Conn
	l    *listener
	from netip.Prefix

	silent, silentHere *list.Element // guarded by l.mu; nil once a byte came

	spoke, refused atomic.Bool
	busy           atomic.Bool  // a request is being answered, or the connection was taken over
	since          atomic.Int64 // in ns: when it was opened, or its last answer was out
	read           atomic.Int64 // bytes since then
	held           atomic.Pointer[func()]
}

// age is how long ago the connection was opened, or its last answer was out.
func (c *conn) age() time.Duration { return time.Since(time.Unix(0, c.since.Load())) }

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.read.Store(c.read.Load() + int64(n)) // one goroutine reads at a time
		if !c.spoke.Load() {
			c.speak()
		}
	}
	return n, err
}

func (c *conn) speak() {
	c.spoke.Store(true)
	c.l.mu.Lock()
	defer c.l.mu.Unlock()
	c.l.heard(c)
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.l.mu.Lock()
	c.l.forget(c)
	c.l.mu.Unlock()
	c.letGo()
	if c.refused.Load() {
		drain(c.Conn)
	}
	return c.Conn.Close()
}

// hold has release called when the answer is out or the connection closed.
func (c *conn) hold(release func()) {
	if old := c.held.Swap(&release); old != nil {
		(*old)()
	}
}

func (c *conn) letGo() {
	if release := c.held.Swap(nil); release != nil {
		(*release)()
	}
}

// begin notes that a request was read and is being answered.
func (c *conn) begin() { c.busy.Store(true) }

// rest notes that an answer is out and the connection waits for another request.
func (c *conn) rest() {
	if c.held.Load() != nil {
		c.letGo()
	}
	c.since.Store(time.Now().UnixNano())
	c.read.Store(0)
	c.busy.Store(false)
}

// state follows a connection through its requests.
func state(nc net.Conn, s fasthttp.ConnState) {
	if s != fasthttp.StateIdle {
		return
	}
	if c := counted(nc); c != nil {
		c.rest()
	}
}

// stale reports that the connection keeps a place without using it.
func (c *conn) stale() bool {
	switch read := c.read.Load(); {
	case c.busy.Load():
		return false
	case read == 0:
		return c.age() > idleLong
	default:
		return c.age() > dripLong && read < dripBytes
	}
}

// evictStale lets the oldest of the stale connections go, some at once: those of
// one address, or of all when from is the zero prefix. The caller holds mu.
func (l *listener) evictStale(from netip.Prefix, away func(*conn)) bool {
	now := time.Now()
	if now.Sub(l.looked) < lookEvery {
		return false
	}
	var found []*conn
	for c := range l.open {
		if (c.from == from || from == netip.Prefix{}) && c.stale() {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		l.looked = now
		return false
	}
	slices.SortFunc(found, func(a, b *conn) int { return cmp.Compare(a.since.Load(), b.since.Load()) })
	for _, c := range found[:min(len(found), l.limits.total/staleShare+1)] {
		l.forget(c)
		away(c)
	}
	return true
}
