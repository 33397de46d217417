package guard

import (
	"bufio"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// BenchmarkCheck is what the guard adds to an ordinary request.
func BenchmarkCheck(b *testing.B) {
	const raw = "GET /svc-api/v1/posts/post_01j9z3k8s2e5v9w0x1y2z3a4b5?include=content HTTP/1.1\r\n" +
		"Host: blog.example\r\nUser-Agent: svc-go/1\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\n" +
		"Authorization: Bearer svc_0123456789abcdefghijklmnopqrstuvABCDEF\r\nContent-Type: application/json\r\n\r\n"
	var h fasthttp.RequestHeader
	if err := h.Read(bufio.NewReader(strings.NewReader(raw))); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if r := check(&h); r != nil {
			b.Fatal(r.Detail)
		}
	}
}
