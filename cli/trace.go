package cli

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/terminal"
)

// tracer tells about each request on standard error, without bodies and with
// credentials masked.
type tracer struct {
	next http.RoundTripper
	io   *terminal.IO
}

// hidden headers carry credentials.
var hidden = []string{"Authorization", "Cookie", "Set-Cookie", "Proxy-Authorization"}

func (t *tracer) RoundTrip(req *http.Request) (*http.Response, error) {
	query := ""
	if req.URL.RawQuery != "" {
		query = "?" + req.URL.RawQuery
	}
	t.io.Say("> %s %s://%s%s%s", req.Method, req.URL.Scheme, req.URL.Host, terminal.Line(req.URL.EscapedPath()), terminal.Line(query))
	t.headers(">", req.Header)
	start := time.Now()
	resp, err := t.next.RoundTrip(req)
	took := time.Since(start).Round(time.Millisecond)
	if err != nil {
		t.io.Say("< %s after %s", terminal.Line(err.Error()), took)
		return nil, err
	}
	t.io.Say("< %s in %s", terminal.Line(resp.Status), took)
	t.headers("<", resp.Header)
	return resp, nil
}

func (t *tracer) headers(mark string, h http.Header) {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value := terminal.Line(h.Get(name))
		switch {
		case name == "Cookie" || name == "Set-Cookie":
			value = "****"
		case slices.Contains(hidden, name):
			kind, credential, _ := strings.Cut(value, " ")
			value = kind + " " + mask(credential)
		}
		t.io.Say("%s   %s: %s", mark, terminal.Line(name), value)
	}
}
