package daemon_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// wire sends a GET with header lines as they are, the key among them, and
// returns the answer's status and body.
func (in *instance) wire(t *testing.T, path string, lines ...string) (int, string) {
	t.Helper()
	conn, err := net.Dial("tcp", in.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n", path, in.Addr, strings.Join(append(lines, ""), "\r\n")); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// TestClientBehindProxy spends the wrong guesses of two clients and sees in which
// forms of X-Forwarded-For they are known again: whatever a client sends itself
// makes it nobody else.
func TestClientBehindProxy(t *testing.T) {
	in := start(t, proxied)
	guess := func(lines ...string) (int, string) {
		return in.wire(t, v1+"/posts", append(lines, "Authorization: Bearer svc_"+strings.Repeat("x", 40))...)
	}
	spend := func(address string) {
		for range 10 {
			if status, body := guess("X-Forwarded-For: " + address); status != 401 {
				t.Fatalf("a wrong key: %d %s", status, body)
			}
		}
	}
	spend("203.0.113.9")
	spend("2001:db8:1:2::1")
	for name, row := range map[string]struct {
		status int
		lines  []string
	}{
		"the same":                      {429, []string{"X-Forwarded-For: 203.0.113.9"}},
		"last of a list":                {429, []string{"X-Forwarded-For: 198.51.100.1, 203.0.113.9"}},
		"a line of the proxy's own":     {429, []string{"X-Forwarded-For: 198.51.100.2", "X-Forwarded-For: 203.0.113.9"}},
		"invalid bytes of the client":   {429, []string{"X-Forwarded-For: \xff", "X-Forwarded-For: 203.0.113.9"}},
		"with a port":                   {429, []string{"X-Forwarded-For: 203.0.113.9:40001"}},
		"with another port":             {429, []string{"x-forwarded-for:203.0.113.9:40002"}},
		"mapped into IPv6":              {429, []string{"X-Forwarded-For: ::ffff:203.0.113.9"}},
		"IPv6":                          {429, []string{"X-Forwarded-For: 2001:db8:1:2::1"}},
		"IPv6 in brackets":              {429, []string{"X-Forwarded-For: [2001:db8:1:2::1]"}},
		"IPv6 with a port":              {429, []string{"X-Forwarded-For: [2001:db8:1:2::1]:40001"}},
		"another address of the /64":    {429, []string{"X-Forwarded-For: 2001:db8:1:2:ffff::5"}},
		"another client":                {401, []string{"X-Forwarded-For: 203.0.113.10"}},
		"another /64":                   {401, []string{"X-Forwarded-For: 2001:db8:1:3::1"}},
		"the client's word is not last": {401, []string{"X-Forwarded-For: 203.0.113.9, 203.0.113.11"}},
		"past the proxy":                {401, nil},
		"invalid bytes":                 {400, []string{"X-Forwarded-For: \xff"}},
		"nothing after a comma":         {400, []string{"X-Forwarded-For: 203.0.113.9,"}},
		"no value":                      {400, []string{"X-Forwarded-For:"}},
		"unknown":                       {400, []string{"X-Forwarded-For: unknown"}},
		"a name":                        {400, []string{"X-Forwarded-For: 198.51.100.3", "X-Forwarded-For: client.example"}},
	} {
		if status, body := guess(row.lines...); status != row.status || status == 400 && !strings.Contains(body, `"invalid_request"`) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	for _, path := range []string{"/", "/healthz", query("auth.session")} {
		if status, body := in.wire(t, path, "X-Forwarded-For: \xff"); status != 400 || !strings.Contains(body, "X-Forwarded-For") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

// TestClientWithoutProxy: without a proxy the header is anybody's word.
func TestClientWithoutProxy(t *testing.T) {
	in := start(t)
	for i := range 11 {
		status, _ := in.wire(t, v1+"/posts", fmt.Sprint("X-Forwarded-For: 203.0.113.", i), "Authorization: Bearer svc_"+strings.Repeat("x", 40))
		if want := map[bool]int{true: 401, false: 429}[i < 10]; status != want {
			t.Errorf("guess %d: %d", i, status)
		}
	}
}
