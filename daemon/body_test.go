package daemon_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestLargeBodyNeedsACredential announces bodies that are never sent: the answer
// comes before them, and says what is wrong with the credential.
func TestLargeBodyNeedsACredential(t *testing.T) {
	in := start(t)
	const invented = "svc_0123456789ABCDEFGHIJKLMNOPQRSTUV0oTOJ7" // of the right form
	for _, row := range []struct{ path, header, says string }{
		{"/svc-api/v1/media", "Authorization: Bearer " + invented, "invalid_key"},
		{"/svc-api/v1/posts", "Authorization: Bearer svc_x", "invalid_key"},
		{"/svc-api/mcp", "Authorization: Bearer " + invented, "invalid_key"},
		{"/svc-api/trpc/posts.create", "Authorization: Bearer sess_x", "UNAUTHORIZED"},
		{"/svc-api/v1/media", "X-None: 1", "payload_too_large"},
		{"/svc-api/v1/media", "Expect: 100-continue\r\nAuthorization: Bearer " + invented, "invalid_key"},
	} {
		c, err := net.Dial("tcp", in.Addr)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n%s\r\nContent-Length: 1000000\r\n\r\n", row.path, row.header)
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 4096)
		n, _ := res.Body.Read(b)
		if !strings.Contains(string(b[:n]), row.says) || res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: %s %s", row.path, row.header, res.Status, b[:n])
		}
		_ = c.Close()
	}
	if a := in.send(t, "POST", "/svc-api/v1/posts", in.A.Key, `{"title":"large","content":"`+strings.Repeat("x", 1<<20)+`"}`); a.StatusCode != http.StatusCreated {
		t.Errorf("a good key: %s %.300s", a.Status, a.Body)
	}
}

// TestNoSniff asks every surface, for what there is and what there is not.
func TestNoSniff(t *testing.T) {
	in := start(t)
	for _, path := range []string{
		"/svc-api/v1/posts", "/svc-api/v1/nothing", "/svc-api/openapi.json", "/svc-api/trpc.d.ts", "/svc-api/trpc/me.get", "/svc-api/trpc/nothing",
		"/svc-api/mcp", "/.well-known/oauth-protected-resource/svc-api/mcp", "/widget.js", "/widget/demo", "/sign-in", "/healthz", "/readyz",
		"/team-a/", "/nothing", "/a/../b",
	} {
		for _, key := range []string{"", in.A.Key} {
			if a := in.send(t, "GET", path, key, ""); a.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("GET %s: %s without nosniff", path, a.Status)
			}
		}
	}
}
