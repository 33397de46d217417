package safehtml_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/daemon/internal/safehtml/xsstest"
)

func TestCorpusIsInert(t *testing.T) {
	before := 0
	for _, payload := range xsstest.Corpus(t) {
		if len(xsstest.Active(t, payload)) > 0 {
			before++
		}
		safe := safehtml.Sanitize(payload)
		if active := xsstest.Active(t, safe); len(active) > 0 {
			t.Errorf("%q became %q, in which %q", payload, safe, active)
		}
		if again := safehtml.Sanitize(safe); again != safe {
			t.Errorf("%q became %q, then %q", payload, safe, again)
		}
	}
	if before < 500 {
		t.Errorf("only %d attacks were active before: the check sees too little", before)
	}
	t.Logf("%d attacks were active before", before)
}

// In the browser, many sanitised attacks share a page. As they were sent each has
// a page of its own, since it may swallow what follows; a few that need no click
// are enough to show that the check sees them.
func TestCorpusIsInertInBrowser(t *testing.T) {
	const perPage, control = 25, 48
	var safe, raw []string
	for i, payload := range xsstest.Corpus(t) {
		if i%perPage == 0 {
			safe = append(safe, "")
		}
		safe[i/perPage] += "<div>" + safehtml.Sanitize(payload) + "</div>\n"
		if len(raw) < control && strings.Contains(payload, "<img") && strings.Contains(payload, "onerror=alert(") {
			raw = append(raw, payload)
		}
	}
	browser := xsstest.Browser(t)

	got := openAll(t, browser, safe, time.Minute)
	if len(got.Fired) > 0 || len(got.Active) > 0 || got.Loaded != len(safe) {
		t.Errorf("sanitised: %d of %d loaded, fired %q, active %q", got.Loaded, len(safe), got.Fired, got.Active)
	}
	sent := openAll(t, browser, raw, time.Minute)
	if len(sent.Fired) < control/6 || len(sent.Active) < control/4 {
		t.Errorf("as sent, only %d of %d fired and %d parts were active: the check sees too little", len(sent.Fired), len(raw), len(sent.Active))
	}
	t.Logf("as sent, %d of %d fired and %d parts were active", len(sent.Fired), len(raw), len(sent.Active))
}

func openAll(t *testing.T, browser context.Context, bodies []string, patience time.Duration) xsstest.Result {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body := ""
		if i, err := strconv.Atoi(r.URL.Query().Get("n")); err == nil {
			body = bodies[i]
		}
		fmt.Fprint(w, "<!doctype html><html><body><main>"+body+"</main></body></html>")
	}))
	t.Cleanup(server.Close)
	addresses := make([]string, len(bodies))
	for i := range bodies {
		addresses[i] = server.URL + "?n=" + strconv.Itoa(i)
	}
	return xsstest.Open(t, browser, server.URL, addresses, patience)
}

func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{
		`<p onclick=x>a`, `<a href="java&#10;script:x">`, `<svg><p><style><img src=x onerror=alert(1)>`, `<table><a><tr><a>`,
		`<pre>` + "\n\n" + `a</pre>`, `<b><div></b></div>`, `<img src=//x alt='"><script>'>`, `<noscript><p title="</noscript><img src=x onerror=x>">`,
		`<ruby><rt><rp>a`, "<p\x00a>\x00&#0;&amp;amp;", `<details open=x><summary>`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		safe := safehtml.Sanitize(src)
		if active := xsstest.Active(t, safe); len(active) > 0 {
			t.Fatalf("%q became %q, in which %q", src, safe, active)
		}
		if again := safehtml.Sanitize(safe); again != safe {
			t.Fatalf("%q became %q, then %q", src, safe, again)
		}
	})
}
