package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"
)

// searchRounds is how often the daemon is killed while it searches.
const searchRounds = 6

// TestKillWhileSearching ends the daemon with SIGKILL while posts are written,
// searched for and kept in snapshots. After each start the search finds every post
// that was acknowledged, and the store is whole.
func TestKillWhileSearching(t *testing.T) {
	data := t.TempDir()
	key := first(t, data)
	var mu sync.Mutex
	acked := map[string]string{} // posts by their word
	for round := range searchRounds {
		p := started(t, raced(serving(data)))
		timer := time.AfterFunc(shortestLoad+rand.N(400*time.Millisecond), func() { _ = p.Process.Kill() })
		var clients sync.WaitGroup
		for w := range 8 {
			clients.Go(func() {
				for n := 0; ; n++ {
					word := fmt.Sprintf("w%dr%dn%d", w, round, n)
					id, _, _ := p.write(t.Context(), key, word, "<p>About "+word+" and others.</p>")
					if id == "" {
						return
					}
					mu.Lock()
					acked[word] = id
					mu.Unlock()
				}
			})
		}
		for status := http.StatusOK; status != 0; { // a search takes in what was written, and has it kept
			status, _ = call(t.Context(), "GET", p.URL+api+"/posts/search?status=DRAFT&q=about", key, "")
		}
		clients.Wait()
		timer.Stop()
		<-p.exited
	}
	verify(t, data)
	p := serve(t, data)
	lost := 0
	for word, id := range acked {
		if !p.finds(t, key, word, id) {
			lost++
		}
	}
	if lost > 0 || len(acked) < leastAcks {
		t.Errorf("%d of %d acknowledged posts are not found", lost, len(acked))
	}
	if p.finds(t, key, "w0r0n99999999", acked["w0r0n0"]) {
		t.Error("a word that was never written is found first in a post")
	}
}

// finds reports whether a search has a draft for its first hit.
func (p *process) finds(t *testing.T, key, word, id string) bool {
	t.Helper()
	hits := get[struct{ Data []struct{ PostID string } }](t, p.URL+api+"/posts/search?status=DRAFT&q="+url.QueryEscape(word), key)
	return len(hits.Data) > 0 && hits.Data[0].PostID == id
}
