package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc"
	"github.com/valyala/fasthttp"

	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/surface/hijack"
	"edgesvc.dev/svc/daemon/internal/surface/mcp"
	"edgesvc.dev/svc/sdk/api"
)

// keys are what the daemon of the tests knows.
var keys = map[string]op.Caller{
	"svc_full":   {Kind: op.Key, Credential: "key_full", Team: "team_a", Scopes: op.AllScopes},
	"svc_read":   {Kind: op.Key, Credential: "key_read", Team: "team_a", Scopes: op.PostsRead},
	"svc_none":   {Kind: op.Key, Credential: "key_none", Team: "team_a"},
	"svc_other":  {Kind: op.Key, Credential: "key_other", Team: "team_b", Scopes: op.AllScopes},
	"svc_person": {Kind: op.Session, Credential: "ses_1", Team: "team_a", Scopes: op.AllScopes, Role: op.Owner},
	"sess_owner": {Kind: op.Key, Credential: "ses_1", Team: "team_a", Scopes: op.AllScopes},
}

// daemon is the surface on a listener, as the daemon has it.
type daemon struct {
	url     string
	handler *mcp.Handler
	posts   *publication
	bridge  *hijack.Bridge
}

type settings struct {
	limits  op.Limits
	options func(*mcp.Options)
	handler func(*mcp.Handler)
	serve   func(*mcp.Handler) fasthttp.RequestHandler
	holding chan struct{}
}

func start(t testing.TB, s settings) *daemon {
	t.Helper()
	posts := newPublication(t)
	posts.holding = s.holding
	table := op.NewTable(posts.store, op.NewLimiter(s.limits), posts.rows(func(who op.Caller) api.Me {
		return api.Me{Team: api.TeamRef{ID: who.Team}, Actor: api.Actor{Type: "key", ID: who.Credential}, KeyName: who.Source + " " + who.RequestID, Scopes: who.Scopes.Names()}
	}))
	bridge := hijack.New(slog.New(slog.DiscardHandler), 5*time.Second)
	o := mcp.Options{
		Context: context.Background(), Bridge: bridge, Version: "1.2.3",
		Key: func(_ context.Context, bearer, address string) (op.Caller, error) {
			who, ok := keys[bearer]
			if !ok {
				return who, api.NewError(401, api.CodeInvalidKey, "There is no such key.")
			}
			who.Address = address
			return who, nil
		},
		Address: func(ctx *fasthttp.RequestCtx) string { return ctx.RemoteIP().String() },
		Observe: func(string, int, float64) {},
	}
	if s.options != nil {
		s.options(&o)
	}
	h := mcp.New(table, o)
	if s.handler != nil {
		s.handler(h)
	}
	serve := h.Serve
	if s.serve != nil {
		serve = s.serve(h)
	}
	d := &daemon{handler: h, posts: posts, bridge: bridge}
	d.url = listen(t, bridge, func(ctx *fasthttp.RequestCtx) {
		ctx.Response.Header.Set("X-Request-Id", "req_test")
		switch string(ctx.Path()) {
		case mcp.Path:
			serve(ctx)
		case mcp.MetadataPath:
			h.ServeMetadata(ctx)
		default:
			ctx.SetStatusCode(404)
		}
	})
	return d
}

// listen serves h on a free port until the test ends.
func listen(t testing.TB, bridge *hijack.Bridge, h fasthttp.RequestHandler) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &fasthttp.Server{Handler: h, CloseOnShutdown: true, KeepHijackedConns: true, MaxRequestBodySize: 2 << 20}
	var serving conc.WaitGroup
	serving.Go(func() {
		if err := srv.Serve(ln); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := bridge.Close(ctx); err != nil {
			t.Errorf("close the bridge: %v", err)
		}
		if err := srv.ShutdownWithContext(ctx); err != nil {
			t.Errorf("shut down: %v", err)
		}
		serving.Wait()
	})
	return "http://" + ln.Addr().String()
}

// keyed adds a key and other headers to each request of a client.
type keyed struct {
	header http.Header
}

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range k.header {
		r.Header[name] = values
	}
	return http.DefaultTransport.RoundTrip(r)
}

// connect is the library's own client. More headers come as name, value pairs.
func (d *daemon) connect(t testing.TB, key string, headers ...string) *mcpsdk.ClientSession {
	t.Helper()
	c := mcpsdk.NewClient(&mcpsdk.Implementation{Name: "test", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), d.transport(key, headers...), nil)
	if err != nil {
		t.Fatalf("connect as %s: %v", key, err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func (d *daemon) transport(key string, headers ...string) *mcpsdk.StreamableClientTransport {
	h := http.Header{"Authorization": {"Bearer " + key}}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &mcpsdk.StreamableClientTransport{
		Endpoint: d.url + mcp.Path, HTTPClient: &http.Client{Transport: keyed{h}}, DisableStandaloneSSE: true, MaxRetries: -1,
	}
}

// call calls a tool and decodes its structured content into out.
func call(t testing.TB, s *mcpsdk.ClientSession, name string, args, out any) *mcpsdk.CallToolResult {
	t.Helper()
	res, err := s.CallTool(t.Context(), &mcpsdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text := textOf(t, res)
	if structured, err := json.Marshal(res.StructuredContent); err != nil || !sameJSON(structured, []byte(text)) {
		t.Errorf("%s: text and structured content differ (%v):\n%s\n%s", name, err, text, structured)
	}
	if out != nil {
		if err := json.Unmarshal([]byte(text), out); err != nil {
			t.Fatalf("%s answers %s: %v", name, text, err)
		}
	}
	return res
}

func textOf(t testing.TB, res *mcpsdk.CallToolResult) string {
	t.Helper()
	if len(res.Content) != 1 {
		t.Fatalf("%d blocks of content, want 1", len(res.Content))
	}
	block, ok := res.Content[0].(*mcpsdk.TextContent)
	if !ok {
		t.Fatalf("content is %T", res.Content[0])
	}
	return block.Text
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return bytes.Equal(p, q)
}

// reply is an HTTP answer with its body read.
type reply struct {
	*http.Response
	body []byte
}

// code is that of a problem.
func (r reply) code(t testing.TB) api.Code {
	t.Helper()
	var e api.Error
	if err := json.Unmarshal(r.body, &e); err != nil {
		t.Fatalf("%s: %v", r.body, err)
	}
	return e.Code
}

// rpc is the JSON-RPC message of a body.
func (r reply) rpc(t testing.TB) (m struct {
	ID     any
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}) {
	t.Helper()
	if err := json.Unmarshal(r.body, &m); err != nil {
		t.Fatalf("%s: %v", r.body, err)
	}
	return m
}

// post sends one raw message as key. Headers replace the usual ones; an empty
// value removes one.
func (d *daemon) post(t testing.TB, key, body string, headers ...string) reply {
	t.Helper()
	return d.send(t, "POST", mcp.Path, body, append([]string{"Authorization", "Bearer " + key}, headers...)...)
}

func (d *daemon) send(t testing.TB, method, path, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, d.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			req.Host = headers[i+1]
		case headers[i+1] == "":
			req.Header.Del(headers[i])
		default:
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res, b}
}
