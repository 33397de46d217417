package daemon_test

import (
	"net/url"
	"strings"
	"testing"
)

// TestTRPC works with posts as a dashboard does: signed in, in SuperJSON, one
// team apart from the other.
func TestTRPC(t *testing.T) {
	in := start(t)
	token := in.session(t, in.A)
	created := in.send(t, "POST", "/svc-api/trpc/posts.create", token, `{"json":{"title":"From a dashboard","content":"<p>Text</p>"}}`)
	if created.StatusCode != 200 && created.StatusCode != 201 || !strings.Contains(string(created.Body), `"createdAt":["Date"]`) {
		t.Fatalf("%s %s", created.Status, created.Body)
	}
	for name, c := range map[string]struct {
		token, method, path, body string
		headers                   []string
		status                    int
		want                      string
	}{
		"batch":         {token, "GET", "/posts.list,nope?batch=1&input=%7B%220%22%3A%7B%22json%22%3A%7B%22limit%22%3A5%7D%7D%7D", "", nil, 207, "From a dashboard"},
		"bare":          {token, "POST", "", `{"id":1,"method":"query","params":{"path":"posts.list"}}`, nil, 200, `createdAt":["Date"]`},
		"key":           {in.A.Key, "GET", "/posts.list", "", nil, 401, `"code":"UNAUTHORIZED"`},
		"no session":    {"", "GET", "/posts.list", "", nil, 401, `"code":"UNAUTHORIZED"`},
		"bad field":     {token, "POST", "/posts.create", `{"json":{"title":1}}`, nil, 422, `"code":"UNPROCESSABLE_CONTENT"`},
		"hostile":       {token, "POST", "/posts.create", `{"json":{},"meta":{"values":{"__proto__.x":["Date"]},"v":1}}`, nil, 400, `"code":"BAD_REQUEST"`},
		"GET to change": {token, "GET", "/posts.create", "", nil, 405, `"code":"METHOD_NOT_SUPPORTED"`},
		"form":          {token, "POST", "/posts.create", `{}`, []string{"Content-Type", "multipart/form-data; boundary=x"}, 415, "UNSUPPORTED_MEDIA_TYPE"},
		"other site":    {"", "POST", "/posts.create", `{"json":{}}`, []string{"Cookie", "svc_session=" + token, "Sec-Fetch-Site", "cross-site"}, 403, `"code":"FORBIDDEN"`},
		"cookie":        {"", "GET", "/posts.list", "", []string{"Cookie", "svc_session=" + token, "Sec-Fetch-Site", "same-origin"}, 200, "From a dashboard"},
	} {
		got := in.send(t, c.method, "/svc-api/trpc"+c.path, c.token, c.body, c.headers...)
		if got.StatusCode != c.status || !strings.Contains(string(got.Body), c.want) {
			t.Errorf("%s: %s %s", name, got.Status, got.Body)
		}
	}
	other := in.send(t, "GET", "/svc-api/trpc/posts.list", in.session(t, in.B), "")
	if other.StatusCode != 200 || strings.Contains(string(other.Body), "From a dashboard") {
		t.Errorf("the other team: %s %s", other.Status, other.Body)
	}
}

// TestTRPCGuard gives refusals of what stands before the surface its form.
func TestTRPCGuard(t *testing.T) {
	in := start(t)
	token := in.session(t, in.A)
	for name, c := range map[string]struct {
		path, body string
		headers    []string
		status     int
		want       string
	}{
		"a body too large":  {"/svc-api/trpc/posts.create", `{"json":"` + strings.Repeat("x", 3<<20) + `"}`, nil, 413, `"code":"PAYLOAD_TOO_LARGE"`},
		"a stranger's body": {"/svc-api/trpc/auth.login", `{"json":"` + strings.Repeat("x", 100<<10) + `"}`, []string{"Authorization", "Bearer svc_x"}, 413, `"code":"PAYLOAD_TOO_LARGE"`},
		"a packed body":     {"/svc-api/trpc/posts.create", `{}`, []string{"Content-Encoding", "gzip"}, 415, `"code":"UNSUPPORTED_MEDIA_TYPE"`},
		"headers too large": {"/svc-api/trpc/posts.create?x=" + strings.Repeat("x", 70<<10), `{}`, nil, 431, ``},
	} {
		a := in.send(t, "POST", c.path, token, c.body, c.headers...)
		if a.StatusCode != c.status || !strings.Contains(string(a.Body), c.want) || c.want != "" && !strings.HasPrefix(string(a.Body), `{"error":{"json":{"message":`) {
			t.Errorf("%s: %s %.300s", name, a.Status, a.Body)
		}
	}
	if a := in.send(t, "POST", "/svc-api/v1/posts", in.A.Key, `{}`, "Content-Encoding", "gzip"); a.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("REST keeps its own form: %s", a.Body)
	}
}

// TestTRPCFollow follows a job with a session, and not without.
func TestTRPCFollow(t *testing.T) {
	in := start(t)
	token := in.session(t, in.A)
	job := in.send(t, "POST", "/svc-api/v1/posts", in.A.Key, `{"title":"Why Go","generateContent":true}`).JSON(t)["jobId"].(string)
	in.send(t, "GET", "/svc-api/v1/posts/jobs/"+job+"?wait=30", in.A.Key, "")
	follow := func(name string) string {
		return string(in.send(t, "GET", "/svc-api/trpc/"+name+"?input="+url.QueryEscape(`{"json":{"id":"`+job+`"}}`), token, "").Body)
	}
	if got := follow("jobs.watch"); !strings.Contains(got, `"state":"completed"`) || !strings.HasSuffix(got, "event: return\ndata: \n\n") {
		t.Fatalf("followed %q", got)
	}
	in.procedure(t, "auth.logout", token, `{}`)
	if got := follow("jobs.watch"); !strings.Contains(got, "serialized-error") || !strings.Contains(got, "session_required") {
		t.Errorf("followed without a session: %q", got)
	}
}
