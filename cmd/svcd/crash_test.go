package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// ledger is what the daemon acknowledged: the checksum of each post's content.
type ledger struct {
	mu    sync.Mutex // guards posts
	posts map[string][32]byte
}

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

// lost lists the acknowledged posts that are gone or changed.
func (l *ledger) lost(ctx context.Context, url, key string) []string {
	var gone []string
	for id, sum := range l.posts {
		status, body := call(ctx, "GET", url+"/svc-api/v1/posts/"+id, key, "")
		var p struct{ Content string }
		if status != http.StatusOK || json.Unmarshal(body, &p) != nil || sha256.Sum256([]byte(p.Content)) != sum {
			gone = append(gone, id)
		}
	}
	return gone
}

const (
	killRounds   = 20
	leastAcks    = 100 // of all rounds; a run with fewer proves nothing
	writers      = 16
	shortestLoad = 100 * time.Millisecond
)

// TestKill ends the daemon with SIGKILL at random moments under load. After each
// restart every acknowledged post of all rounds so far must be there, unchanged.
func TestKill(t *testing.T) {
	data := t.TempDir()
	key := first(t, data)
	acked := &ledger{posts: map[string][32]byte{}}
	for round := range killRounds {
		p := serve(t, data)
		load(t.Context(), p, key, acked, shortestLoad+rand.N(200*time.Millisecond))
		if round%5 != 4 {
			continue
		}
		again := serve(t, data)
		if gone := acked.lost(t.Context(), again.URL, key); len(gone) > 0 {
			t.Fatalf("round %d lost %d of %d acknowledged posts: %.5v", round, len(gone), len(acked.posts), gone)
		}
		again.end(syscall.SIGKILL)
		verify(t, data)
	}
	if len(acked.posts) < leastAcks {
		t.Errorf("only %d posts were acknowledged; the run proves nothing", len(acked.posts))
	}
	t.Logf("%d rounds, %d acknowledged posts, 0 lost", killRounds, len(acked.posts))

	// Negative control: the ledger tells a post that is not there, and one that
	// is not as it was acknowledged.
	p := serve(t, data)
	for id := range acked.posts {
		acked.posts["post_01kzzzzzzzzzzzzzzzzzzzzzzz"] = acked.posts[id]
		acked.posts[id] = [32]byte{}
		break
	}
	if gone := acked.lost(t.Context(), p.URL, key); len(gone) != 2 {
		t.Errorf("the ledger caught %d of 2 planted losses", len(gone))
	}
}

// load writes posts from many connections and kills the daemon after a while.
func load(ctx context.Context, p *process, key string, acked *ledger, after time.Duration) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				content := fmt.Sprintf("<p>%d %d %s</p>", w, n, strings.Repeat("x", 500))
				body, _ := json.Marshal(map[string]string{"title": fmt.Sprintf("Post %d %d", w, n), "content": content})
				status, answer := call(ctx, "POST", p.URL+"/svc-api/v1/posts", key, string(body))
				var made struct{ ID string }
				if status == http.StatusCreated && json.Unmarshal(answer, &made) == nil {
					acked.add(made.ID, content)
				}
			}
		})
	}
	timer := time.NewTimer(after)
	<-timer.C
	p.end(syscall.SIGKILL)
	stop()
	wg.Wait()
}

// TestDrain stops the daemon with SIGTERM under load. Nothing that was taken on
// goes unanswered: afterwards there are exactly the posts that were
// acknowledged.
func TestDrain(t *testing.T) {
	data := t.TempDir()
	key := first(t, data)
	acked := &ledger{posts: map[string][32]byte{}}
	for range 3 {
		p := serve(t, data)
		var wg sync.WaitGroup
		for w := range 8 {
			wg.Go(func() { untilClosed(t, p, key, w, acked) })
		}
		for want := acked.count() + leastAcks; acked.count() < want; {
			runtime.Gosched()
		}
		p.end(syscall.SIGTERM)
		wg.Wait()
		if p.err != nil {
			t.Errorf("exit %v\n%s", p.err, p.stderr.String())
		}
	}
	p := serve(t, data)
	if n := count(t, p.URL, key); n != len(acked.posts) {
		t.Errorf("%d posts are stored, %d were acknowledged", n, len(acked.posts))
	}
}

// untilClosed writes posts until the daemon takes no more connections. Any
// answer but a created post is a failure.
func untilClosed(t *testing.T, p *process, key string, w int, acked *ledger) {
	for n := 0; ; n++ {
		body := fmt.Sprintf(`{"title":"Drain %d %d","content":"<p>x</p>"}`, w, n)
		status, answer := call(t.Context(), "POST", p.URL+"/svc-api/v1/posts", key, body)
		if status == 0 {
			return
		}
		var made struct{ ID string }
		if status != http.StatusCreated || json.Unmarshal(answer, &made) != nil {
			t.Errorf("answer %d %s", status, answer)
			return
		}
		acked.add(made.ID, "")
	}
}

// count pages through all posts.
func count(t *testing.T, url, key string) int {
	t.Helper()
	n := 0
	for cursor := ""; ; {
		status, body := call(t.Context(), "GET", url+"/svc-api/v1/posts?limit=100"+cursor, key, "")
		var page struct {
			Data       []struct{ ID string }
			NextCursor string
			HasMore    bool
		}
		if err := json.Unmarshal(body, &page); err != nil || status != http.StatusOK {
			t.Fatalf("list: %d %s", status, body)
		}
		n += len(page.Data)
		if !page.HasMore {
			return n
		}
		cursor = "&cursor=" + page.NextCursor
	}
}
