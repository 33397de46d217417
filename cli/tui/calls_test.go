package tui

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCallsAreCommands: each call is a line that a shell runs, and no password
// is in one.
func TestCallsAreCommands(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	calls := NewCalls(http.DefaultTransport)
	client := &http.Client{Transport: calls}
	for _, c := range [][3]string{
		{"GET", "/svc-api/v1/posts?limit=100", ""},
		{"POST", "/svc-api/v1/posts", `{"title":"It's"}`},
		{"POST", "/svc-api/v1/posts/post_1/publish", "{}"},
		{"POST", "/svc-api/trpc/conversations.takeOver", `{"json":{"id":"conv_1"}}`},
		{"GET", "/svc-api/trpc/conversations.inbox?input=%7B%22json%22%3A%7B%7D%7D", ""},
		{"POST", "/svc-api/trpc/auth.login", `{"json":{"password":"hunter2"}}`},
		{"POST", "/svc-api/trpc/tasks.setApiKey", `{"json":{"id":"tsk_1","key":"hunter2"}}`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c[0], server.URL+c[1], strings.NewReader(c[2]))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(c[1], "inbox") {
			req.Header.Set("Accept", "text/event-stream")
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	var got []string
	for _, c := range calls.calls {
		got = append(got, c.command())
		if c.status != http.StatusTeapot || strings.Contains(c.command()+c.String(), "hunter2") {
			t.Errorf("%+v", c)
		}
	}
	want := []string{
		"svcctl api 'posts?limit=100'",
		`echo '{"title":"It'\''s"}' | svcctl api -X POST posts --input -`,
		"svcctl api -X POST posts/post_1/publish",
		`svcctl api trpc conversations.takeOver --input '{"json":{"id":"conv_1"}}'`,
		`svcctl api trpc conversations.inbox --input '{"json":{}}' --follow`,
		"svcctl api trpc auth.login",
		"svcctl api trpc tasks.setApiKey",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	server.Close()
	if resp, err := client.Get(server.URL); err == nil {
		resp.Body.Close()
		t.Fatal("a closed server answers")
	}
	if calls.fault == nil {
		t.Error("the lost connection goes unnoticed")
	}
}
