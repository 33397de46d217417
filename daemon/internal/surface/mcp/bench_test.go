package mcp_test

import (
	"fmt"
	"testing"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/surface/mcp"
)

// BenchmarkCall is a tool call over the wire, from a client that does no more
// than send bytes.
func BenchmarkCall(b *testing.B) {
	d := start(b, settings{})
	post := d.posts.put("team_a", "a", "b")
	call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_post","arguments":{"id":%q}}}`, post.ID)
	for _, c := range []struct{ name, body string }{{"get_post", call}, {"list", list}} {
		b.Run(c.name, func(b *testing.B) {
			var req fasthttp.Request
			var res fasthttp.Response
			req.SetRequestURI(d.url + mcp.Path)
			req.Header.SetMethod("POST")
			req.Header.SetContentType("application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			req.Header.Set("Authorization", "Bearer svc_full")
			req.SetBodyString(c.body)
			b.ReportAllocs()
			for b.Loop() {
				if err := fasthttp.Do(&req, &res); err != nil || res.StatusCode() != 200 {
					b.Fatalf("%d %v", res.StatusCode(), err)
				}
			}
		})
	}
}
