package guard

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// FuzzCheck holds the guard to a second parser: a request that it lets through
// must mean the same to net/http, byte for byte of where it ends. Whatever the
// two read differently is a way to smuggle.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		"GET /svc-api/v1/posts?limit=5 HTTP/1.1\r\nHost: a.example:8080\r\nAccept: */*\r\n\r\n",
		"POST /a%20b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.1\r\n",
		"POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
		"GET / HTTP/1.0\r\nHost: a\r\nX: a\r\n b\r\n\r\n",
		"\r\n\r\nGET //a/../%2e HTTP/1.1\r\nHost: [::1]:1\r\nx:\ty \r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var ours fasthttp.RequestHeader
		r := bufio.NewReaderSize(bytes.NewReader(raw), headerBlock)
		if ours.Read(r) != nil || check(&ours) != nil {
			return
		}
		theirs := bufio.NewReaderSize(bytes.NewReader(raw), headerBlock)
		skipBlankLines(theirs)
		req, err := http.ReadRequest(theirs)
		if err != nil {
			t.Fatalf("accepted what net/http refuses (%v): %q", err, raw)
		}
		if req.Method != string(ours.Method()) || req.RequestURI != string(ours.RequestURI()) || req.Host != string(ours.Host()) {
			t.Fatalf("read as %s %s on %s, by net/http as %s %s on %s: %q", ours.Method(), ours.RequestURI(), ours.Host(),
				req.Method, req.RequestURI, req.Host, raw)
		}
		if got, want := framing(&ours), max(req.ContentLength, -1); got != want {
			t.Fatalf("body of %d bytes, by net/http %d: %q", got, want, raw)
		}
		if got, want := rest(t, r), rest(t, theirs); got != want {
			t.Fatalf("header ends before %q, by net/http before %q", got, want)
		}
		if req.Header.Get("Authorization") != strings.Trim(string(ours.Peek("Authorization")), " \t") {
			t.Fatalf("two readings of the credential: %q", raw)
		}
	})
}

// skipBlankLines does what RFC 9112 section 2.2 lets a server do before the
// request line; net/http does not.
func skipBlankLines(r *bufio.Reader) {
	for {
		b, err := r.Peek(1)
		if err == nil && b[0] == '\n' {
			_, _ = r.Discard(1)
			continue
		}
		if two, err := r.Peek(2); err == nil && string(two) == "\r\n" {
			_, _ = r.Discard(2)
			continue
		}
		return
	}
}

// framing is the announced size of the body, -1 for chunked.
func framing(h *fasthttp.RequestHeader) int64 {
	if h.ContentLength() == -2 {
		return 0
	}
	return int64(h.ContentLength())
}

func rest(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
