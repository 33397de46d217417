package guard_test

import (
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/surface/guard"
)

// inner is the request that an attacker hides in the body of another.
const inner = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"

// TestSmuggling sends what front proxies and servers were seen to frame
// differently (RFC 9112 section 11.2). Each gets one refusal and a close:
// a second response would answer the hidden request.
func TestSmuggling(t *testing.T) {
	addr := start(t, guard.Options{})
	const post = "POST /p HTTP/1.1\r\nHost: a\r\n"
	chunks := "0\r\n\r\n" + inner
	for name, raw := range map[string]string{
		"CL.TE":                         post + "Content-Length: 38\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
		"TE.CL":                         post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n" + chunks,
		"CL zero and TE":                post + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
		"TE with space before colon":    post + "Transfer-Encoding : chunked\r\nContent-Length: 3\r\n\r\n" + chunks,
		"TE with tab before colon":      post + "Transfer-Encoding\t: chunked\r\n\r\n" + chunks,
		"TE xchunked":                   post + "Transfer-Encoding: xchunked\r\n\r\n" + chunks,
		"TE xchunked and CL":            post + "Content-Length: 5\r\nTransfer-Encoding: xchunked\r\n\r\n" + chunks,
		"TE list":                       post + "Transfer-Encoding: gzip, chunked\r\n\r\n" + chunks,
		"TE chunked then identity":      post + "Transfer-Encoding: chunked, identity\r\n\r\n" + chunks,
		"TE twice":                      post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunks,
		"TE identity and CL":            post + "Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\n" + chunks,
		"TE identity":                   post + "Transfer-Encoding: identity\r\n\r\n" + chunks,
		"TE quoted":                     post + "Transfer-Encoding: \"chunked\"\r\n\r\n" + chunks,
		"TE with vertical tab":          post + "Transfer-Encoding: \vchunked\r\n\r\n" + chunks,
		"TE with trailing NUL":          post + "Transfer-Encoding: chunked\x00\r\n\r\n" + chunks,
		"TE folded":                     post + "Transfer-Encoding:\r\n chunked\r\n\r\n" + chunks,
		"TE behind a bare CR":           post + "X: a\rTransfer-Encoding: chunked\r\n\r\n" + chunks,
		"TE behind a bare LF":           post + "X: a\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
		"TE with leading space":         post + " Transfer-Encoding: chunked\r\n\r\n" + chunks,
		"TE in HTTP/1.0":                "POST /p HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks,
		"TE under a NUL name":           post + "Transfer-Encoding\x00: chunked\r\n\r\n" + chunks,
		"underscore name beside CL":     post + "Content-Length: 5\r\nContent-Length : 50\r\n\r\n" + chunks,
		"CL twice, equal":               post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n" + chunks,
		"CL list":                       post + "Content-Length: 5, 5\r\n\r\n" + chunks,
		"CL with plus":                  post + "Content-Length: +5\r\n\r\n" + chunks,
		"CL negative":                   post + "Content-Length: -5\r\n\r\n" + chunks,
		"CL hexadecimal":                post + "Content-Length: 0x5\r\n\r\n" + chunks,
		"CL with inner space":           post + "Content-Length: 5 0\r\n\r\n" + chunks,
		"CL empty":                      post + "Content-Length:\r\n\r\n" + chunks,
		"CL beyond 64 bits":             post + "Content-Length: 99999999999999999999999999\r\n\r\n" + chunks,
		"chunk size with plus":          post + "Transfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n" + chunks,
		"chunk size with 0x":            post + "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n" + chunks,
		"chunk size negative":           post + "Transfer-Encoding: chunked\r\n\r\n-1\r\nhello\r\n" + chunks,
		"chunk size too large":          post + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello\r\n" + chunks,
		"chunk size ended by LF":        post + "Transfer-Encoding: chunked\r\n\r\n5\nhello\r\n" + chunks,
		"chunk extension with LF":       post + "Transfer-Encoding: chunked\r\n\r\n5;a\nb\r\nhello\r\n" + chunks,
		"chunk longer than its size":    post + "Transfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n" + chunks,
		"chunk data ended by LF":        post + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\n" + chunks,
		"framing in a trailer":          post + "Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\n\r\n0\r\nContent-Length: 5\r\n\r\n" + inner,
		"two hosts":                     "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + inner,
		"no host":                       "GET / HTTP/1.1\r\nX: y\r\n\r\n" + inner,
		"no host in HTTP/1.0":           "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + inner,
		"no header at all":              "GET / HTTP/1.1\r\n\r\n" + inner,
		"empty host":                    "GET / HTTP/1.1\r\nHost:\r\n\r\n" + inner,
		"host with a path":              "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n" + inner,
		"host with user":                "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n" + inner,
		"host list":                     "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n" + inner,
		"two credentials":               "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\nauthorization: Bearer y\r\n\r\n" + inner,
		"two content types":             post + "Content-Type: text/plain\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n" + inner,
		"header without colon":          "GET / HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n" + inner,
		"header without name":           "GET / HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n" + inner,
		"HTTP/0.9":                      "GET /\r\n\r\n" + inner,
		"HTTP/1.2":                      "GET / HTTP/1.2\r\nHost: a\r\n\r\n" + inner,
		"HTTP/2.0":                      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + inner,
		"two spaces in the first line":  "GET  / HTTP/1.1\r\nHost: a\r\n\r\n" + inner,
		"space in the target":           "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n" + inner,
		"target of another authority":   "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n" + inner,
		"asterisk":                      "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n" + inner,
		"space before the version's CR": "GET / HTTP/1.1 \r\nHost: a\r\n\r\n" + inner,
	} {
		t.Run(name, func(t *testing.T) { wantOne(t, exchange(t, addr, []byte(raw)), 400) })
	}
}

// TestBodyIsNotTheNextRequest covers methods that usually have no body.
func TestBodyIsNotTheNextRequest(t *testing.T) {
	addr := start(t, guard.Options{})
	for _, method := range []string{"GET", "HEAD", "OPTIONS", "DELETE", "POST"} {
		raw := method + " /outer HTTP/1.1\r\nHost: a\r\nContent-Length: 33\r\n\r\n" + inner +
			"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
		a := exchange(t, addr, []byte(raw))
		if got := a.statuses(); len(got) != 2 || strings.Contains(string(a.raw), "/hidden") {
			t.Errorf("%s: statuses %v, want the outer and the last request:\n%s", method, got, a.raw)
		}
	}
}

func TestPathHasOneSpelling(t *testing.T) {
	addr := start(t, guard.Options{})
	refused := []string{
		"/a/%2e%2e/b", "/a/..%2fb", "/a/%2E./b", "/a/../b", "/a/./b", "/a/..", "/.", "//a", "/a//b", "/a%2fb", "/a%2Fb",
		"/a%5cb", "/a\\b", "/%252e", "/a%00", "/a%0d%0aX:y", "/a%7f", "/%61dmin", "/%c0%ae%c0%ae/b", "/%ff", "/%", "/%4", "/%zz",
		"/a#b", "/a\"b", "/a<b>", "/a\x80", "/a?b\x7f", "/a?b#c",
	}
	for _, path := range refused {
		wantOne(t, exchange(t, addr, []byte("GET "+path+" HTTP/1.1\r\nHost: a\r\n\r\n")), 400)
	}
	accepted := []string{
		"/", "/a/b", "/.well-known/acme", "/a..b/c.d", "/by-email/ada%40example.org", "/blog/caf%C3%A9", "/a%20b",
		"/trpc/a.b,c.d?batch=1&input=%7B%22%2F%22%3A1%7D", "/a?b=//../%2e%00&c=caf\xc3\xa9",
	}
	for _, path := range accepted {
		wantOne(t, exchange(t, addr, []byte("GET "+path+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")), 200)
	}
}

func TestUnknownMethodsAreNamed(t *testing.T) {
	addr := start(t, guard.Options{})
	for _, method := range []string{"get", "TRACE", "CONNECT", "PROPFIND", "GETX"} {
		a := exchange(t, addr, []byte(method+" / HTTP/1.1\r\nHost: a\r\n\r\n"))
		wantOne(t, a, 405)
		if !strings.Contains(string(a.raw), "Allow: GET, HEAD, POST") {
			t.Errorf("%s: no Allow header:\n%s", method, a.raw)
		}
	}
}
