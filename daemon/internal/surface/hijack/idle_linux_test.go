package hijack_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/surface/hijack"
	"edgesvc.dev/svc/sdk/api"
	"edgesvc.dev/svc/widget"
)

const idleSockets = 5000

// quiet is a desk at which nothing is ever said.
type quiet struct{}

func (quiet) Admit(context.Context, string, string) (widget.Site, error) { return widget.Site{}, nil }

func (quiet) Visit(context.Context, widget.Site, api.ChatIn, string) (widget.Visit, error) {
	return &silence{box: []api.ChatOut{{T: "ready", Visitor: "token"}}}, nil
}

func (q quiet) Call(ctx context.Context, s widget.Site, hello api.ChatIn, address string) (widget.Visit, error) {
	return q.Visit(ctx, s, hello, address)
}

type silence struct{ box []api.ChatOut }

func (*silence) Notify(wake func()) { wake() }

func (v *silence) Take() []api.ChatOut {
	box := v.box
	v.box = nil
	return box
}

func (*silence) Receive(context.Context, api.ChatIn) error { return nil }
func (*silence) Close()                                    {}

// BenchmarkIdleSocket tells what a visitor costs who has the chat open and says
// nothing: anonymous resident memory, kernel buffers aside. The clients are a
// process of their own.
func BenchmarkIdleSocket(b *testing.B) {
	if addr := os.Getenv("SVC_TEST_IDLE_CLIENTS"); addr != "" {
		dialIdle(b, addr)
		return
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	sockets := hijack.OpenSockets(slog.Default(), hijack.SocketLimits{PerNetwork: -1})
	handler := widget.New(quiet{}, widget.Options{
		Context: b.Context(), Upgrade: sockets.Upgrade, Address: func(*fasthttp.RequestCtx) string { return "192.0.2.1" },
	})
	server := &fasthttp.Server{KeepHijackedConns: true, Handler: handler.Serve}
	var serving conc.WaitGroup
	serving.Go(func() { _ = server.Serve(ln) })
	for b.Loop() {
		runtime.GC()
		before := resident(b)
		stop := startIdle(b, ln.Addr().String())
		fresh := resident(b)
		runtime.GC() // as one that comes within two minutes at rest
		runtime.GC()
		b.ReportMetric(float64(fresh-before)/idleSockets, "fresh-B/conn")
		b.ReportMetric(float64(resident(b)-before)/idleSockets, "B/conn")
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.StackInuse)/idleSockets, "stack-B/conn")
		b.ReportMetric(float64(m.HeapAlloc)/idleSockets, "heap-B/conn")
		b.ReportMetric(float64(runtime.NumGoroutine())/idleSockets, "goroutines/conn")
		if sockets.Len() != idleSockets {
			b.Fatalf("%d are open", sockets.Len())
		}
		stop()
	}
	_ = sockets.Close(context.Background(), 1001, "")
	_ = server.Shutdown()
	serving.Wait()
}

// startIdle runs the clients until stop, and returns when all are connected.
func startIdle(b *testing.B, addr string) (stop func()) {
	b.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$", "-test.bench=BenchmarkIdleSocket", "-test.benchtime=1x")
	cmd.Env = append(os.Environ(), "SVC_TEST_IDLE_CLIENTS="+addr)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && lines.Text() != "connected" {
	}
	return func() {
		_ = in.Close()
		for lines.Scan() {
		}
		_ = cmd.Wait()
	}
}

func dialIdle(b *testing.B, addr string) {
	b.Helper()
	var b1 [1024]byte
	hello := `{"t":"hello","lang":"en","page":{"url":"https://shop.example/","title":"Shop"}}`
	open := make([]net.Conn, idleSockets) // what nobody holds is closed
	for i := range open {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			b.Fatal(err)
		}
		open[i] = c
		fmt.Fprintf(c, "GET /svc-api/widget/ws?site=s HTTP/1.1\r\nHost: %s\r\nOrigin: https://shop.example\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: svc.chat.v1\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", addr)
		_, _ = c.Write(append([]byte{0x81, 0x80 | byte(len(hello)), 0, 0, 0, 0}, hello...))
		for got := ""; !strings.Contains(got, `"ready"`); {
			n, err := c.Read(b1[:])
			if got += string(b1[:n]); err != nil {
				b.Fatal(err, got)
			}
		}
	}
	fmt.Println("\nconnected")
	_, _ = os.Stdin.Read(b1[:]) // until the other process has measured
	runtime.KeepAlive(open)
}

// resident is the anonymous memory of this process in bytes.
func resident(b *testing.B) int {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kb int
		if n, _ := fmt.Sscanf(line, "RssAnon: %d kB", &kb); n == 1 {
			return kb << 10
		}
	}
	b.Fatal("no RssAnon in /proc/self/status")
	return 0
}
