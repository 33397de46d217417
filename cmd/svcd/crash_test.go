package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// ledger is what the daemon acknowledged: the checksum of each post's content.
type ledger struct {
	mu    sync.Mutex // guards posts
	posts map[string][32]byte
}

func newLedger() *ledger { return &ledger{posts: map[string][32]byte{}} }

func (l *ledger) add(id, content string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.posts[id] = sha256.Sum256([]byte(content))
}

func (l *ledger) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.posts)
}

// await returns once so many posts are acknowledged.
func (l *ledger) await(n int) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for l.count() < n {
		<-tick.C
	}
}

func (l *ledger) clone() *ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &ledger{posts: maps.Clone(l.posts)}
}

// lost lists the acknowledged posts that are gone or changed.
func (l *ledger) lost(ctx context.Context, p *process, key string) []string {
	var gone []string
	for id, sum := range l.clone().posts {
		status, body := call(ctx, "GET", p.URL+api+"/posts/"+id, key, "")
		var post struct{ Content string }
		if status != http.StatusOK || json.Unmarshal(body, &post) != nil || sha256.Sum256([]byte(post.Content)) != sum {
			gone = append(gone, id)
		}
	}
	return gone
}

// keeps fails the test unless p has everything that was acknowledged.
func (l *ledger) keeps(t testing.TB, p *process, key string) {
	t.Helper()
	if gone := l.lost(t.Context(), p, key); len(gone) > 0 {
		t.Errorf("lost %d of %d acknowledged posts: %.5v", len(gone), l.count(), gone)
	}
}

const (
	killRounds   = 20
	leastAcks    = 100 // a run with fewer proves nothing
	killWriters  = 16
	shortestLoad = 100 * time.Millisecond
)

// TestKill ends the daemon with SIGKILL at random moments under load. Every
// acknowledged post of all rounds must be there afterwards, unchanged.
func TestKill(t *testing.T) {
	data := t.TempDir()
	key := first(t, data)
	acked := newLedger()
	for round := range killRounds {
		p := started(t, raced(serving(data)))
		timer := time.AfterFunc(shortestLoad+rand.N(200*time.Millisecond), func() { _ = p.Process.Kill() })
		load(t, p, key, killWriters, acked)
		timer.Stop()
		<-p.exited
		if round%10 == 9 {
			verify(t, data)
		}
	}
	if acked.count() < leastAcks {
		t.Errorf("only %d posts were acknowledged; the run proves nothing", acked.count())
	}
	p := serve(t, data)
	acked.keeps(t, p, key)
	t.Logf("%d rounds, %d acknowledged posts", killRounds, acked.count())

	// Negative control: the ledger tells a post that is not there, and one that
	// is not as it was acknowledged.
	planted := newLedger()
	planted.add("post_01kzzzzzzzzzzzzzzzzzzzzzzz", "never written")
	for id := range acked.posts {
		planted.add(id, "something else")
		break
	}
	if gone := planted.lost(t.Context(), p, key); len(gone) != 2 {
		t.Errorf("the ledger caught %d of 2 planted losses", len(gone))
	}
}

// load writes posts from many connections until the daemon does not answer. Any
// answer but a created post fails the test.
func load(t testing.TB, p *process, key string, writers int, acked *ledger) {
	padding := strings.Repeat("x", 500)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := 0; ; n++ {
				content := fmt.Sprintf("<p>%d %d %s</p>", w, n, padding)
				id, status, answer := p.write(t.Context(), key, fmt.Sprintf("Post %d %d", w, n), content)
				if status == 0 {
					return
				}
				if id == "" {
					t.Errorf("answer %d %s", status, answer)
					return
				}
				acked.add(id, content)
			}
		})
	}
	wg.Wait()
}

// TestDrain stops the daemon with SIGTERM under load. Nothing that was taken on
// goes unanswered: afterwards there are exactly the posts that were
// acknowledged.
func TestDrain(t *testing.T) {
	data := t.TempDir()
	key := first(t, data)
	acked := newLedger()
	for round := range 3 {
		p := started(t, raced(serving(data)))
		var stop sync.WaitGroup
		stop.Go(func() {
			acked.await((round + 1) * leastAcks)
			p.stop(t)
		})
		load(t, p, key, 8, acked)
		stop.Wait()
	}
	if n := count(t, serve(t, data), key); n != acked.count() {
		t.Errorf("%d posts are stored, %d were acknowledged", n, acked.count())
	}
}

// count pages through all posts.
func count(t testing.TB, p *process, key string) (n int) {
	t.Helper()
	type page struct {
		Data       []struct{ ID string }
		NextCursor string
		HasMore    bool
	}
	for more := ""; ; {
		got := get[page](t, p.URL+api+"/posts?limit=100"+more, key)
		n += len(got.Data)
		if !got.HasMore {
			return n
		}
		more = "&cursor=" + got.NextCursor
	}
}
