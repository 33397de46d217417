package daemon_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/sdk/api"
)

// proxied lets tests say in X-Forwarded-For where they come from.
func proxied(c *daemon.Config) { c.BehindProxy = true }

// from is connect from an address; the daemon must be proxied.
func (in *instance) from(t testing.TB, address, site string, hello api.ChatIn) *socket {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	conn, res, err := websocket.Dial(ctx, strings.Replace(in.URL, "http", "ws", 1)+"/svc-api/widget/ws?site="+site, &websocket.DialOptions{
		Subprotocols: []string{api.ChatProtocol}, HTTPHeader: http.Header{"Origin": {in.URL}, "X-Forwarded-For": {address}},
	})
	if err != nil {
		t.Fatalf("%v %v", err, res)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	s := &socket{t: t, conn: conn}
	hello.T = "hello"
	s.write(hello)
	return s
}

// rawSocket is a websocket whose client obeys no rule.
type rawSocket struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// raw opens the widget's websocket with bytes on a TCP connection that keeps
// little of what it does not read; the daemon must be proxied.
func (in *instance) raw(t *testing.T, address, site string) *rawSocket {
	t.Helper()
	conn, err := net.Dial("tcp", in.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	s := &rawSocket{t: t, conn: conn, in: bufio.NewReader(conn)}
	s.send([]byte(fmt.Sprintf("GET /svc-api/widget/ws?site=%s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nX-Forwarded-For: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Protocol: %s\r\n\r\n", site, in.Addr, in.URL, address, api.ChatProtocol)))
	res, err := http.ReadResponse(s.in, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v %v", res, err)
	}
	_ = res.Body.Close()
	return s
}

// send writes bytes; a connection that is closed already takes none.
func (s *rawSocket) send(all ...[]byte) {
	w := bufio.NewWriter(s.conn)
	for _, b := range all {
		if _, err := w.Write(b); err != nil {
			return
		}
	}
	_ = w.Flush()
}

// closedAfter sends frames and returns the code that the connection is closed
// with, -1 for none.
func (s *rawSocket) closedAfter(frames ...[]byte) websocket.StatusCode {
	s.send(frames...)
	return s.readsUntilClosed()
}

// readsUntilClosed reads the daemon's frames up to its close. A connection that
// stays open fails the test.
func (s *rawSocket) readsUntilClosed() websocket.StatusCode {
	s.t.Helper()
	defer s.conn.Close()
	for {
		opcode, payload, err := s.next()
		switch {
		case err != nil:
			if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
				s.t.Error("the connection stays open")
			}
			return -1
		case opcode == 8 && len(payload) >= 2:
			return websocket.StatusCode(binary.BigEndian.Uint16(payload))
		}
	}
}

// isCutOff waits, without reading, until the daemon has closed the connection:
// what is written is refused then.
func (s *rawSocket) isCutOff() {
	s.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-tick.C {
		if _, err := s.conn.Write(frame(0x8a, nil)); err != nil {
			return
		}
	}
	s.t.Error("the connection stays open")
}

func (s *rawSocket) next() (opcode byte, payload []byte, err error) {
	var head [2]byte
	if _, err := io.ReadFull(s.in, head[:]); err != nil {
		return 0, nil, err
	}
	length := uint64(head[1] & 0x7f)
	switch length {
	case 126:
		var b [2]byte
		_, err = io.ReadFull(s.in, b[:])
		length = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		var b [8]byte
		_, err = io.ReadFull(s.in, b[:])
		length = binary.BigEndian.Uint64(b[:])
	}
	if err != nil {
		return 0, nil, err
	}
	payload = make([]byte, length)
	_, err = io.ReadFull(s.in, payload)
	return head[0] & 0xf, payload, err
}

// frame is one frame of a client (RFC 6455, 5.2), under a mask of zeros. first is
// its first byte: FIN, the reserved bits, the opcode.
func frame(first byte, payload []byte) []byte {
	b := []byte{first}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	return append(append(b, 0, 0, 0, 0), payload...)
}
