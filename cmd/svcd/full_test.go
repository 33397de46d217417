package main

import (
	"net/http"
	"strings"
	"testing"
)

// fillUp writes posts until the storage is full and returns how many. What is
// refused says why, and harms neither the reads nor what was acknowledged.
func fillUp(t *testing.T, p *process, key string, acked *ledger) (n int) {
	t.Helper()
	content := "<p>" + strings.Repeat("x", 50_000) + "</p>"
	const most = 2000
	for refused := 0; refused < 5; {
		id, status, answer := p.write(t.Context(), key, "A post", content)
		switch {
		case id != "":
			n++
			acked.add(id, content)
		case status == http.StatusInsufficientStorage && code(answer) == "storage_full":
			refused++
		default:
			t.Fatalf("after %d posts: %d %s", n, status, answer)
		}
		if n > most {
			t.Fatal("it does not become full")
		}
	}
	for _, path := range []string{"/healthz", "/readyz", api + "/posts", api + "/me"} {
		if status, body := call(t.Context(), "GET", p.URL+path, key, ""); status != http.StatusOK {
			t.Errorf("full: GET %s: %d %s", path, status, body)
		}
	}
	acked.keeps(t, p, key)
	return n
}

// writes wants a write to succeed.
func writes(t *testing.T, p *process, key string, acked *ledger) {
	t.Helper()
	id, status, answer := p.write(t.Context(), key, "Room again", "<p>room</p>")
	if id == "" {
		t.Fatalf("with room again: %d %s", status, answer)
	}
	acked.add(id, "<p>room</p>")
}

// TestMaxSize fills the data up to the configured size. Deleting makes room, and
// so does a larger size.
func TestMaxSize(t *testing.T) {
	data := t.TempDir()
	key := first(t, data)
	p := serve(t, data, "--max-size", "8MiB")
	acked := newLedger()
	var old []string
	for range 20 {
		id, _, _ := p.write(t.Context(), key, "Old", "<p>"+strings.Repeat("y", 50_000)+"</p>")
		if status, body := call(t.Context(), "POST", p.URL+api+"/posts/"+id+"/archive", key, "{}"); status != http.StatusOK {
			t.Fatalf("archive: %d %s", status, body)
		}
		old = append(old, id)
	}
	fillUp(t, p, key, acked)
	for _, id := range old {
		if status, body := call(t.Context(), "DELETE", p.URL+api+"/posts/"+id, key, ""); status != http.StatusOK {
			t.Fatalf("delete from the full store: %d %s", status, body)
		}
	}
	writes(t, p, key, acked)
	fillUp(t, p, key, acked)
	p.stop(t)
	verify(t, data)

	p = serve(t, data, "--max-size", "16MiB")
	writes(t, p, key, acked)
	acked.keeps(t, p, key)
	p.stop(t)
	verify(t, data)
}
