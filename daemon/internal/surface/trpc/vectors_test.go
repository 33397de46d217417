package trpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/surface/hijack"
	"edgesvc.dev/svc/daemon/internal/surface/trpc"
)

type exchange struct {
	ID, Config, Compare string
	Request             struct {
		Method, Path, Query, Body string
		Headers                   map[string]string
	}
	Response struct {
		Status  int
		Headers map[string]string
		JSON    any
		Folded  map[string]any
		Events  []map[string]any
	}
	OpaqueMessage bool
}

// router is that of the vectors, as one of their configurations has it.
func router(config string) *trpc.Router {
	r := &trpc.Router{
		Procedures: procedures(), Session: session(config == "gate"),
		Finish:   func(*fasthttp.RequestCtx, *trpc.Call) {},
		Present:  func(context.Context, *trpc.Call) error { return nil },
		MaxBatch: 20, MaxBody: 2 << 20, Ping: time.Second,
	}
	switch config {
	case "override":
		r.Posted = true
	case "limited":
		r.Posted, r.MaxBatch, r.MaxBody = true, 3, 1024
	case "nobatch":
		r.MaxBatch = 0
	case "ping":
		r.Ping, r.Quiet = 40*time.Millisecond, 5*time.Second
	case "tilde":
		r.Separator = "~"
	case "bare":
		r.MaxBatch, r.MaxBody = 10, 65536
	}
	return r
}

// listen serves r until the test ends.
func listen(t testing.TB, r *trpc.Router) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	bridge := hijack.New(slog.New(slog.DiscardHandler), 5*time.Second)
	ending, end := context.WithCancel(context.Background())
	if r.Ending == nil {
		r.Ending = ending
	}
	r.Context, r.Bridge, r.Observe = t.Context(), bridge, func(string, int, float64) {}
	server := &fasthttp.Server{ReadBufferSize: 64 << 10, KeepHijackedConns: true, CloseOnShutdown: true, Handler: func(ctx *fasthttp.RequestCtx) {
		path := strings.TrimPrefix(string(ctx.URI().PathOriginal()), "/trpc")
		r.Serve(ctx, strings.TrimPrefix(path, "/"))
	}}
	var serving conc.WaitGroup
	serving.Go(func() {
		if err := server.Serve(ln); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(func() {
		end()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := errors.Join(server.ShutdownWithContext(ctx), bridge.Close(ctx)); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		serving.Wait()
	})
	return "http://" + ln.Addr().String()
}

func exchanges(t *testing.T, name string) []exchange {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []exchange }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

// elsewhere are cases of what this server decides otherwise: it refuses
// uploads, for a form of another site could send one (design 1.5); answers
// OPTIONS in the protocol's form (1.8); always has subscriptions; and no
// procedure returns a stream, so promises of whole answers are enough (1.6).
func (x *exchange) elsewhere() bool {
	upload := strings.Contains(x.Request.Path, "upload.") && x.Request.Method == "POST"
	return upload || x.ID == "method-04" || x.Config == "nosse" || strings.Contains(x.Request.Path, "stream.")
}

func TestVectors(t *testing.T) {
	sites := map[string]string{}
	ran, left := 0, 0
	for _, x := range exchanges(t, "trpc.public.json") {
		if x.elsewhere() {
			left++
			continue
		}
		if sites[x.Config] == "" {
			sites[x.Config] = listen(t, router(x.Config))
		}
		ran++
		t.Run(x.ID, func(t *testing.T) { x.check(t, sites[x.Config]) })
	}
	t.Logf("%d ran, %d left out", ran, left)
}

func TestBareVectors(t *testing.T) {
	site := listen(t, router("bare"))
	for _, x := range exchanges(t, "trpc-bare.public.json") {
		t.Run(x.ID, func(t *testing.T) {
			if strings.HasPrefix(x.Request.Body, "(a query message") {
				x.Request.Body = `{"id":1,"method":"query","params":{"path":"echo","input":{"json":"` + strings.Repeat("x", 65536) + `"}}}`
			}
			x.Compare = "json"
			x.check(t, site)
		})
	}
}

func (x *exchange) check(t *testing.T, site string) {
	url := site + x.Request.Path
	if x.Request.Query != "" {
		url += "?" + x.Request.Query
	}
	res, body := x.send(t, url)
	if res.StatusCode != x.Response.Status {
		t.Errorf("status %d, want %d: %s", res.StatusCode, x.Response.Status, body)
	}
	x.headers(t, res.Header)
	switch x.Compare {
	case "json":
		var got any
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		x.equal(t, got, x.Response.JSON)
	case "jsonl":
		x.lines(t, string(body))
	case "sse":
		x.events(t, string(body))
	default:
		if len(body) > 0 {
			t.Errorf("body %s", body)
		}
	}
}

// headers compares those that clients act on. What the reference sends as plain
// text before there are calls is JSON all the same, and is called so here.
func (x *exchange) headers(t *testing.T, got http.Header) {
	t.Helper()
	for _, name := range []string{"content-type", "allow", "vary"} {
		want, recorded := x.Response.Headers[name]
		if name == "vary" && x.Config == "" && !recorded {
			continue // the bare path's exchanges were not recorded over HTTP
		}
		if strings.HasPrefix(want, "text/plain") {
			want = "application/json"
		}
		if got.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.Get(name), want)
		}
	}
}

// send writes the request as it is recorded: Go's client would mend paths.
func (x *exchange) send(t *testing.T, url string) (*http.Response, []byte) {
	req, err := http.NewRequestWithContext(t.Context(), x.Request.Method, "http://h/", strings.NewReader(x.Request.Body))
	if err != nil {
		t.Fatal(err)
	}
	host, rest, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	req.URL.Host, req.Host, req.URL.Opaque = host, host, "//"+host+"/"+rest
	for k, v := range x.Request.Headers {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, b
}

func (x *exchange) equal(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(x.strip(got), x.strip(want)) {
		g, _ := json.Marshal(got)
		w, _ := json.Marshal(want)
		t.Errorf("got  %s\nwant %s", g, w)
	}
}

// strip removes what may differ: texts of the reference's JSON parser, and
// those of unknown exceptions, which this server does not send.
func (x *exchange) strip(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = x.strip(v[i])
		}
	case map[string]any:
		if _, ok := v["code"].(float64); ok && (x.OpaqueMessage || v["code"] == -32603.0) {
			delete(v, "message")
		}
		if id, ok := v["id"]; ok && id == nil {
			delete(v, "id")
		}
		for k := range v {
			v[k] = x.strip(v[k])
		}
	}
	return v
}

func (x *exchange) events(t *testing.T, body string) {
	var got []any
	for block := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		e := map[string]any{"event": "message"}
		for line := range strings.SplitSeq(block, "\n") {
			k, v, _ := strings.Cut(line, ":")
			e[k] = strings.TrimPrefix(v, " ")
		}
		if e["event"] == "ping" {
			continue
		}
		var v any
		if data, _ := e["data"].(string); json.Unmarshal([]byte(data), &v) == nil {
			e["json"] = v
		}
		delete(e, "data")
		got = append(got, e)
	}
	var want []any
	for _, e := range x.Response.Events {
		delete(e, "data")
		if e["event"] != "ping" {
			want = append(want, e)
		}
	}
	x.equal(t, got, want)
}

// lines reads a stream in the form that this server writes: a head of promises
// and a line for each.
func (x *exchange) lines(t *testing.T, body string) {
	type envelope struct {
		JSON []any
		Meta map[string]any
	}
	got := 0
	for i, line := range strings.Split(strings.TrimSuffix(body, "\n"), "\n") {
		if i == 0 {
			continue
		}
		var e envelope
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		id, _ := json.Marshal(e.JSON[0])
		value := e.JSON[2].([]any)[0].([]any)[0]
		want := x.Response.Folded[string(id)]
		if len(e.Meta) > 0 || strings.Contains(toJSON(want), `"$"`) {
			if !strings.Contains(toJSON(want), `"$"`) || !strings.Contains(toJSON(e.Meta), `"2.0.0.result.data"`) {
				t.Errorf("annotations of %s: %s", id, line)
			}
		} else {
			x.equal(t, value, want)
		}
		got++
	}
	if got != len(x.Response.Folded) {
		t.Errorf("%d lines for %d calls", got, len(x.Response.Folded))
	}
}

func toJSON(v any) string { b, _ := json.Marshal(v); return string(b) }
