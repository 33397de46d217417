package outbound_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
	"go.uber.org/goleak"

	"edgesvc.dev/svc/daemon/internal/outbound"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// endpoint counts who reaches it.
type endpoint struct {
	*httptest.Server
	hits atomic.Int64
	port string
}

func serve(t *testing.T, handle http.HandlerFunc) *endpoint {
	e := &endpoint{}
	l, err := net.Listen("tcp", ":0") // every address of this machine, of both families
	if err != nil {
		t.Fatal(err)
	}
	e.Server = &httptest.Server{Listener: l, Config: &http.Server{
		Handler: handle,
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				e.hits.Add(1)
			}
		},
	}}
	e.Start()
	t.Cleanup(e.Close)
	_, e.port, err = net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (e *endpoint) url() string { return "http://127.0.0.1:" + e.port }

func loopback() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} }

func get(t *testing.T, c *outbound.Client, url string) (*outbound.Answer, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return c.Do(req)
}

// insideForms are ways to write an address that is not the internet's; PORT is
// that of an endpoint on this machine.
func insideForms() []string {
	return strings.Fields(`
		http://127.0.0.1:PORT/ http://127.1:PORT/ http://127.0.1:PORT/ http://2130706433:PORT/ http://017700000001:PORT/
		http://0x7f000001:PORT/ http://0x7f.0.0.1:PORT/ http://0177.0.0.1:PORT/ http://127.000.000.001:PORT/ http://0:PORT/
		http://0.0.0.0:PORT/ http://0x0:PORT/ http://00000000:PORT/ http://localhost:PORT/ http://LOCALHOST:PORT/
		http://localhost.:PORT/ http://a.localhost:PORT/ http://127.0.0.1.:PORT/ http://127.255.255.254:PORT/ http://[::1]:PORT/
		http://[::]:PORT/ http://[0:0:0:0:0:0:0:1]:PORT/ http://[::ffff:127.0.0.1]:PORT/ http://[::ffff:7f00:1]:PORT/ http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/
		http://[::127.0.0.1]:PORT/ http://[64:ff9b::7f00:1]:PORT/ http://[64:ff9b::127.0.0.1]:PORT/ http://[64:ff9b:1::7f00:1]:PORT/ http://[2002:7f00:1::]:PORT/
		http://[2002:a9fe:a9fe::]:PORT/ http://[2001:0:7f00:1::]:PORT/ http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]:PORT/ http://[fe80::1]:PORT/ http://[fe80::1%25lo]:PORT/
		http://[fc00::1]:PORT/ http://[fd00:ec2::254]:80/ http://[ff02::1]:PORT/ http://[2001:db8::1]:PORT/ http://[100::1]:PORT/
		http://169.254.169.254/ http://169.254.169.254/latest/meta-data/ http://[::ffff:169.254.169.254]/ http://169.254.170.2/ http://100.100.100.200/
		http://168.63.129.16/ http://192.0.0.192/ http://10.0.0.1/ http://10.255.255.255/ http://172.16.0.1/
		http://172.31.255.255/ http://192.168.1.1/ http://100.64.0.1/ http://198.18.0.1/ http://192.0.2.1/
		http://198.51.100.1/ http://203.0.113.1/ http://224.0.0.1/ http://239.255.255.250/ http://240.0.0.1/
		http://255.255.255.255/ http://metadata.google.internal/ http://printer.local/ http://①②⑦.⓪.⓪.①:PORT/ http://127。0。0。1:PORT/
		http://1.1.1.1:22/ http://1.1.1.1:25/ http://1.1.1.1:1023/ http://example.com:6/ http://[2606:4700:4700::1111]:22/
		http://user@example.com/ http://user:pass@1.1.1.1/ http://127.0.0.1:PORT\@example.com/ http://example.com@127.0.0.1:PORT/ http://example.com%00.x.io/
		ftp://example.com/ file:///etc/passwd gopher://example.com/ unix:///tmp/x http:example.com
		http:///x //example.com/ javascript:alert(1) data:text/plain,x http://1.1.1.1:0/
		http://1.1.1.1:65536/ http://1.1.1.1:x/ https://127.0.0.1:PORT/ ws://1.1.1.1/ http://%31%32%37.0.0.1:PORT/
	`)
}

func TestInsideIsNeverReached(t *testing.T) {
	e := serve(t, func(http.ResponseWriter, *http.Request) {})
	c := outbound.New(outbound.Options{Resolver: offlineResolver(), Timeout: 5 * time.Second})
	forms := insideForms()
	if len(forms) < 60 {
		t.Fatalf("only %d forms", len(forms))
	}
	for _, form := range forms {
		url := strings.ReplaceAll(form, "PORT", e.port)
		if _, err := get(t, c, url); err == nil {
			t.Errorf("%s was answered", url)
		} else if _, refused := errors.AsType[*outbound.RefusedError](err); !refused && !strings.Contains(err.Error(), "parse") && !strings.Contains(err.Error(), "no such host") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if n := e.hits.Load(); n > 0 {
		t.Errorf("the endpoint was reached %d times", n)
	}
	// The same endpoint answers when its range is opened: what refused was the guard.
	if a, err := get(t, outbound.New(outbound.Options{Allow: loopback()}), e.url()); err != nil || a.Status != 200 || e.hits.Load() != 1 {
		t.Errorf("the opened range: %v %v", a, err)
	}
}

// offlineResolver knows no name, so that tests ask nobody.
func offlineResolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
	}}
}

// nameServer answers every question for an address of the family asked for with
// the addresses that next returns: the real wire format of RFC 1035.
func nameServer(next func(v6 bool) []netip.Addr) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		var wg conc.WaitGroup
		wg.Go(func() {
			defer server.Close()
			var size [2]byte // a stream, so messages have their length before them
			if _, err := io.ReadFull(server, size[:]); err != nil {
				return
			}
			question := make([]byte, binary.BigEndian.Uint16(size[:]))
			if _, err := io.ReadFull(server, question); err != nil {
				return
			}
			reply := answerTo(question, next)
			_, _ = server.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
		})
		return client, nil
	}}
}

func answerTo(q []byte, next func(v6 bool) []netip.Addr) []byte {
	end := 12
	for q[end] != 0 {
		end += int(q[end]) + 1
	}
	kind := binary.BigEndian.Uint16(q[end+1:])
	addrs := next(kind == 28)
	out := append([]byte{}, q[:end+5]...)
	binary.BigEndian.PutUint16(out[2:], 0x8180)
	binary.BigEndian.PutUint16(out[6:], uint16(len(addrs)))
	binary.BigEndian.PutUint16(out[8:], 0)
	binary.BigEndian.PutUint16(out[10:], 0)
	for _, a := range addrs {
		out = append(out, 0xc0, 12)
		out = binary.BigEndian.AppendUint16(out, kind)
		out = append(out, 0, 1, 0, 0, 0, 0) // class IN, to be kept for no time
		out = binary.BigEndian.AppendUint16(out, uint16(len(a.AsSlice())))
		out = append(out, a.AsSlice()...)
	}
	return out
}

func TestRebindingNameLeadsNowhere(t *testing.T) {
	e := serve(t, func(http.ResponseWriter, *http.Request) {})
	public, inside := netip.MustParseAddr("1.1.1.1"), netip.MustParseAddr("127.0.0.1")
	for name, answers := range map[string][]netip.Addr{
		"inside":  {inside},
		"mapped":  {netip.MustParseAddr("::ffff:127.0.0.1")},
		"v6":      {netip.MustParseAddr("::1")},
		"several": {inside, netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("169.254.169.254")},
	} {
		c := outbound.New(outbound.Options{Resolver: nameServer(func(v6 bool) (out []netip.Addr) {
			for _, a := range answers {
				if a.Is4() != v6 {
					out = append(out, a)
				}
			}
			return out
		})})
		_, err := get(t, c, "http://rebind.example:"+e.port+"/")
		if _, refused := errors.AsType[*outbound.RefusedError](err); !refused {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The name is public when it is looked at, and inside when it is dialled.
	asked := 0
	resolver := nameServer(func(v6 bool) []netip.Addr {
		if v6 {
			return nil
		}
		if asked++; asked == 1 {
			return []netip.Addr{public}
		}
		return []netip.Addr{inside}
	})
	c := outbound.New(outbound.Options{Resolver: resolver})
	if _, err := resolver.LookupNetIP(t.Context(), "ip", "rebind.example"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Check("http://rebind.example:" + e.port); err != nil {
		t.Fatal(err)
	}
	_, err := get(t, c, "http://rebind.example:"+e.port+"/")
	if _, refused := errors.AsType[*outbound.RefusedError](err); !refused {
		t.Errorf("rebinding: %v", err)
	}
	if n := e.hits.Load(); n > 0 {
		t.Errorf("the endpoint was reached %d times", n)
	}
}

func TestRedirectsAreShownAndNotFollowed(t *testing.T) {
	other := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{"http://169.254.169.254/", other.url(), "/again", "file:///etc/passwd"} {
			first := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", to)
				w.WriteHeader(status)
			})
			a, err := get(t, outbound.New(outbound.Options{Allow: loopback()}), first.url())
			if err != nil || a.Status != status || a.Header.Get("Location") != to || first.hits.Load() != 1 {
				t.Errorf("%d to %s: %+v %v", status, to, a, err)
			}
		}
	}
	if n := other.hits.Load(); n > 0 {
		t.Errorf("the other host was reached %d times", n)
	}
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	proxy := serve(t, func(http.ResponseWriter, *http.Request) {})
	t.Setenv("HTTP_PROXY", proxy.url())
	t.Setenv("http_proxy", proxy.url())
	_, err := get(t, outbound.New(outbound.Options{Resolver: offlineResolver()}), "http://example.com/")
	if err == nil || proxy.hits.Load() > 0 {
		t.Errorf("the proxy was reached %d times: %v", proxy.hits.Load(), err)
	}
}

func TestEndlessBodyIsCutOff(t *testing.T) {
	sent := atomic.Int64{}
	e := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for chunk := bytes.Repeat([]byte("x"), 32<<10); ; {
			n, err := w.Write(chunk)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	a, err := get(t, outbound.New(outbound.Options{Allow: loopback()}), e.url())
	if err != nil || len(a.Body) != 1<<20 || !a.Truncated {
		t.Fatalf("%v %v", len(a.Body), err)
	}
}

func TestBodyOfExactlyTheLimitIsWhole(t *testing.T) {
	e := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write(bytes.Repeat([]byte("x"), 100))
	})
	for limit, truncated := range map[int64]bool{100: false, 99: true, 101: false} {
		a, err := get(t, outbound.New(outbound.Options{Allow: loopback(), MaxBody: limit}), e.url())
		if err != nil || a.Truncated != truncated || int64(len(a.Body)) != min(limit, 100) {
			t.Errorf("limit %d: %d bytes, %v, %v", limit, len(a.Body), a.Truncated, err)
		}
	}
}

func TestCompressedBombStaysSmall(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 64<<20))
	_ = z.Close()
	e := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("it was asked for %s", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes())
	})
	a, err := get(t, outbound.New(outbound.Options{Allow: loopback()}), e.url())
	if err != nil || len(a.Body) != bomb.Len() {
		t.Errorf("%v %v", len(a.Body), err)
	}
}

// raw is an endpoint that writes bytes of its own making.
func raw(t *testing.T, speak func(c net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg conc.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
					speak(c)
				}
			})
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return "http://" + l.Addr().String()
}

func TestSlowEndpointsEndWithTheTime(t *testing.T) {
	drip := func(head string) func(c net.Conn) {
		return func(c net.Conn) {
			_, err := io.WriteString(c, head)
			for tick := time.NewTicker(10 * time.Millisecond); err == nil; <-tick.C {
				_, err = c.Write([]byte("x"))
			}
		}
	}
	for name, speak := range map[string]func(c net.Conn){
		"silent":      func(c net.Conn) { _, _ = io.Copy(io.Discard, c) },
		"slow body":   drip("HTTP/1.1 200 OK\r\n\r\n"),
		"slow header": drip("HTTP/1.1 200 OK\r\nX: "),
	} {
		c := outbound.New(outbound.Options{Allow: loopback(), Timeout: 200 * time.Millisecond})
		a, err := get(t, c, raw(t, speak))
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		switch {
		case name != "slow body" && a != nil:
			t.Errorf("%s: %+v", name, a)
		case name == "slow body" && (a == nil || a.Status != 200 || !a.Truncated || !bytes.HasPrefix(a.Body, []byte("x"))):
			t.Errorf("what came of an answer until the time was over: %+v", a)
		}
	}
}

func TestBrokenAnswersAreErrorsWithoutTheURL(t *testing.T) {
	for name, answer := range map[string]string{
		"large header":  "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"many headers":  "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 1<<17) + "\r\n",
		"no HTTP":       "SSH-2.0-OpenSSH_9\r\n",
		"cut off":       "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx",
		"nothing":       "",
		"two lengths":   "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
		"broken chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
	} {
		url := raw(t, func(c net.Conn) { _, _ = io.WriteString(c, answer) })
		a, err := get(t, outbound.New(outbound.Options{Allow: loopback()}), url+"/?key=topsecret")
		if err == nil {
			t.Errorf("%s: %+v", name, a)
		} else if strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%s: the error has the key: %v", name, err)
		}
	}
}

func TestAllowOpensItsRangeOnly(t *testing.T) {
	e := serve(t, func(http.ResponseWriter, *http.Request) {})
	c := outbound.New(outbound.Options{Allow: loopback(), Resolver: offlineResolver()})
	for _, url := range []string{"http://[::1]:" + e.port, "http://127.0.0.2:" + e.port, "http://10.0.0.1/", "http://169.254.169.254/", "http://2130706433:" + e.port} {
		if _, err := get(t, c, url); err == nil {
			t.Errorf("%s was answered", url)
		}
	}
	if _, err := get(t, c, "http://[::ffff:127.0.0.1]:"+e.port); err != nil {
		t.Errorf("the mapped form of an opened address: %v", err)
	}
}

// FuzzCheck holds what is let through to the rules, however it is written.
func FuzzCheck(f *testing.F) {
	for _, form := range insideForms() {
		f.Add(strings.ReplaceAll(form, "PORT", "8080"))
	}
	f.Add("https://example.com/a?b=c#d")
	c := outbound.New(outbound.Options{})
	f.Fuzz(func(t *testing.T, s string) {
		u, err := c.Check(s)
		if err != nil {
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Hostname() == "" {
			t.Fatalf("%q was let through", s)
		}
		if a, err := netip.ParseAddr(u.Hostname()); err == nil && (a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified() || a.Is4In6()) {
			t.Fatalf("%q was let through: %s", s, a)
		}
	})
}

func ExampleClient_Check() {
	_, err := outbound.New(outbound.Options{}).Check("http://169.254.169.254/latest/meta-data/")
	fmt.Println(err)
	// Output: 169.254.169.254 is not a public address
}
