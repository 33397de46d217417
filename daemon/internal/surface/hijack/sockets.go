package hijack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"runtime/debug"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/netaddr"
	"edgesvc.dev/svc/daemon/internal/pace"
)

const (
	// pingEvery keeps a connection known to the proxies on its way, and finds
	// those whose other end is gone.
	pingEvery = 25 * time.Second
	// pongWithin is how long the other end may take to answer.
	pongWithin = 20 * time.Second
	// pingSlices spread the pings over their interval.
	pingSlices = 25

	handshakeEvery = 200 * time.Millisecond
	// maxNetworks bounds the networks whose handshakes are counted.
	maxNetworks = 1 << 14
)

// SocketLimits cap the open websockets, of all and of one network, and the
// handshakes that a network may make at once; 0 means 20,000, 50 and 100. After
// those, a network may make one more in each handshakeEvery.
type SocketLimits struct {
	Total      int
	PerNetwork int
	Handshakes int
}

// Sockets knows the websockets that are open. Close is owed.
type Sockets struct {
	log    *slog.Logger
	limits SocketLimits

	handshakes *pace.Limiter[netip.Prefix]

	base   context.Context // the parent of every connection's context
	cancel context.CancelFunc

	mu      sync.Mutex // guards what follows, and the groups' Go against Close
	closed  bool
	count   int
	by      map[netip.Prefix]int // connections by network
	open    map[*socket]struct{}
	slice   int            // of the next socket's pings
	serving conc.WaitGroup // one for each connection
	upkeep  conc.WaitGroup // the ticker and the pings under way
}

// socket is one open connection.
type socket struct {
	conn    *websocket.Conn
	raw     net.Conn
	slice   int
	pinging bool // guarded by Sockets.mu
}

// OpenSockets returns an empty registry, whose one ticker pings.
func OpenSockets(log *slog.Logger, limits SocketLimits) *Sockets {
	if limits.Total == 0 {
		limits.Total = 20_000
	}
	if limits.PerNetwork == 0 {
		limits.PerNetwork = 50
	}
	if limits.Handshakes == 0 {
		limits.Handshakes = 100
	}
	s := &Sockets{log: log, handshakes: pace.New[netip.Prefix](limits.Handshakes, handshakeEvery, maxNetworks), limits: limits, by: map[netip.Prefix]int{}, open: map[*socket]struct{}{}}
	s.base, s.cancel = context.WithCancel(context.Background())
	s.upkeep.Go(s.pingAll)
	return s
}

// Len is how many connections are open.
func (s *Sockets) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

var (
	errClosed = errors.New("no new websockets")
	errFull   = errors.New("too many websockets")
)

// enter counts a connection that is about to be made; leave is owed without an
// error.
func (s *Sockets) enter(address string) (leave func(), err error) {
	from := netaddr.Network(address)
	if s.handshakes.Take(from).Wait > 0 {
		return nil, errFull
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, errClosed
	case s.count >= s.limits.Total || s.by[from] >= s.limits.PerNetwork:
		return nil, errFull
	}
	s.count++
	s.by[from]++
	return func() { s.leave(from) }, nil
}

func (s *Sockets) leave(from netip.Prefix) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count--
	if s.by[from]--; s.by[from] == 0 {
		delete(s.by, from)
	}
}

// adopt serves a connection in a goroutine of its own, so that fasthttp's large
// one ends.
func (s *Sockets) adopt(c *websocket.Conn, raw net.Conn, leave func(), serve func(context.Context, *websocket.Conn)) {
	v := &socket{conn: c, raw: raw}
	if !s.start(v, func() {
		defer s.recovered()
		defer leave()
		defer s.forget(v)
		defer func() { _ = c.CloseNow() }()
		serve(s.base, c)
	}) {
		leave()
		_ = c.CloseNow()
	}
}

// start runs f for a connection that is now open, unless Close came first.
func (s *Sockets) start(v *socket, f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	v.slice = s.slice
	s.slice = (s.slice + 1) % pingSlices
	s.open[v] = struct{}{}
	s.serving.Go(f)
	return true
}

func (s *Sockets) forget(v *socket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, v)
}

// recovered keeps a panic on one connection from ending the process.
func (s *Sockets) recovered() {
	if p := recover(); p != nil {
		s.log.Error("panic on a websocket", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
}

func (s *Sockets) pingAll() {
	tick := time.NewTicker(pingEvery / pingSlices)
	defer tick.Stop()
	for i := 0; ; i = (i + 1) % pingSlices {
		select {
		case <-s.base.Done():
			return
		case <-tick.C:
			s.pingSlice(i)
		}
	}
}

// pingSlice starts the pings of one slice. A connection whose last one is not
// answered yet is left alone.
func (s *Sockets) pingSlice(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	for v := range s.open {
		if v.slice == i && !v.pinging {
			v.pinging = true
			s.upkeep.Go(func() { s.ping(v) })
		}
	}
}

func (s *Sockets) ping(v *socket) {
	defer s.recovered()
	ctx, cancel := context.WithTimeout(s.base, pongWithin)
	defer cancel()
	if err := v.conn.Ping(ctx); err != nil {
		_ = v.conn.CloseNow()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v.pinging = false
}

// Close lets no new connection in, says goodbye on all with code, and waits
// until their handlers have returned. When ctx ends first it cuts them off and
// reports that it had to.
func (s *Sockets) Close(ctx context.Context, code websocket.StatusCode, reason string) error {
	s.mu.Lock()
	s.closed = true
	var leaving conc.WaitGroup
	for v := range s.open {
		leaving.Go(func() { _ = v.conn.Close(code, reason) })
	}
	s.mu.Unlock()

	ended := make(chan struct{})
	leaving.Go(func() {
		defer close(ended)
		s.serving.Wait()
		s.cancel()
		s.upkeep.Wait()
	})
	defer leaving.Wait()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		s.cancel()
		s.cut()
		return fmt.Errorf("wait for websockets: %w", context.Cause(ctx))
	}
}

func (s *Sockets) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for v := range s.open {
		// Not CloseNow: it waits for a goodbye that is under way.
		_ = v.raw.Close()
	}
}
