package daemon_test

import (
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
