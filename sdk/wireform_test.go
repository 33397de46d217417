package sdk_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

func TestRequestsOnTheWire(t *testing.T) {
	for _, test := range []struct {
		name       string
		do         func(*sdk.Client) error
		line, body string
		ifMatch    string
	}{
		{"merge patch", func(c *sdk.Client) error {
			_, err := c.Posts.Update(t.Context(), api.PostPatch{
				PostRef:     api.PostRef{ID: "post_1", IfMatch: 7},
				PostChanges: api.PostChanges{Title: api.Some("<b>"), Description: api.Null[string]()},
			})
			return err
		}, "PATCH /svc-api/v1/posts/post_1", `{"description":null,"title":"<b>"}`, `"7"`},
		{"HTML is not blown up", func(c *sdk.Client) error {
			_, err := c.Posts.Create(t.Context(), api.PostCreate{Title: "Hi", Content: "<p>&</p>"})
			return err
		}, "POST /svc-api/v1/posts", `{"content":"<p>&</p>","title":"Hi"}`, ""},
		{"query", func(c *sdk.Client) error {
			_, err := c.Posts.GetBySlug(t.Context(), "a/b?c é")
			return err
		}, "GET /svc-api/v1/posts/by-slug/a%2Fb%3Fc%20%C3%A9", "", ""},
		{"two path members", func(c *sdk.Client) error {
			_, err := c.Posts.RestoreRevision(t.Context(), api.RevisionRef{ID: "post_1", N: 4})
			return err
		}, "POST /svc-api/v1/posts/post_1/revisions/4/restore", `{}`, ""},
		{"upload", func(c *sdk.Client) error {
			_, err := c.Media.Upload(t.Context(), sdk.MediaUpload{Name: "a b.png", Alt: "é", Body: strings.NewReader("\x89PNG\r\n\x1a\n")})
			return err
		}, "POST /svc-api/v1/media?alt=%C3%A9&name=a+b.png", "\x89PNG\r\n\x1a\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWire(t, ok(aPost))
			if err := test.do(w.client()); err != nil {
				t.Fatal(err)
			}
			r := w.sent(t, 1)[0]
			if line := r.Method + " " + r.Path; line != test.line {
				t.Errorf("sent %s, want %s", line, test.line)
			}
			if r.Body != test.body || r.Header.Get("If-Match") != test.ifMatch {
				t.Errorf("body %s, If-Match %s", r.Body, r.Header.Get("If-Match"))
			}
			if r.Header.Get("Authorization") != "Bearer "+key || !strings.HasPrefix(r.Header.Get("User-Agent"), "svc-go/") {
				t.Errorf("headers %v", r.Header)
			}
		})
	}
}

func TestListQuery(t *testing.T) {
	w := newWire(t, ok(api.Page[api.Post]{Data: []api.Post{}}))
	_, err := w.client().Posts.List(t.Context(), api.PostQuery{PageQuery: api.PageQuery{Limit: 5}, Status: api.PostDraft, CreatedAfter: 1000, Q: "a&b"})
	if err != nil {
		t.Fatal(err)
	}
	want := "/svc-api/v1/posts?createdAfter=1970-01-01T00%3A00%3A01.000Z&limit=5&q=a%26b&status=DRAFT"
	if got := w.sent(t, 1)[0].Path; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
}

func TestEmptyAndDottedIDsStayHere(t *testing.T) {
	w := newWire(t)
	for _, id := range []string{"", ".", ".."} {
		if _, err := w.client().Posts.Get(t.Context(), id); err == nil {
			t.Errorf("id %q was sent", id)
		}
	}
	w.sent(t, 0)
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		name   string
		answer func(*wire)
		status int
		code   api.Code
		text   string
	}{
		{"problem", func(w *wire) {
			w.answers = append(w.answers, refuse(422, "validation_failed", "no title", "Retry-After: 2"))
		}, 422, "validation_failed", "no title"},
		{"HTML refusal", func(w *wire) { w.answers = append(w.answers, raw(500, "text/html", "<h1>")) }, 500, sdk.CodeUnexpectedResponse, "500 with text/html"},
		{"HTML success", func(w *wire) { w.answers = append(w.answers, raw(200, "text/html", "<h1>")) }, 200, sdk.CodeUnexpectedResponse, "instead of JSON"},
		{"cut JSON", func(w *wire) { w.answers = append(w.answers, raw(200, "application/json", `{"id":"post`)) }, 200, sdk.CodeUnexpectedResponse, "cut or damaged"},
		{"another API", func(w *wire) { w.answers = append(w.answers, raw(200, "application/json", `{"hello":1}`)) }, 200, sdk.CodeUnexpectedResponse, `no "id"`},
		{"another type", func(w *wire) { w.answers = append(w.answers, raw(200, "application/json", `{"id":7}`)) }, 200, sdk.CodeUnexpectedResponse, "not what this version"},
		{"redirect", func(w *wire) {
			w.answers = append(w.answers, refuse(302, "x", "", "Location: https://elsewhere.test/x"))
		}, 302, sdk.CodeUnexpectedResponse, "https://elsewhere.test"},
		{"a body too large", func(w *wire) {
			w.answers = append(w.answers, raw(200, "application/json", strings.Repeat(" ", 33<<20)))
		}, 200, sdk.CodeUnexpectedResponse, "larger than 32 MiB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWire(t)
			test.answer(w)
			_, err := w.client(sdk.WithRetries(0)).Posts.Get(t.Context(), "post_1")
			e, ok := errors.AsType[*api.Error](err)
			if !ok || e.Status != test.status || e.Code != test.code || !strings.Contains(e.Detail, test.text) {
				t.Fatalf("error %#v, want %d %s about %q", err, test.status, test.code, test.text)
			}
			if e.RequestID == "" {
				t.Error("no request id")
			}
			if test.name == "problem" && (e.Pointer() != "/title" || e.RetryAfter != 2) {
				t.Errorf("pointer %q, retry after %d", e.Pointer(), e.RetryAfter)
			}
			w.sent(t, 1)
		})
	}
}

func TestInsecureAddresses(t *testing.T) {
	for url, refused := range map[string]bool{
		"http://example.test": true, "http://10.0.0.1:8080": true, "http://localhost.example.test": true,
		"http://127.0.0.1:1": false, "http://localhost:1": false, "http://[::1]:1": false, "https://127.0.0.1:1": false,
	} {
		_, err := sdk.New(url, sdk.WithRetries(0)).Me(t.Context())
		if errors.Is(err, sdk.ErrInsecure) != refused {
			t.Errorf("%s: %v, want it refused: %t", url, err, refused)
		}
	}
	for _, url := range []string{"", "example.test", "ftp://x", "https://u:p@x", "https://x?q=1"} {
		if _, err := sdk.New(url).Me(t.Context()); err == nil {
			t.Errorf("%q was taken as an address", url)
		}
	}
	for _, err := range sdk.New("http://example.test").Jobs.Watch(t.Context(), "job_1") {
		if !errors.Is(err, sdk.ErrInsecure) {
			t.Errorf("watch: %v", err)
		}
	}
}

func TestCredentialsAreNotPrinted(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	c := sdk.New("https://svc.example", sdk.WithAPIKey(key))
	d := sdk.New("https://svc.example", sdk.WithSession("sess_0123456789abcdefgh"))
	for _, v := range []any{c, d, *c, *d, struct{ C *sdk.Client }{c}, []any{c}, c.Posts, *c.Posts, *d.Keys} {
		logger.Info("made", "client", v)
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%x", "%q"} {
			fmt.Fprintf(&log, verb+"\n", v)
		}
	}
	if strings.Contains(log.String(), "0123456789") {
		t.Errorf("a credential was printed: %s", log.String())
	}
	if got := fmt.Sprint(c); got != "sdk.Client{https://svc.example svc_…ABCD}" {
		t.Errorf("printed %s", got)
	}
	if got := sdk.Mask("svc_short"); got != "…" {
		t.Errorf("masked as %s", got)
	}
}
