package guard

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"
)

// scripted is a listener that fails as it is told, then accepts.
type scripted struct {
	net.Listener
	errs []error
}

func (l *scripted) Accept() (net.Conn, error) {
	if len(l.errs) > 0 {
		err := l.errs[0]
		l.errs = l.errs[1:]
		return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", err)}
	}
	return l.Listener.Accept()
}

func listen(t *testing.T, total int, errs ...error) (*listener, *scripted) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{ln, errs}
	l := newListener(s, limits{total: total, perAddress: 2 * total, grace: graceLeast}, true, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = l.Close() })
	return l, s
}

// connect dials and accepts.
func connect(t *testing.T, l *listener) (client net.Conn, server *conn) {
	t.Helper()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	_ = client.SetDeadline(time.Now().Add(20 * time.Second)) // it only ends a test that hangs
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return client, c.(*conn)
}

func TestAcceptGoesOn(t *testing.T) {
	for _, passing := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		l, _ := listen(t, 10, passing, passing, passing)
		connect(t, l)
	}
	l, _ := listen(t, 10, syscall.EINVAL)
	if _, err := l.Accept(); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("an error that stays: %v", err)
	}
}

// TestShortageEvicts runs out of descriptors with one silent connection and one
// that has spoken.
func TestShortageEvicts(t *testing.T) {
	l, s := listen(t, 10)
	silent, _ := connect(t, l)
	_, busy := connect(t, l)
	busy.speak()
	s.errs = []error{syscall.EMFILE}
	connect(t, l)
	if _, err := silent.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the silent connection: %v", err)
	}
	if len(l.open) != 2 {
		t.Errorf("%d connections are open", len(l.open))
	}
}

// TestCloseEndsAShortage closes a listener that can accept nothing.
func TestCloseEndsAShortage(t *testing.T) {
	l, s := listen(t, 10)
	for range 1000 {
		s.errs = append(s.errs, syscall.EMFILE)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) || len(s.errs) < 990 {
		t.Errorf("accept: %v after %d attempts", err, 1000-len(s.errs))
	}
}

// TestStaleConnectionsGiveWay fills all places with connections that have
// spoken and asks for one more.
func TestStaleConnectionsGiveWay(t *testing.T) {
	ago := func(d time.Duration) int64 { return time.Now().Add(-d).UnixNano() }
	for name, row := range map[string]struct {
		make  func(*conn)
		yield bool
	}{
		"idle for a moment":    {func(c *conn) { c.rest(); c.since.Store(ago(-time.Hour)) }, false},
		"idle for longer":      {func(c *conn) { c.rest(); c.since.Store(ago(graceLeast)) }, true},
		"answering":            {func(c *conn) { c.begin(); c.since.Store(ago(time.Hour)) }, false},
		"beginning a request":  {func(c *conn) { c.read.Store(1); c.since.Store(ago(-time.Hour)) }, false},
		"dripping a request":   {func(c *conn) { c.read.Store(1); c.since.Store(ago(graceLeast)) }, true},
		"dripping a large one": {func(c *conn) { c.read.Store(16 << 10); c.since.Store(ago(time.Minute)) }, true},
		"uploading for longer": {func(c *conn) { c.read.Store(1 << 20); c.since.Store(ago(time.Minute)) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			l, _ := listen(t, 2)
			for range 2 {
				_, c := connect(t, l)
				c.speak()
				row.make(c)
			}
			raw, other := net.Pipe()
			t.Cleanup(func() { _, _ = raw.Close(), other.Close() })
			admitted := l.admit(raw) != nil
			if admitted != row.yield {
				t.Errorf("admitted: %v", admitted)
			}
			l.settle()
		})
	}
}

// TestNetworksThatOwe: of two connections that let the server wait for as long,
// the one whose network has kept a place before for nothing goes. Behind a proxy,
// where all have one address, none owes.
func TestNetworksThatOwe(t *testing.T) {
	for name, row := range map[string]struct {
		perAddress int
		before     func(*conn) // the owner's earlier connection, before it has to go
		owes       bool
	}{
		"silent":             {10, func(*conn) {}, true},
		"dripped":            {10, func(c *conn) { c.speak(); c.read.Store(1) }, true},
		"was answered":       {10, func(c *conn) { c.speak(); c.rest() }, false},
		"silent at a proxy":  {-1, func(*conn) {}, false},
		"dripped at a proxy": {-1, func(c *conn) { c.speak(); c.read.Store(1) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			l, _ := listen(t, 1)
			l.limits.perAddress = row.perAddress
			_, before := connect(t, l)
			row.before(before)
			before.since.Store(time.Now().Add(-time.Minute).UnixNano())
			_, c := connect(t, l) // in its place
			c.speak()
			c.read.Store(1)
			c.since.Store(time.Now().Add(-(patience + graceLeast) / 2).UnixNano())
			if owes := l.spare(c); owes != row.owes {
				t.Errorf("owes: %v", owes)
			}
			c.from = netip.MustParsePrefix("203.0.113.1/32")
			if l.spare(c) {
				t.Error("another network owes")
			}
			c.from = before.from
		})
	}
}

// TestPauseIsNotPartOfARequest: a client that waits before its request has the
// whole time for it.
func TestPauseIsNotPartOfARequest(t *testing.T) {
	l, _ := listen(t, 1)
	client, c := connect(t, l)
	c.since.Store(time.Now().Add(-time.Minute).UnixNano())
	if _, err := client.Write([]byte("G")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err != nil || c.age() > 30*time.Second {
		t.Errorf("%v after %v", c.age(), err)
	}
}

// TestClosingClearsWhatIsNotUsed: when the server stops, it waits for requests
// that are being answered or arrive, and for nothing else.
func TestClosingClearsWhatIsNotUsed(t *testing.T) {
	long := time.Now().Add(-time.Minute).UnixNano()
	for name, row := range map[string]struct {
		make           func(*conn)
		stays, arrives bool
	}{
		"silent":               {func(*conn) {}, false, false},
		"idle for a moment":    {func(c *conn) { c.speak(); c.rest() }, false, false},
		"answering":            {func(c *conn) { c.speak(); c.begin() }, true, false},
		"beginning a request":  {func(c *conn) { c.speak(); c.read.Store(1) }, true, true},
		"dripping a request":   {func(c *conn) { c.speak(); c.read.Store(1); c.since.Store(long) }, false, false},
		"uploading for longer": {func(c *conn) { c.speak(); c.read.Store(1 << 20); c.since.Store(long) }, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			l, _ := listen(t, 2)
			client, c := connect(t, l)
			row.make(c)
			if arrives := l.clear(); arrives != row.arrives || len(l.open) == 1 != row.stays {
				t.Errorf("arrives: %v, stays: %v", arrives, len(l.open) == 1)
			}
			if !row.stays {
				if _, err := client.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
					t.Errorf("the client's end: %v", err)
				}
			}
			_ = c.Close()
		})
	}
	l, _ := listen(t, 2)
	client, _ := connect(t, l)
	if _, err := client.Write([]byte("G")); err != nil {
		t.Fatal(err)
	}
	if !l.clear() {
		t.Error("a request whose first byte was not read yet counts for none")
	}
}

func TestGrace(t *testing.T) {
	for total, want := range map[int]time.Duration{16: graceLeast, 100: 400 * time.Millisecond, 20_000: graceMost} {
		if got := limitsOf(&Options{MaxConns: total}).grace; got != want {
			t.Errorf("%d places: %v, want %v", total, got, want)
		}
	}
}

func TestMaxConns(t *testing.T) {
	for _, row := range []struct {
		files, want int
	}{{0, 20_000}, {40, 0}, {64, 24}, {1024, 864}, {20_000, 19_488}, {1 << 20, 20_000}} {
		if got := MaxConns(row.files); got != row.want {
			t.Errorf("%d files: %d, want %d", row.files, got, row.want)
		}
	}
}
