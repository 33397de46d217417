package guard_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/budget"
	"edgesvc.dev/svc/daemon/internal/surface/guard"
)

func TestBodyLimit(t *testing.T) {
	addr := start(t, guard.Options{BodyLimit: func(h *fasthttp.RequestHeader) int {
		if string(h.RequestURI()) == "/large" && len(h.Peek("Authorization")) > 0 {
			return 1 << 20
		}
		return guard.SmallBody
	}, Holder: func(h *fasthttp.RequestHeader) string {
		if string(h.Peek("Authorization")) == "Bearer known" {
			return "team"
		}
		return ""
	}})
	for _, row := range []struct {
		name, head string
		size       int
		status     int
	}{
		{"small limit met", "POST /small HTTP/1.1\r\n", guard.SmallBody, 200},
		{"small limit passed", "POST /small HTTP/1.1\r\n", guard.SmallBody + 1, 413},
		{"route alone is not enough", "POST /large HTTP/1.1\r\n", 1 << 20, 413},
		{"large limit met", "POST /large HTTP/1.1\r\nAuthorization: Bearer known\r\n", 1 << 20, 200},
		{"large limit of a stranger", "POST /large HTTP/1.1\r\nAuthorization: Bearer invented\r\n", guard.SmallBody + 1, 413},
		{"small body of a stranger", "POST /large HTTP/1.1\r\nAuthorization: Bearer invented\r\n", guard.SmallBody, 200},
		{"large limit passed", "POST /large HTTP/1.1\r\nAuthorization: Bearer known\r\n", 1<<20 + 1, 413},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := strings.Repeat("x", row.size)
			head := row.head + "Host: a\r\nConnection: close\r\n"
			sized := fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, row.size, body)
			wantOne(t, exchange(t, addr, []byte(sized)), row.status)
			chunked := fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", head, row.size, body)
			wantOne(t, exchange(t, addr, []byte(chunked)), row.status)
		})
	}
}

// eventually waits until the budget has so much in use.
func eventually(t *testing.T, b *budget.Budget, inUse int64) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); b.InUse() != inUse; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are in use, not %d", b.InUse(), inUse)
		}
	}
}

// TestBodiesInFlight: large bodies of all clients together are bounded, while they
// arrive and until they were answered.
func TestBodiesInFlight(t *testing.T) {
	const size = 1 << 20
	b := budget.New(size * 3 / 2)
	addr := start(t, guard.Options{
		Budget: b, BodyLimit: func(*fasthttp.RequestHeader) int { return size },
		Holder: func(h *fasthttp.RequestHeader) string { return string(h.Peek("Authorization")) },
	})
	head := func(holder string) string {
		return fmt.Sprintf("POST /p HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: %s\r\nContent-Length: %d\r\n\r\n", holder, size)
	}
	first := dial(t, addr)
	fmt.Fprint(first, head("one"))
	eventually(t, b, size)
	refused := exchange(t, addr, []byte(head("two")))
	wantOne(t, refused, 503)
	wantProblem(t, refused, 503)
	wantOne(t, exchange(t, addr, []byte(strings.Replace(head("two"), "Content-Length", "Expect: 100-continue\r\nContent-Length", 1))), 503)
	wantOne(t, exchange(t, addr, []byte("POST /p HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nsmall")), 200)
	fmt.Fprint(first, strings.Repeat("x", size))
	if out, err := io.ReadAll(first); err != nil || !strings.HasPrefix(string(out), "HTTP/1.1 200 ") {
		t.Fatalf("%.100q, %v", out, err)
	}
	eventually(t, b, 0)
	wantOne(t, exchange(t, addr, []byte(head("two")+strings.Repeat("x", size))), 200)
	gone := dial(t, addr)
	fmt.Fprint(gone, head("three"))
	eventually(t, b, size)
	_ = gone.Close()
	eventually(t, b, 0)
}

// TestAnswersInFlight: so are large answers that were made for one client, until
// it has read them. One that tells what was done is sent all the same.
func TestAnswersInFlight(t *testing.T) {
	const size = 16 << 20 // more than the system takes of it
	b := budget.New(size * 3 / 2)
	addr := start(t, guard.Options{
		Budget: b, Own: func(ctx *fasthttp.RequestCtx) bool { return string(ctx.Path()) == "/own" },
		Handler: func(ctx *fasthttp.RequestCtx) { ctx.SetBody(make([]byte, size)) },
	})
	ask := func(what string) (c net.Conn) {
		c = dial(t, addr)
		fmt.Fprint(c, what+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		return c
	}
	slow := ask("GET /own")
	eventually(t, b, size)
	wantOne(t, exchange(t, addr, []byte("GET /own HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")), 503)
	shared := ask("GET /shared")
	done := ask("POST /own")
	eventually(t, b, 2*size)
	for _, c := range []net.Conn{slow, shared, done} {
		if n, err := io.Copy(io.Discard, c); err != nil || n < size {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
	eventually(t, b, 0)
	gone := ask("GET /own")
	eventually(t, b, size)
	_ = gone.Close()
	eventually(t, b, 0)
}

// TestRefusalComesBeforeTheBody announces bodies and never sends them.
func TestRefusalComesBeforeTheBody(t *testing.T) {
	addr := start(t, guard.Options{})
	const post = "POST /p HTTP/1.1\r\nHost: a\r\n"
	for name, row := range map[string]struct {
		raw    string
		status int
	}{
		"too large":             {post + "Content-Length: 4000000\r\n\r\n", 413},
		"encoded":               {post + "Content-Encoding: br\r\nContent-Length: 5000\r\n\r\n", 415},
		"malformed":             {post + "Host: b\r\nContent-Length: 5000\r\n\r\n", 400},
		"path":                  {"POST /a/../b HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n", 400},
		"too large, expecting":  {post + "Expect: 100-continue\r\nContent-Length: 4000000\r\n\r\n", 413},
		"encoded, expecting":    {post + "Expect: 100-continue\r\nContent-Encoding: gzip\r\nContent-Length: 50\r\n\r\n", 415},
		"smuggling, expecting":  {post + "Expect: 100-continue\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
		"header block too long": {post + "X: " + strings.Repeat("a", 64<<10), 431},
	} {
		t.Run(name, func(t *testing.T) {
			a := exchange(t, addr, []byte(row.raw))
			wantOne(t, a, row.status)
			wantProblem(t, a, row.status)
		})
	}
}

func wantProblem(t *testing.T, a answer, status int) {
	t.Helper()
	head, body, _ := strings.Cut(string(a.raw), "\r\n\r\n")
	if !strings.Contains(head, "Content-Type: application/problem+json") {
		t.Errorf("not a problem document:\n%s", head)
	}
	var p struct {
		Status                       int
		Type, Title, Code, RequestID string
	}
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatalf("%v in %q", err, body)
	}
	if p.Status != status || p.Code == "" || p.Title == "" || p.Type == "" {
		t.Errorf("problem %+v", p)
	}
	if !strings.Contains(head, "X-Request-Id: "+p.RequestID) {
		t.Errorf("request id %q is not the header's:\n%s", p.RequestID, head)
	}
}

func TestExpectContinue(t *testing.T) {
	addr := start(t, guard.Options{})
	c := dial(t, addr)
	fmt.Fprint(c, "POST /p HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
	interim := make([]byte, len("HTTP/1.1 100 Continue\r\n\r\n"))
	if _, err := io.ReadFull(c, interim); err != nil || !strings.HasPrefix(string(interim), "HTTP/1.1 100") {
		t.Fatalf("%q, %v", interim, err)
	}
	fmt.Fprint(c, "hello")
	rest, err := io.ReadAll(c)
	if err != nil || !strings.Contains(string(rest), "with 5 bytes") {
		t.Fatalf("%q, %v", rest, err)
	}
}

// TestSlowBodies is the slow-body attack (case H18) with every time scaled
// down: each connection sends a byte now and then, and only the server's own
// read deadline can end it. Another client is served meanwhile.
func TestSlowBodies(t *testing.T) {
	const slow = 50
	addr := start(t, guard.Options{ReadTimeout: 300 * time.Millisecond})
	var attack conc.WaitGroup
	answers := make(chan string, slow)
	for range slow {
		c := dial(t, addr)
		attack.Go(func() {
			fmt.Fprint(c, "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 8192\r\n\r\n")
			var drip conc.WaitGroup
			drip.Go(func() {
				for range time.Tick(20 * time.Millisecond) {
					if _, err := c.Write([]byte("x")); err != nil {
						return
					}
				}
			})
			out, _ := io.ReadAll(c)
			_ = c.Close()
			drip.Wait()
			answers <- string(out)
		})
	}
	for range 20 {
		wantOne(t, exchange(t, addr, []byte("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")), 200)
	}
	attack.Wait()
	for range slow {
		if out := <-answers; !strings.HasPrefix(out, "HTTP/1.1 408 ") {
			t.Errorf("a slow connection got %q", out)
		}
	}
}

func TestSlowHeaderIsCut(t *testing.T) {
	addr := start(t, guard.Options{ReadTimeout: 100 * time.Millisecond})
	wantOne(t, exchange(t, addr, []byte("GET / HTTP/1.1\r\nHost: a\r\nX: ")), 408)
}

// TestIdleFlood is the connection flood (case H20), scaled down: idle
// connections of one address beyond its cap are answered and closed, oldest
// first, so that a client behind the same address still gets in.
func TestIdleFlood(t *testing.T) {
	const limit, flood = 20, 100
	addr := start(t, guard.Options{MaxConnsPerAddress: limit})
	idle := make([]net.Conn, flood)
	for i := range idle {
		idle[i] = dial(t, addr)
	}
	for range 10 {
		wantOne(t, exchange(t, addr, []byte("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")), 200)
	}
	for i, c := range idle[:flood-limit] {
		out, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(out), "HTTP/1.1 429 ") || !strings.Contains(string(out), "Retry-After: ") {
			t.Fatalf("idle connection %d got %q, %v", i, out, err)
		}
		wantProblemBody(t, out)
	}
	fmt.Fprint(idle[flood-1], "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	out, err := io.ReadAll(idle[flood-1])
	if err != nil || !strings.HasPrefix(string(out), "HTTP/1.1 200 ") {
		t.Fatalf("the newest idle connection got %q, %v", out, err)
	}
}

func wantProblemBody(t *testing.T, out []byte) {
	t.Helper()
	_, body, _ := strings.Cut(string(out), "\r\n\r\n")
	var p struct{ Code string }
	if err := json.Unmarshal([]byte(body), &p); err != nil || p.Code == "" {
		t.Fatalf("body %q, %v", body, err)
	}
}

// TestBusyConnectionsAreNotEvicted fills an address with connections that
// have spoken: the new one is refused, the old ones go on, and a place that
// is given up can be taken.
func TestBusyConnectionsAreNotEvicted(t *testing.T) {
	const limit = 3
	addr := start(t, guard.Options{MaxConnsPerAddress: limit})
	busy := make([]net.Conn, limit)
	for i := range busy {
		busy[i] = dial(t, addr)
		speak(t, busy[i])
	}
	late := exchange(t, addr, []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
	wantOne(t, late, 429)
	if !strings.Contains(string(late.raw), "Retry-After: ") {
		t.Errorf("no Retry-After:\n%s", late.raw)
	}
	for _, c := range busy {
		speak(t, c)
	}
	fmt.Fprint(busy[0], "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if _, err := io.ReadAll(busy[0]); err != nil {
		t.Fatal(err)
	}
	speak(t, dial(t, addr))
}

// TestPlacesInUse has all places taken by requests that are being answered: a
// newcomer is refused, and each place is free when its answer is out, though the
// client would have kept it.
func TestPlacesInUse(t *testing.T) {
	const places = 3
	entered, proceed := make(chan struct{}, places), make(chan struct{})
	addr := start(t, guard.Options{MaxConns: places, MaxConnsPerAddress: 2 * places, Handler: func(ctx *fasthttp.RequestCtx) {
		if string(ctx.Path()) == "/long" {
			entered <- struct{}{}
			<-proceed
		}
		echo(ctx)
	}})
	busy := make([]net.Conn, places)
	for i := range busy {
		busy[i] = dial(t, addr)
		fmt.Fprint(busy[i], "GET /long HTTP/1.1\r\nHost: a\r\n\r\n")
		<-entered
	}
	late := exchange(t, addr, []byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
	wantOne(t, late, 503)
	if !strings.Contains(string(late.raw), "Retry-After: ") {
		t.Errorf("no Retry-After:\n%s", late.raw)
	}
	close(proceed)
	for _, c := range busy {
		out, err := io.ReadAll(c) // to the end: the server closes
		if err != nil || !strings.Contains(string(out), "Connection: close\r\n") || !strings.HasSuffix(string(out), "with 0 bytes") {
			t.Errorf("%q, %v", out, err)
		}
	}
	speak(t, dial(t, addr))
}

// answered has a request answered on a connection of its own. One that was let go
// because its client did not get its turn in time, which a busy machine is to
// blame for, is made again, as browsers do.
func answered(t *testing.T, addr string) {
	t.Helper()
	var a answer
	for range 3 {
		a = exchange(t, addr, []byte("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
		if slices.Equal(a.statuses(), []int{200}) {
			return
		}
	}
	wantOne(t, a, 200)
}

// crowded has so many clients each say something on a connection, and again on
// another when the server closes it, until the returned function is called.
func crowded(t *testing.T, addr string, clients int, say []byte) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var attack conc.WaitGroup
	for range clients {
		attack.Go(func() {
			for ctx.Err() == nil {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					continue
				}
				hangUp := context.AfterFunc(ctx, func() { _ = c.Close() })
				_, _ = c.Write(say)
				_, _ = io.Copy(io.Discard, c) // until the server closes it
				hangUp()
				_ = c.Close()
			}
		})
	}
	return func() {
		cancel()
		attack.Wait()
	}
}

// TestUnfinishedRequestsGiveWay has all places taken by connections that have
// sent something and let the server wait for the rest, each in its own way, and
// by a crowd that takes each place again that it loses. Whoever comes with a
// request is answered.
func TestUnfinishedRequestsGiveWay(t *testing.T) {
	const places, crowd = 8, 40
	const whole = "GET / HTTP/1.1\r\nHost: a\r\n"
	for name, sent := range map[string]string{
		"a byte":                 "G",
		"half a head":            whole + "X: ",
		"no body":                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n",
		"a request and no other": whole + "\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			addr := start(t, guard.Options{MaxConns: places, MaxConnsPerAddress: 2 * crowd})
			defer crowded(t, addr, crowd, []byte(sent))()
			for range 10 {
				answered(t, addr)
			}
		})
	}
}

// speak has one request answered and keeps the connection.
func speak(t *testing.T, c net.Conn) {
	t.Helper()
	fmt.Fprint(c, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
	var got strings.Builder
	for !strings.HasSuffix(got.String(), "with 0 bytes") {
		var b [1]byte
		if _, err := c.Read(b[:]); err != nil {
			t.Fatalf("after %q: %v", got.String(), err)
		}
		got.WriteByte(b[0])
	}
}

func TestTLS(t *testing.T) {
	borrowed := httptest.NewUnstartedServer(nil)
	borrowed.StartTLS()
	t.Cleanup(borrowed.Close)
	addr := start(t, guard.Options{
		TLS:     &tls.Config{Certificates: borrowed.TLS.Certificates, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}},
		Handler: func(ctx *fasthttp.RequestCtx) { fmt.Fprint(ctx, ctx.IsTLS()) },
	})
	client := borrowed.Client()
	t.Cleanup(client.CloseIdleConnections)
	resp, err := client.Get("https://" + addr + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "true" {
		t.Fatalf("%q, %v", b, err)
	}
	large, err := client.Post("https://"+addr+"/", "text/plain", strings.NewReader(strings.Repeat("x", 1<<20)))
	if err != nil {
		t.Fatal(err)
	}
	defer large.Body.Close()
	if large.StatusCode != http.StatusRequestEntityTooLarge {
		t.Fatal(large.Status)
	}
}

// clientHello is the first message of a TLS handshake.
func clientHello(t *testing.T) []byte {
	t.Helper()
	here, there := net.Pipe()
	var dialing conc.WaitGroup
	dialing.Go(func() {
		_ = tls.Client(here, &tls.Config{ServerName: "a", MinVersion: tls.VersionTLS12}).Handshake()
	})
	hello := make([]byte, 16<<10)
	n, err := there.Read(hello)
	if err != nil || n < 100 {
		t.Fatal(n, err)
	}
	_, _ = here.Close(), there.Close()
	dialing.Wait()
	return hello[:n]
}

// TestStalledHandshakes has clients begin a TLS handshake and not end it: each is
// cut off in time, and while they hold all places a newcomer is answered.
func TestStalledHandshakes(t *testing.T) {
	const places, crowd = 8, 24
	borrowed := httptest.NewUnstartedServer(nil)
	borrowed.StartTLS()
	t.Cleanup(borrowed.Close)
	config := &tls.Config{Certificates: borrowed.TLS.Certificates, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	hello := clientHello(t)
	for name, said := range map[string][]byte{"a byte": hello[:1], "half a hello": hello[:len(hello)/2], "no more than a hello": hello} {
		t.Run(name, func(t *testing.T) {
			slow := dial(t, start(t, guard.Options{TLS: config, ReadTimeout: 100 * time.Millisecond}))
			if _, err := slow.Write(said); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, slow); err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("not cut off: %v", err)
			}

			addr := start(t, guard.Options{TLS: config, MaxConns: places, MaxConnsPerAddress: 2 * crowd})
			defer crowded(t, addr, crowd, said)()
			transport := borrowed.Client().Transport.(*http.Transport).Clone()
			transport.DisableKeepAlives = true
			client := &http.Client{Transport: transport, Timeout: 20 * time.Second}
			for range 5 {
				resp, err := client.Get("https://" + addr + "/")
				for again := 0; err != nil && again < 4; again++ { // see answered
					resp, err = client.Get("https://" + addr + "/")
				}
				if err != nil {
					t.Fatal(err)
				}
				_ = resp.Body.Close()
			}
		})
	}
}
