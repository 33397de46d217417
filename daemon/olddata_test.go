package daemon_test

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/kv/bolt"
)

// oldKey opens the team of testdata/fc4c80a.db.gz, whose owner signs in as
// owner@localhost with "correct horse battery".
const oldKey = "svc_2upEJosrLvoyEjoq2r649nhvKwpaBJrR4SVWtB"

// TestOldDataOpens serves data that the release at commit fc4c80a wrote, reads all
// kinds of it, writes to it, and has it checked.
func TestOldDataOpens(t *testing.T) {
	data := t.TempDir()
	f, err := os.Open("testdata/fc4c80a.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := bolt.Restore(plain, daemon.DataFile(data)); err != nil {
		t.Fatal(err)
	}
	wantWhole(t, data)
	t.Run("served", func(t *testing.T) { useOldData(t, data) })
	wantWhole(t, data)
}

func useOldData(t *testing.T, data string) {
	in := reopen(t, data)
	list := func(path string) []any {
		t.Helper()
		a := in.send(t, "GET", "/svc-api/v1"+path, oldKey, "")
		if a.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %s", path, a.Status, a.Body)
		}
		return a.JSON(t)["data"].([]any)
	}
	for path, want := range map[string]int{"/posts": 3, "/helpdesk/articles": 1, "/conversations": 2, "/events?type=post.*": 5} {
		if got := list(path); len(got) != want {
			t.Errorf("%s lists %d, want %d", path, len(got), want)
		}
	}
	login := in.ask(t, "auth.login", "", `{"email":"owner@localhost","password":"correct horse battery"}`)
	if login.StatusCode != http.StatusOK {
		t.Fatalf("login: %s %s", login.Status, login.Body)
	}
	token := login.JSON(t)["token"].(string)
	if a := in.ask(t, "team.auditLog", token, `{}`); a.StatusCode != http.StatusOK || len(a.JSON(t)["data"].([]any)) < 4 {
		t.Errorf("audit log: %s %s", a.Status, a.Body)
	}
	if a := in.ask(t, "auth.sessions", token, `{}`); len(a.JSON(t)["data"].([]any)) != 2 {
		t.Errorf("sessions: %s", a.Body)
	}

	events := list("/events?order=asc&limit=100")
	for i, e := range events {
		e := e.(map[string]any)
		if got := fmt.Sprint(e["sequence"]); got != fmt.Sprint(i+1) {
			t.Errorf("event %d has the number %s", i+1, got)
		}
		if a := in.send(t, "GET", "/svc-api/v1/events/"+e["id"].(string), oldKey, ""); a.StatusCode != http.StatusOK {
			t.Errorf("event %v: %s", e["id"], a.Status)
		}
	}
	for _, path := range []string{"/posts/search?q=old", "/posts?q=old", "/helpdesk/search?q=refunds"} { // stored before changes were numbered
		if got := list(path); len(got) != 1 {
			t.Errorf("%s finds %v", path, got)
		}
	}
	post := in.post(t, oldKey, `{"title":"A new post","content":"<p>words</p>"}`)
	if a := in.send(t, "PATCH", "/svc-api/v1/posts/"+post, oldKey, `{"title":"Another title"}`); a.StatusCode != http.StatusOK {
		t.Errorf("patch: %s %s", a.Status, a.Body)
	}
	old := list("/posts?order=asc")[0].(map[string]any)["id"].(string)
	if a := in.send(t, "PATCH", "/svc-api/v1/posts/"+old, oldKey, `{"content":"<p>changed after years</p>"}`); a.StatusCode != http.StatusOK {
		t.Errorf("patch of an old post: %s %s", a.Status, a.Body)
	}
	if a := in.send(t, "GET", "/svc-api/v1/posts/"+old, oldKey, ""); !strings.Contains(string(a.Body), "changed after years") {
		t.Errorf("%s", a.Body)
	}
	if got := list("/posts/search?q=years"); len(got) != 1 || len(list("/posts/search?q=old")) != 1 {
		t.Errorf("the changed old post: %v", got)
	}
	after := list("/events?order=asc&limit=100&type=post.*")
	if last := after[len(after)-1].(map[string]any)["sequence"].(float64); last <= float64(len(events)) {
		t.Errorf("after %d events the next has the number %v", len(events), last)
	}
	conversation := list("/conversations")[0].(map[string]any)["id"].(string)
	if a := in.ask(t, "conversations.delete", token, `{"id":"`+conversation+`"}`); a.StatusCode >= 300 {
		t.Errorf("delete a conversation: %s %s", a.Status, a.Body)
	}
}
