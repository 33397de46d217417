package trpc_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/surface/hijack"
	"edgesvc.dev/svc/daemon/internal/surface/trpc"
)

// FuzzRequest parses calls and batches as they come, in URLs and bodies. It
// stands still where it minimises what it finds: -fuzzminimizetime=1x.
func FuzzRequest(f *testing.F) {
	f.Add("POST", "posts.get", "", "application/json", `{"json":{"id":"x"}}`)
	f.Add("POST", "echo,echoMut,nope", "batch=1", "application/json", `{"0":{"json":1},"1":{"json":null,"meta":{"values":["undefined"]}}}`)
	f.Add("GET", "echo,kind", `batch=1&input=%7B%220%22%3A%7B%22json%22%3A%22a%22%7D%7D`, "", "")
	f.Add("GET", "echo", `input={"json":["1970-01-01T00:00:00.000Z"],"meta":{"values":{"0":["Date"]},"v":1}}`, "", "")
	f.Add("DELETE", "a%2Cb/", "batch=1&connectionParams=[]", "text/plain", "x")
	f.Fuzz(func(t *testing.T, method, path, query, media, body string) {
		answerOf(t, method, path, query, media, body)
	})
}

// FuzzMessages parses what is posted to the bare path.
func FuzzMessages(f *testing.F) {
	f.Add(`{"id":1,"method":"query","params":{"path":"echo","input":{"json":1}}}`)
	f.Add(`[{"id":"a","jsonrpc":"2.0","method":"mutation","params":{"path":"echoMut"}},{"id":0},null]`)
	f.Add(`{"id":1,"method":"subscription","params":{"path":"sub.count"}}`)
	f.Fuzz(func(t *testing.T, body string) { answerOf(t, "POST", "", "", "application/json", body) })
}

// answerOf runs a request that no stream answers, and holds the answer to be
// JSON with a status of the protocol.
func answerOf(t *testing.T, method, path, query, media, body string) {
	var ctx fasthttp.RequestCtx
	ctx.Request.Header.SetMethod(method)
	ctx.Request.SetRequestURI("/trpc/" + strings.ReplaceAll(path, "?", "") + "?" + query)
	ctx.Request.Header.SetContentType(media)
	ctx.Request.SetBodyString(body)
	all := procedures()
	for name, p := range all {
		if p.Type == trpc.Subscription || name == "slow" {
			delete(all, name)
		}
	}
	bridge := hijack.New(slog.New(slog.DiscardHandler), time.Second)
	r := &trpc.Router{
		Procedures: all, Context: t.Context(), Ending: t.Context(), Session: session(false), Bridge: bridge,
		Finish: func(*fasthttp.RequestCtx, *trpc.Call) {}, Observe: func(string, int, float64) {},
		MaxBatch: 5, MaxBody: 64 << 10, Ping: time.Second,
	}
	r.Serve(&ctx, path)
	out := ctx.Response.Body()
	switch status := ctx.Response.StatusCode(); {
	case ctx.IsHead():
	case !json.Valid(out):
		t.Errorf("%d %q", status, out)
	case status != 200 && status < 400 && status != 207:
		t.Errorf("status %d", status)
	case status == 500 && !bytes.Contains(out, []byte("INTERNAL_SERVER_ERROR")):
		t.Errorf("%d %q", status, out)
	}
}
