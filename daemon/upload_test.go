package daemon_test

import (
	"strings"
	"sync"
	"testing"
)

// TestUploadOnce: an Idempotency-Key makes a repeated upload answer as the first
// did, alone and side by side, and stores nothing twice.
func TestUploadOnce(t *testing.T) {
	in := start(t)
	picture := dot(t)
	upload := func(team, key, query, body string) answer {
		return in.send(t, "POST", v1+"/media"+query, team, body, "Content-Type", "image/png", "Idempotency-Key", key)
	}
	count := func(team string, want int) {
		t.Helper()
		if n := strings.Count(string(in.send(t, "GET", v1+"/media", team, "").Body), `"id"`); n != want {
			t.Errorf("%d files are stored, want %d", n, want)
		}
	}
	first := upload(in.A.Key, "k1", "?name=a.png", picture)
	if first.StatusCode != 201 || first.Header.Get("Location") != v1+"/media/"+first.JSON(t)["id"].(string) || first.Header.Get("Idempotency-Replayed") != "" {
		t.Fatalf("%s %v %s", first.Status, first.Header, first.Body)
	}
	again := upload(in.A.Key, "k1", "?name=a.png", picture)
	if again.StatusCode != 201 || string(again.Body) != string(first.Body) || again.Header.Get("Location") != first.Header.Get("Location") ||
		again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again: %s %v %s", again.Status, again.Header, again.Body)
	}
	for name, a := range map[string]answer{
		"another picture": upload(in.A.Key, "k1", "?name=a.png", picture+"x"),
		"another name":    upload(in.A.Key, "k1", "?name=b.png", picture),
		"another operation": in.send(t, "POST", v1+"/posts", in.A.Key, `{"title":"x","content":"y"}`,
			"Idempotency-Key", "k1"),
	} {
		if a.StatusCode != 422 || a.JSON(t)["code"] != "idempotency_key_reused" {
			t.Errorf("%s: %s %s", name, a.Status, a.Body)
		}
	}
	if a := upload(in.A.Key, strings.Repeat("k", 256), "", picture); a.StatusCode != 400 {
		t.Errorf("a long key: %s", a.Status)
	}
	count(in.A.Key, 1)

	var ids sync.Map
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { ids.Store(string(upload(in.A.Key, "k2", "", picture).Body), true) })
	}
	all.Wait()
	different := 0
	ids.Range(func(any, any) bool { different++; return true })
	if different != 1 {
		t.Errorf("%d different answers to one key", different)
	}
	count(in.A.Key, 2)

	if a := upload(in.A.Key, "k3", "", "<svg/>"); a.StatusCode != 415 {
		t.Errorf("%s", a.Status)
	}
	if a := upload(in.A.Key, "k3", "", picture); a.StatusCode != 201 {
		t.Errorf("a refusal keeps the key: %s %s", a.Status, a.Body)
	}
	if a := upload(in.B.Key, "k1", "?name=a.png", picture); a.StatusCode != 201 || a.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("another team's key: %s %s", a.Status, a.Body)
	}
}
