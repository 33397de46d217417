package hijack_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/surface/hijack"
)

// sockets is a registry behind a real fasthttp listener.
type sockets struct {
	*hijack.Sockets
	url string
}

func serveSockets(t *testing.T, limits hijack.SocketLimits, serve func(context.Context, *websocket.Conn)) *sockets {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &sockets{hijack.OpenSockets(slog.New(slog.NewTextHandler(io.Discard, nil)), limits), "ws://" + ln.Addr().String()}
	server := &fasthttp.Server{KeepHijackedConns: true, CloseOnShutdown: true, ReadTimeout: 5 * time.Second, Handler: func(ctx *fasthttp.RequestCtx) {
		s.Upgrade(ctx, strings.TrimPrefix(string(ctx.Path()), "/"), "test.v1", serve)
	}}
	var serving conc.WaitGroup
	serving.Go(func() {
		if err := server.Serve(ln); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := errors.Join(s.Close(ctx, websocket.StatusGoingAway, ""), server.ShutdownWithContext(ctx)); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		serving.Wait()
	})
	return s
}

func (s *sockets) dial(t *testing.T, path string) (*websocket.Conn, int) {
	t.Helper()
	c, resp, err := websocket.Dial(t.Context(), s.url+path, &websocket.DialOptions{Subprotocols: []string{"test.v1"}})
	if err != nil {
		if resp == nil {
			t.Fatal(err)
		}
		return nil, resp.StatusCode
	}
	t.Cleanup(func() { _ = c.CloseNow() })
	return c, resp.StatusCode
}

func echoAll(ctx context.Context, c *websocket.Conn) {
	for {
		kind, b, err := c.Read(ctx)
		if err != nil || c.Write(ctx, kind, b) != nil {
			return
		}
	}
}

func (s *sockets) say(t *testing.T, c *websocket.Conn, text string) {
	t.Helper()
	if err := c.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
	if _, b, err := c.Read(t.Context()); err != nil || string(b) != text {
		t.Fatalf("%.40q %v", b, err)
	}
}

func TestSocketEchoes(t *testing.T) {
	s := serveSockets(t, hijack.SocketLimits{}, echoAll)
	c, _ := s.dial(t, "/192.0.2.1")
	if c.Subprotocol() != "test.v1" {
		t.Errorf("subprotocol %q", c.Subprotocol())
	}
	s.say(t, c, "hi")
	s.say(t, c, strings.Repeat("long ", 5000))
}

// A frame that comes in the same packet as the handshake is not lost.
func TestSocketKeepsEarlyBytes(t *testing.T) {
	s := serveSockets(t, hijack.SocketLimits{}, echoAll)
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "ws://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	handshake := "GET /a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
	if _, err := c.Write([]byte(handshake + "\x81\x82\x00\x00\x00\x00hi")); err != nil {
		t.Fatal(err)
	}
	var got []byte
	var b [1024]byte
	for !strings.HasSuffix(string(got), "\x81\x02hi") {
		n, err := c.Read(b[:])
		if got = append(got, b[:n]...); err != nil {
			t.Fatalf("%v after %q", err, got)
		}
	}
	if !strings.HasPrefix(string(got), "HTTP/1.1 101 ") {
		t.Errorf("%q", got)
	}
}

func TestSocketHandshakeRefused(t *testing.T) {
	s := serveSockets(t, hijack.SocketLimits{Total: 1}, echoAll)
	resp, err := http.Get("http" + strings.TrimPrefix(s.url, "ws") + "/192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUpgradeRequired {
		t.Errorf("a plain GET: %d", resp.StatusCode)
	}
	c, _ := s.dial(t, "/192.0.2.1") // the refused one is not counted
	s.say(t, c, "hi")
}

// TestHandshakes: closing each socket at once is no way to make them without end.
func TestHandshakes(t *testing.T) {
	s := serveSockets(t, hijack.SocketLimits{Handshakes: 3}, echoAll)
	for i, want := range []int{101, 101, 101, 429} {
		c, status := s.dial(t, fmt.Sprintf("/2001:db8::%d", i))
		if status != want {
			t.Errorf("handshake %d of a network: %d", i, status)
		}
		if c != nil {
			_ = c.CloseNow()
		}
	}
	if _, status := s.dial(t, "/2001:db8:0:1::1"); status != 101 {
		t.Errorf("another network: %d", status)
	}
}

func TestSocketCaps(t *testing.T) {
	s := serveSockets(t, hijack.SocketLimits{Total: 3, PerNetwork: 2}, echoAll)
	first, _ := s.dial(t, "/192.0.2.1")
	s.dial(t, "/192.0.2.1")
	if _, status := s.dial(t, "/192.0.2.1"); status != http.StatusTooManyRequests {
		t.Errorf("third of an address: %d", status)
	}
	s.dial(t, "/192.0.2.2")
	if _, status := s.dial(t, "/192.0.2.3"); status != http.StatusTooManyRequests {
		t.Errorf("fourth of all: %d", status)
	}
	if err := first.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Fatal(err)
	}
	for s.Len() > 2 { // the server's side ends after ours
		time.Sleep(time.Millisecond)
	}
	for status := 0; status != http.StatusSwitchingProtocols; {
		_, status = s.dial(t, "/192.0.2.1")
	}
}

func TestSocketPanicIsOneConnections(t *testing.T) {
	s := serveSockets(t, hijack.SocketLimits{}, func(ctx context.Context, c *websocket.Conn) {
		if _, b, _ := c.Read(ctx); string(b) == "panic" {
			panic("on purpose")
		}
		echoAll(ctx, c)
	})
	good, _ := s.dial(t, "/192.0.2.1")
	bad, _ := s.dial(t, "/192.0.2.1")
	_ = bad.Write(t.Context(), websocket.MessageText, []byte("panic"))
	if _, _, err := bad.Read(t.Context()); err == nil {
		t.Error("the connection stays open")
	}
	_ = good.Write(t.Context(), websocket.MessageText, []byte("first"))
	s.say(t, good, "hi")
}

func TestCloseSaysGoodbye(t *testing.T) {
	s := serveSockets(t, hijack.SocketLimits{}, echoAll)
	var readers conc.WaitGroup
	for range 20 {
		c, _ := s.dial(t, "/192.0.2.1")
		s.say(t, c, "hi")
		readers.Go(func() {
			if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusServiceRestart {
				t.Errorf("closed with %v", err)
			}
		})
	}
	if err := s.Close(t.Context(), websocket.StatusServiceRestart, "restart"); err != nil {
		t.Error(err)
	}
	readers.Wait()
	if s.Len() != 0 {
		t.Errorf("%d are open", s.Len())
	}
	if _, status := s.dial(t, "/192.0.2.1"); status != http.StatusServiceUnavailable {
		t.Errorf("after Close: %d", status)
	}
}

// Somebody who does not answer the goodbye does not hold the stop up.
func TestCloseCutsTheSilentOff(t *testing.T) {
	s := serveSockets(t, hijack.SocketLimits{}, echoAll)
	s.dial(t, "/192.0.2.1") // nobody reads, so that nobody answers
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Close(ctx, websocket.StatusGoingAway, ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if s.Len() != 0 {
		t.Errorf("%d are open", s.Len())
	}
}
