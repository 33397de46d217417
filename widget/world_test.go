package widget_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttpadaptor"

	"edgesvc.dev/svc/sdk/api"
	"edgesvc.dev/svc/widget"
)

// world is the widget behind a real listener, with the scripted desk.
type world struct {
	t       testing.TB
	desk    *desk
	handler *widget.Handler
	site    string
	addr    string
	url     string
	opt     widget.Options
	page    func(*fasthttp.RequestCtx) // answers everything that is not the widget's
	noSocks atomic.Bool                // refuse websockets, as some proxies do

	sockets atomic.Pointer[context.Context] // ends with the server
	stop    func()
}

func newWorld(t testing.TB, change ...func(*widget.Options)) *world {
	w := &world{t: t, desk: newDesk(), site: "site_1", addr: "127.0.0.1:0"}
	w.opt = widget.Options{
		Context: t.Context(), Upgrade: w.upgrade, Stream: stream,
		Address: func(*fasthttp.RequestCtx) string { return "192.0.2.1" },
		Pace:    func(string) time.Duration { return 0 },
	}
	for _, f := range change {
		f(&w.opt)
	}
	w.page = func(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(http.StatusNotFound) }
	w.start()
	w.desk.sites[w.site] = widget.Site{Team: "team_1", Site: api.Site{
		ID: w.site, Name: "Northwind", Color: "#0f766e", Greeting: "Hi! Ask me anything about tents, packs and stoves.",
		AllowedOrigins: []string{w.url, "https://shop.example"}, Identity: "off",
	}}
	t.Cleanup(func() { w.stop() })
	return w
}

// start listens where it did before.
func (w *world) start() {
	w.t.Helper()
	ln, err := net.Listen("tcp", w.addr)
	if err != nil {
		w.t.Fatal(err)
	}
	w.addr = ln.Addr().String()
	w.url = "http://" + w.addr
	w.opt.BaseURL = w.url
	w.handler = widget.New(w.desk, w.opt)
	handler := w.handler
	server := &fasthttp.Server{KeepHijackedConns: true, CloseOnShutdown: true, Handler: func(ctx *fasthttp.RequestCtx) {
		if p := string(ctx.Path()); p == widget.ScriptPath || len(p) > 8 && p[:8] == widget.PagePrefix || len(p) > 16 && p[:16] == widget.WirePrefix {
			handler.Serve(ctx)
			return
		}
		w.page(ctx)
	}}
	var serving conc.WaitGroup
	serving.Go(func() { _ = server.Serve(ln) })
	ctx, cut := context.WithCancel(context.Background())
	w.sockets.Store(&ctx)
	w.stop = func() {
		handler.Close()
		cut()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = server.ShutdownWithContext(ctx)
		serving.Wait()
	}
}

// stream lends the handler a context that, unlike the adaptor's, nobody recycles.
func stream(h http.Handler) fasthttp.RequestHandler {
	return fasthttpadaptor.NewFastHTTPHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.Background()))
	}))
}

// upgrade is what the daemon's package hijack does, without its care.
func (w *world) upgrade(ctx *fasthttp.RequestCtx, _, protocol string, serve func(context.Context, *websocket.Conn)) {
	if w.noSocks.Load() {
		ctx.SetStatusCode(http.StatusBadGateway)
		return
	}
	r := &http.Request{Method: string(ctx.Method()), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}}
	for k, v := range ctx.Request.Header.All() {
		r.Header.Add(string(k), string(v))
	}
	answer := &handshake{ctx: ctx, header: http.Header{}, conn: &lateConn{}}
	c, err := websocket.Accept(answer, r, &websocket.AcceptOptions{Subprotocols: []string{protocol}, InsecureSkipVerify: true})
	if err != nil {
		return
	}
	life := *w.sockets.Load()
	ctx.Hijack(func(hc net.Conn) {
		answer.conn.Conn = hc
		defer hc.(interface{ UnsafeConn() net.Conn }).UnsafeConn().Close()
		defer context.AfterFunc(life, func() { _ = c.Close(websocket.StatusServiceRestart, "") })()
		serve(context.Background(), c)
		_ = c.CloseNow()
	})
}

type handshake struct {
	ctx    *fasthttp.RequestCtx
	header http.Header
	conn   *lateConn
}

func (h *handshake) Header() http.Header { return h.header }

func (h *handshake) WriteHeader(code int) {
	for k := range h.header {
		h.ctx.Response.Header.Set(k, h.header.Get(k))
	}
	h.ctx.SetStatusCode(code)
}

func (h *handshake) Write(p []byte) (int, error) { return h.ctx.Write(p) }

func (h *handshake) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.conn, bufio.NewReadWriter(bufio.NewReader(h.conn), bufio.NewWriter(h.conn)), nil
}

// lateConn has its connection from the end of the handshake on.
type lateConn struct{ net.Conn }
