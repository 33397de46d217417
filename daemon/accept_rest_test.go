package daemon_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon"
)

const v1 = "/svc-api/v1"

// refusals are requests that the documented rules refuse, with the code and,
// where fields are to blame, all the pointers.
var refusals = []struct {
	name, method, path, body string
	headers                  []string
	status                   int
	code                     string
	pointers                 string
}{
	{"limit of zero", "GET", "/posts?limit=0", "", nil, 400, "invalid_parameter", "limit"},
	{"limit above", "GET", "/posts?limit=101", "", nil, 400, "invalid_parameter", "limit"},
	{"limit no number", "GET", "/posts?limit=x", "", nil, 400, "invalid_parameter", "limit"},
	{"limit twice", "GET", "/posts?limit=1&limit=2", "", nil, 400, "invalid_parameter", "limit"},
	{"empty state", "GET", "/posts/jobs?state=", "", nil, 400, "invalid_parameter", "state"},
	{"state of no job", "GET", "/posts/jobs?state=done", "", nil, 400, "invalid_parameter", "state"},
	{"unknown parameter", "GET", "/posts?colour=red", "", nil, 400, "unknown_parameter", "colour"},
	{"unknown parameter of a read", "GET", "/posts/by-slug/a?colour=red", "", nil, 400, "unknown_parameter", "colour"},
	{"invalid UTF-8", "GET", "/posts?q=%ff", "", nil, 400, "invalid_parameter", "q"},
	{"no time", "GET", "/posts?createdAfter=yesterday", "", nil, 400, "invalid_parameter", "createdAfter"},
	{"no cursor", "GET", "/posts?cursor=zzz", "", nil, 400, "invalid_cursor", ""},
	{"wait too long", "GET", "/posts/jobs/job_x?wait=31", "", nil, 400, "invalid_parameter", "wait"},
	{"body of a read", "GET", "/posts", "{}", nil, 400, "invalid_request", ""},
	{"query of a write", "POST", "/posts?title=x", `{}`, nil, 400, "unknown_parameter", ""},
	{"trailing slash", "GET", "/posts/", "", nil, 404, "route_not_found", ""},
	{"no route", "GET", "/nothing", "", nil, 404, "route_not_found", ""},
	{"no post", "GET", "/posts/post_01kzzzzzzzzzzzzzzzzzzzzzzz", "", nil, 404, "not_found", ""},
	{"null", "POST", "/posts", "null", nil, 422, "validation_failed", ""},
	{"list", "POST", "/posts", "[]", nil, 422, "validation_failed", ""},
	{"half", "POST", "/posts", `{"title":`, nil, 400, "invalid_json", "/title"},
	{"two values", "POST", "/posts", `{"title":"a","content":"b"}{}`, nil, 400, "invalid_json", ""},
	{"member twice", "POST", "/posts", `{"title":"a","title":"b"}`, nil, 400, "invalid_json", "/title"},
	{"other case", "POST", "/posts", `{"title":"a","Content":"b"}`, nil, 422, "unknown_field", "/Content"},
	{"unknown fields", "POST", "/posts", `{"title":"a","content":"b","colour":1,"size":2}`, nil, 422, "unknown_field", "/colour /size"},
	{"everything at once", "POST", "/posts", `{"title":"","content":"b","slug":"Bad Slug!","status":"ARCHIVED","tags":[""],"canonicalUrl":"javascript:1","locale":"!","featuredImage":{"url":"ftp://x"}}`,
		nil, 422, "validation_failed", "/title /status /slug /tags/0 /locale /canonicalUrl /featuredImage/url"},
	{"no flags", "POST", "/posts", `{"title":"a"}`, nil, 422, "no_generation_flags", ""},
	{"no such model", "POST", "/posts", `{"title":"a","generateTags":true,"model":"gpt-3"}`, nil, 422, "unknown_model", "/model"},
	{"taken slug", "POST", "/posts", `{"title":"a","content":"b","slug":"taken"}`, nil, 409, "slug_taken", "/slug"},
	{"no type", "POST", "/posts", `{}`, []string{"Content-Type", ""}, 415, "unsupported_media_type", ""},
	{"other type", "POST", "/posts", `{}`, []string{"Content-Type", "text/plain"}, 415, "unsupported_media_type", ""},
	{"other encoding", "POST", "/posts", `{}`, []string{"Content-Type", "application/json; charset=utf-16"}, 415, "unsupported_media_type", ""},
	{"patch type on POST", "POST", "/posts", `{}`, []string{"Content-Type", "application/merge-patch+json"}, 415, "unsupported_media_type", ""},
	{"compressed", "POST", "/posts", `{}`, []string{"Content-Encoding", "gzip"}, 415, "unsupported_media_type", ""},
	{"long idempotency key", "POST", "/posts", `{"title":"a","content":"b"}`, []string{"Idempotency-Key", strings.Repeat("k", 256)}, 400, "invalid_parameter", ""},
	{"patch of nothing there", "PATCH", "/posts/{id}", `{"titel":"a","createdAt":null}`, nil, 422, "unknown_field", "/createdAt /titel"},
	{"patch of everything at once", "PATCH", "/posts/{id}", `{"title":null,"status":"NO","slug":"Bad Slug","canonicalUrl":"x"}`, nil, 422, "validation_failed", "/title /status /slug /canonicalUrl"},
	{"other version", "PATCH", "/posts/{id}", `{"title":"a"}`, []string{"If-Match", `"7"`}, 412, "version_conflict", ""},
	{"revision zero", "POST", "/posts/{id}/revisions/0/restore", "", nil, 422, "validation_failed", "n"},
	{"schedule in the past", "PATCH", "/posts/{id}", `{"publishAt":"2020-01-01T00:00:00Z"}`, nil, 422, "validation_failed", "/publishAt"},
	{"picture that is none", "POST", "/media", "<svg/>", []string{"Content-Type", "image/svg+xml"}, 415, "unsupported_media_type", ""},
	{"picture that lies", "POST", "/media", "<svg/>", []string{"Content-Type", "image/png"}, 415, "unsupported_media_type", ""},
}

// TestAcceptRefusals holds REST to its documented refusals: status, code, every
// field at once, the problem's shape, and no change of anything.
func TestAcceptRefusals(t *testing.T) {
	in := start(t)
	id := in.post(t, in.A.Key, `{"title":"Taken","content":"<p>x</p>"}`)
	before := in.seen(t, in.A, nil)
	for _, c := range refusals {
		t.Run(c.name, func(t *testing.T) {
			a := in.send(t, c.method, v1+strings.ReplaceAll(c.path, "{id}", id), in.A.Key, c.body, c.headers...)
			e := a.JSON(t)
			if a.StatusCode != c.status || e["code"] != c.code {
				t.Fatalf("%s %s", a.Status, a.Body)
			}
			var pointers []string
			if list, ok := e["errors"].([]any); ok {
				for _, f := range list {
					pointers = append(pointers, f.(map[string]any)["pointer"].(string))
				}
			}
			if got := strings.Join(pointers, " "); got != c.pointers {
				t.Errorf("pointers %q, want %q", got, c.pointers)
			}
			if a.Header.Get("Content-Type") != "application/problem+json" || e["requestId"] != a.Header.Get("X-Request-Id") {
				t.Errorf("%v %s", a.Header, a.Body)
			}
		})
	}
	if after := in.seen(t, in.A, nil); !slices.Equal(after, before) {
		t.Errorf("something changed:\n%s\n%s", before, after)
	}
}

// TestAcceptUnauthorized has every 401 name its reason and its challenge.
func TestAcceptUnauthorized(t *testing.T) {
	in := start(t)
	for _, c := range []struct{ authorization, code, challenge string }{
		{"", "missing_key", `Bearer realm="svc"`},
		{"Basic YTpi", "missing_key", `Bearer realm="svc"`},
		{"Bearer svc_nonsense", "invalid_key", `Bearer realm="svc", error="invalid_token", error_description="invalid_key"`},
		{"Bearer " + in.session(t, in.A), "invalid_key", `Bearer realm="svc", error="invalid_token", error_description="invalid_key"`},
	} {
		a := in.send(t, "GET", v1+"/posts", "", "", "Authorization", c.authorization)
		if a.StatusCode != 401 || a.JSON(t)["code"] != c.code || a.Header.Get("WWW-Authenticate") != c.challenge {
			t.Errorf("%q: %s %q %s", c.authorization, a.Status, a.Header.Get("WWW-Authenticate"), a.Body)
		}
	}
}

// TestAcceptMethods has 405 name what is allowed, and HEAD answer as GET does.
func TestAcceptMethods(t *testing.T) {
	in := start(t)
	id := in.post(t, in.A.Key, `{"title":"a","content":"b"}`)
	for _, c := range []struct{ method, path, allow string }{
		{"PUT", "/posts", "GET, HEAD, POST"}, {"OPTIONS", "/posts", "GET, HEAD, POST"}, {"DELETE", "/posts/jobs", "GET, HEAD"},
		{"PUT", "/posts/" + id, "DELETE, GET, HEAD, PATCH"}, {"GET", "/posts/" + id + "/publish", "POST"},
	} {
		a := in.send(t, c.method, v1+c.path, in.A.Key, "")
		if a.StatusCode != 405 || a.Header.Get("Allow") != c.allow || a.JSON(t)["code"] != "method_not_allowed" {
			t.Errorf("%s %s: %s, Allow %q", c.method, c.path, a.Status, a.Header.Get("Allow"))
		}
	}
	get, head := in.send(t, "GET", v1+"/posts/"+id, in.A.Key, ""), in.send(t, "HEAD", v1+"/posts/"+id, in.A.Key, "")
	if head.StatusCode != 200 || len(head.Body) != 0 || head.Header.Get("ETag") != get.Header.Get("ETag") || head.ContentLength != int64(len(get.Body)) {
		t.Errorf("HEAD: %s %v", head.Status, head.Header)
	}
}

// TestAcceptConditional reads only what changed, in every form of the header.
func TestAcceptConditional(t *testing.T) {
	in := start(t)
	id := in.post(t, in.A.Key, `{"title":"a","content":"b"}`)
	for header, want := range map[string]int{
		`"1"`: 304, `W/"1"`: 304, `"9", "1"`: 304, `"9" , W/"1"`: 304, `*`: 304,
		`"2"`: 200, `W/"2"`: 200, `1`: 200, `"11"`: 200, `"9", "2"`: 200,
	} {
		for _, method := range []string{"GET", "HEAD"} {
			a := in.send(t, method, v1+"/posts/"+id, in.A.Key, "", "If-None-Match", header)
			if a.StatusCode != want || a.Header.Get("ETag") != `"1"` || want == 304 && len(a.Body) > 0 {
				t.Errorf("%s If-None-Match %s: %s", method, header, a.Status)
			}
		}
	}
}

// TestAcceptRequestID keeps a client's id when it is one, and makes one when
// not.
func TestAcceptRequestID(t *testing.T) {
	in := start(t)
	for id, kept := range map[string]bool{"abc-123": true, "": false, "bad id": false, "<script>": false, strings.Repeat("a", 300): false} {
		got := in.send(t, "GET", v1+"/me", in.A.Key, "", "X-Request-Id", id).Header.Get("X-Request-Id")
		if got == "" || (got == id) != kept {
			t.Errorf("sent %q, got %q", id, got)
		}
	}
}

// TestAcceptIdempotency repeats a create: one post, the same answer, and a
// refusal of the key for anything else.
func TestAcceptIdempotency(t *testing.T) {
	in := start(t)
	send := func(path, body string) answer {
		return in.send(t, "POST", v1+path, in.A.Key, body, "Idempotency-Key", "one")
	}
	first, again := send("/posts", `{"title":"a","content":"<p>b<script>c</script></p>"}`), send("/posts", `{"title":"a","content":"<p>b<script>c</script></p>"}`)
	if first.StatusCode != 201 || again.StatusCode != 201 || again.Header.Get("Idempotency-Replayed") != "true" || first.Header.Get("Idempotency-Replayed") != "" {
		t.Fatalf("%s %s %v", first.Status, again.Status, again.Header)
	}
	a, b := first.JSON(t), again.JSON(t)
	if a["id"] != b["id"] || a["content"] != b["content"] || first.Header.Get("Location") != again.Header.Get("Location") || first.Header.Get("ETag") != again.Header.Get("ETag") {
		t.Errorf("%s\n%s", first.Body, again.Body)
	}
	if other := send("/posts", `{"title":"other","content":"b"}`); other.StatusCode != 422 || other.JSON(t)["code"] != "idempotency_key_reused" {
		t.Errorf("another body: %s %s", other.Status, other.Body)
	}
	if other := send("/posts/"+a["id"].(string)+"/publish", ""); other.StatusCode != 422 || other.JSON(t)["code"] != "idempotency_key_reused" {
		t.Errorf("another path: %s %s", other.Status, other.Body)
	}
	if n := len(in.send(t, "GET", v1+"/posts", in.A.Key, "").JSON(t)["data"].([]any)); n != 1 {
		t.Errorf("%d posts", n)
	}
	if other := in.send(t, "POST", v1+"/posts", in.B.Key, `{"title":"theirs","content":"b"}`, "Idempotency-Key", "one"); other.StatusCode != 201 {
		t.Errorf("another team's key: %s", other.Status)
	}
}

// TestAcceptLimits counts each class on its own, a generation by any way of
// asking for it against those of AI, and says in headers what is left.
func TestAcceptLimits(t *testing.T) {
	in := start(t, func(c *daemon.Config) { c.Limits = []string{"read=3", "write=9", "ai=2", "mcp=0", "login=0"} })
	for i := range 3 {
		a := in.send(t, "GET", v1+"/me", in.A.Key, "")
		if want := fmt.Sprintf(`"read";r=%d;t=`, 2-i); a.StatusCode != 200 || !strings.HasPrefix(a.Header.Get("RateLimit"), want) || a.Header.Get("RateLimit-Policy") != `"read";q=3;w=60` {
			t.Errorf("%s %v", a.Status, a.Header)
		}
	}
	limited := in.send(t, "GET", v1+"/me", in.A.Key, "")
	if limited.StatusCode != 429 || limited.Header.Get("Retry-After") == "" || limited.JSON(t)["code"] != "rate_limited" || limited.JSON(t)["retryable"] != true {
		t.Errorf("%s %v %s", limited.Status, limited.Header, limited.Body)
	}
	generate := `{"title":"a","generateTags":true}`
	for range 2 {
		if a := in.send(t, "POST", v1+"/posts", in.A.Key, generate); a.StatusCode != 202 {
			t.Fatalf("%s %s", a.Status, a.Body)
		}
	}
	if a := in.send(t, "POST", v1+"/posts", in.A.Key, generate); a.StatusCode != 429 || a.Header.Get("Retry-After") == "" {
		t.Errorf("third generation: %s", a.Status)
	}
	a := in.send(t, "POST", v1+"/posts/batch", in.A.Key, `{"items":[{"op":"create","create":`+generate+`}]}`)
	if got := a.JSON(t)["results"].([]any)[0].(map[string]any)["status"]; got != 429.0 {
		t.Errorf("generation in a batch: %v", got)
	}
	for _, direct := range []string{`{"title":"b","content":"c"}`, `{"title":"b","content":"c","generateContent":true}`} {
		if a := in.send(t, "POST", v1+"/posts", in.A.Key, direct); a.StatusCode != http.StatusCreated {
			t.Errorf("direct create: %s %s", a.Status, a.Body)
		}
	}
	if a := in.send(t, "POST", v1+"/posts", in.B.Key, generate); a.StatusCode != http.StatusAccepted {
		t.Errorf("another team: %s", a.Status)
	}
}
