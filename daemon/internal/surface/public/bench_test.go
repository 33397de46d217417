package public_test

import (
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/surface/public"
)

func benchmark(b *testing.B, o public.Options, path string, headers ...string) {
	m := blog()
	m.posts[0].Content = strings.Repeat("<p>Some text with <em>emphasis</em> and a <a href=\"https://example.com\">link</a>.</p>\n", 24)
	handle := public.New(m, o).Handle
	var ctx fasthttp.RequestCtx
	b.ReportAllocs()
	for b.Loop() {
		ctx.Request.Reset()
		ctx.Response.Reset()
		ctx.Request.SetRequestURI(path)
		ctx.Request.SetHost("example.com")
		for i := 0; i < len(headers); i += 2 {
			ctx.Request.Header.Set(headers[i], headers[i+1])
		}
		handle(&ctx)
		if code := ctx.Response.StatusCode(); code != 200 {
			b.Fatalf("status %d", code)
		}
	}
}

func BenchmarkPost(b *testing.B) { benchmark(b, public.Options{}, "/notes/first") }
func BenchmarkPostGzip(b *testing.B) {
	benchmark(b, public.Options{}, "/notes/first", "Accept-Encoding", "gzip")
}

// BenchmarkPostRendered has no room to keep what it rendered.
func BenchmarkPostRendered(b *testing.B) {
	benchmark(b, public.Options{CacheBytes: 1}, "/notes/first")
}
func BenchmarkIndex(b *testing.B) { benchmark(b, public.Options{}, "/notes/") }
func BenchmarkFeed(b *testing.B)  { benchmark(b, public.Options{}, "/notes/feed.xml") }
