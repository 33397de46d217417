package trpc_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/hijack"
	"edgesvc.dev/svc/daemon/internal/surface/trpc"
)

// TestStopping answers streams that come while the daemon stops: a batch is
// refused in the protocol's form, a subscription is to come again.
func TestStopping(t *testing.T) {
	bridge := hijack.New(slog.New(slog.DiscardHandler), time.Second)
	if err := bridge.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := trpc.New(&op.Table{}, trpc.Options{
		Context: t.Context(), Bridge: bridge,
		Member: func(*fasthttp.RequestCtx, bool) (op.Caller, error) { return op.Caller{}, nil },
	})
	h.Close()
	var ctx fasthttp.RequestCtx
	ctx.Request.SetRequestURI(trpc.Prefix + "/posts.list?batch=1")
	ctx.Request.Header.Set("trpc-accept", "application/jsonl")
	h.Serve(&ctx)
	if body := string(ctx.Response.Body()); ctx.Response.StatusCode() != 503 || !strings.HasPrefix(body, `{"error":{"json":{"message":"`) ||
		!strings.Contains(body, `"code":"SERVICE_UNAVAILABLE"`) || string(ctx.Response.Header.ContentType()) != "application/json" {
		t.Errorf("%d %s", ctx.Response.StatusCode(), body)
	}
}

// TestSubscribeWhileStopping lets the client in and the stream end without the
// event that says that it is over.
func TestSubscribeWhileStopping(t *testing.T) {
	r := router("std")
	ending, end := context.WithCancel(t.Context())
	end()
	r.Ending = ending
	site := listen(t, r)
	x := exchange{}
	x.Request.Method = "GET"
	if res, body := x.send(t, site+"/trpc/sub.plain"); res.StatusCode != 200 || string(body) != "event: connected\ndata: {}\n\n" {
		t.Errorf("%d %q", res.StatusCode, body)
	}
}
