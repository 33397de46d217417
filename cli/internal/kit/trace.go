package kit

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/terminal"
)

// Tracer tells about each request on standard error, without bodies and with
// credentials masked.
type Tracer struct {
	next http.RoundTripper
	IO   *terminal.IO
}

// Hidden headers carry credentials.
var Hidden = []string{"Authorization", "Cookie", "Set-Cookie", "Proxy-Authorization"}

// RoundTrip implements http.RoundTripper.
func (t *Tracer) RoundTrip(req *http.Request) (*http.Response, error) {
	query := ""
	if req.URL.RawQuery != "" {
		query = "?" + req.URL.RawQuery
	}
	t.IO.Say("> %s %s://%s%s%s", req.Method, req.URL.Scheme, req.URL.Host, terminal.Line(req.URL.EscapedPath()), terminal.Line(query))
	t.Headers(">", req.Header)
	start := time.Now()
	resp, err := t.next.RoundTrip(req)
	took := time.Since(start).Round(time.Millisecond)
	if err != nil {
		t.IO.Say("< %s after %s", terminal.Line(err.Error()), took)
		return nil, err
	}
	t.IO.Say("< %s in %s", terminal.Line(resp.Status), took)
	t.Headers("<", resp.Header)
	return resp, nil
}

// Headers prints headers, each line after mark.
func (t *Tracer) Headers(mark string, h http.Header) {
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
		case slices.Contains(Hidden, name):
			kind, credential, _ := strings.Cut(value, " ")
			value = kind + " " + Mask(credential)
		}
		t.IO.Say("%s   %s: %s", mark, terminal.Line(name), value)
	}
}
