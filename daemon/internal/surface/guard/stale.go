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
	// unless dripRate bytes a second come, as of a slow upload and not of a client
	// that keeps the server waiting.
	dripLong = 2 * time.Second
	dripRate = 8 << 10
	// staleShare of the cap is how many are let go at once, so that looking
	// through all of them is rare; lookShare of the grace bounds it when none was
	// found.
	staleShare = 16
	lookShare  = 20

	// owesFor is how long a network has less patience shown to it after its
	// connection was let go for want of places before a request of it was there.
	// maxOwing bounds the networks that are remembered.
	owesFor  = 10 * time.Second
	maxOwing = 1 << 14
)

// conn is a counted connection.
type conn struct {
	net.Conn
	l    *listener
	from netip.Prefix

	silent, silentHere *list.Element // guarded by l.mu; nil once a byte came

	spoke, refused atomic.Bool
	busy           atomic.Bool  // a request is being answered, or the connection was taken over
	since          atomic.Int64 // in ns: when it was opened, its last answer was out, or its request began
	read           atomic.Int64 // bytes of the request
	held           atomic.Pointer[func()]
}

// age is for how long the connection has waited for a request, or received one.
func (c *conn) age() time.Duration { return time.Since(time.Unix(0, c.since.Load())) }

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		before := c.read.Load() // one goroutine reads at a time
		if before == 0 {
			c.since.Store(time.Now().UnixNano())
		}
		c.read.Store(before + int64(n))
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

// stale reports that the connection has kept a place for long without using it.
func (c *conn) stale() bool { return c.wastes(idleLong, dripLong) }

// wastes reports that the connection has waited for longer than idle for a
// request, or for longer than drip for one that hardly arrives.
func (c *conn) wastes(idle, drip time.Duration) bool {
	age, read := c.age(), c.read.Load()
	switch {
	case c.busy.Load():
		return false
	case read == 0:
		return age > idle
	default:
		return age > drip && read < int64(age.Seconds()*dripRate)
	}
}

// spare reports that the connection may go when all places are taken. The
// network of one that had to go before has shown that it may be in no hurry.
func (l *listener) spare(c *conn) bool {
	grace := l.limits.grace
	if l.owing.Spent(c.from) {
		grace = patience
	}
	return c.wastes(grace, grace)
}

// owe notes that a connection has to go before a request of it was there. Behind
// a proxy all come from one address, which says nothing.
func (l *listener) owe(c *conn) {
	if l.limits.perAddress > 0 && (c.silent != nil || c.read.Load() > 0) {
		l.owing.Take(c.from)
	}
}

// evictStale lets the oldest of the stale connections of one address go, or of
// the spare ones of all when from is the zero prefix, some at once. The caller
// holds mu.
func (l *listener) evictStale(from netip.Prefix, away func(*conn)) bool {
	all := from == netip.Prefix{}
	now := time.Now()
	if now.Sub(l.looked) < l.limits.grace/lookShare {
		return false
	}
	var found []*conn
	l.hope = false
	for c := range l.open {
		if !c.busy.Load() {
			l.hope = true
		}
		if all && l.spare(c) || c.from == from && c.stale() {
			found = append(found, c)
		}
	}
	if len(found) == 0 {
		l.looked = now
		return false
	}
	slices.SortFunc(found, func(a, b *conn) int { return cmp.Compare(a.since.Load(), b.since.Load()) })
	for _, c := range found[:min(len(found), l.limits.total/staleShare+1)] {
		if all {
			l.owe(c)
		}
		l.forget(c)
		away(c)
	}
	return true
}
