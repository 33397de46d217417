package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	bolt "go.etcd.io/bbolt"
)

const (
	flips     = 300
	flipPosts = 12 // of each team
)

// question is a request and the answer that the undamaged data gives.
type question struct {
	path, key string
	status    int
	body      []byte
	known     map[string]bool // pieces of right answers about the team
}

// pieces are the posts of a list, or the lines of a page.
func pieces(body []byte) (all []string) {
	var list struct{ Data []json.RawMessage }
	if json.Unmarshal(body, &list) == nil {
		for _, item := range list.Data {
			all = append(all, string(item))
		}
		return all
	}
	return strings.Split(string(body), "\n")
}

// neighbours begins the part of a post's page that links to others.
var neighbours = []byte(`<nav class="around"`)

// omits reports whether an answer is right but for posts that it does not list.
func (q *question) omits(body []byte) bool {
	if strings.Contains(q.path, "/post_") {
		return false
	}
	post, _, ok := bytes.Cut(body, neighbours)
	if right, _, _ := bytes.Cut(q.body, neighbours); ok && !bytes.Equal(post, right) {
		return false
	}
	return !slices.ContainsFunc(pieces(body), func(piece string) bool { return !q.known[piece] })
}

// of asks p. Its address is left out of the answer: it differs between processes.
func (q *question) of(t *testing.T, p *process) (status int, body []byte) {
	status, body = call(t.Context(), "GET", p.URL+q.path, q.key, "")
	return status, bytes.ReplaceAll(body, []byte(p.URL), nil)
}

// TestFlippedBits flips one bit in each of many copies of the data of two teams
// and lets svcd serve and check them. An answer is right or an error, never
// other data; what is hidden or fails is found by svcd check.
func TestFlippedBits(t *testing.T) {
	data, questions := twoTeams(t)
	whole := compacted(t, dataFile(data))
	if v := lookAt(t, questions, whole); v != (verdict{right: len(questions)}) {
		t.Fatalf("undamaged: %+v", v)
	}
	planted := slices.Clone(questions)
	planted[0].body = []byte("what another post says")
	if v := lookAt(t, planted, whole); v.wrong != 1 {
		t.Fatalf("other data is not noticed: %+v", v)
	}
	numbers := make(chan uint64)
	var mu sync.Mutex // guards sum
	var sum struct{ wrong, hidden, failed, refused, died, found, silent int }
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for n := range numbers {
				r := rand.New(rand.NewPCG(4, n))
				damaged := slices.Clone(whole)
				at, bit := r.IntN(len(damaged)), r.IntN(8)
				damaged[at] ^= 1 << bit
				v := lookAt(t, questions, damaged)
				mu.Lock()
				sum.wrong += v.wrong
				sum.hidden += min(v.hidden, 1)
				sum.failed += min(v.failed, 1)
				sum.refused += v.refused
				sum.died += v.died
				sum.found += v.found
				if v.found == 0 && v.hidden+v.failed+v.refused+v.died > 0 {
					sum.silent++
					t.Errorf("bit %d of byte %d: check finds nothing, but %+v", bit, at, v)
				}
				if v.wrong > 0 {
					t.Errorf("bit %d of byte %d: wrong data was served", bit, at)
				}
				mu.Unlock()
			}
		})
	}
	for n := range flips {
		numbers <- uint64(n)
	}
	close(numbers)
	wg.Wait()
	if sum.failed == 0 || sum.found < flips/10 {
		t.Errorf("too little was hit to tell: %+v", sum)
	}
	t.Logf("%d flips in %d KiB: %+v", flips, len(whole)>>10, sum)
}

// compacted is the file without free pages, where a flip would hit nothing.
func compacted(t *testing.T, path string) []byte {
	t.Helper()
	small := filepath.Join(t.TempDir(), "small.db")
	from, err := bolt.Open(path, 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	to, err := bolt.Open(small, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(bolt.Compact(to, from, 0), to.Close(), from.Close()); err != nil {
		t.Fatal(err)
	}
	image, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// twoTeams fills a data folder and asks what there is to ask about it.
func twoTeams(t *testing.T) (data string, questions []question) {
	t.Helper()
	data = t.TempDir()
	a := found(t, data)
	b := found(t, data, "--another", "--slug", "other", "--email", "b@other.example")
	p := serve(t, data)
	for _, own := range []team{a, b} {
		known := map[string]bool{}
		_, empty := call(t.Context(), "GET", p.URL+"/"+own.TeamSlug+"/", "", "") // as it is when every post is hidden
		for _, piece := range pieces(bytes.ReplaceAll(empty, []byte(p.URL), nil)) {
			known[piece] = true
		}
		for i := range flipPosts {
			id, status, answer := p.write(t.Context(), own.Key, fmt.Sprintf("Post %d of %s", i, own.TeamSlug),
				strings.Repeat(fmt.Sprintf("<p>%d of %s</p>", i, own.TeamSlug), 100))
			if id == "" {
				t.Fatalf("%d %s", status, answer)
			}
			call(t.Context(), "POST", p.URL+api+"/posts/"+id+"/publish", own.Key, "{}")
			for _, key := range []string{a.Key, b.Key} { // 404 with the other's key
				questions = append(questions, question{path: api + "/posts/" + id, key: key})
			}
			questions = append(questions, question{path: fmt.Sprintf("/%s/post-%d-of-%s", own.TeamSlug, i, own.TeamSlug), known: known})
		}
		questions = append(questions, question{path: api + "/posts?limit=100", key: own.Key, known: known}, question{path: "/" + own.TeamSlug + "/", known: known})
	}
	p.stop(t)
	p = serve(t, data)
	defer p.stop(t)
	for i := range questions {
		q := &questions[i]
		if q.status, q.body = q.of(t, p); q.status != http.StatusOK && q.status != http.StatusNotFound {
			t.Fatalf("%s: %d %s", q.path, q.status, q.body)
		}
		for _, piece := range pieces(q.body) {
			if q.known != nil {
				q.known[piece] = true
			}
		}
	}
	return data, questions
}

// verdict counts the answers; refused, died and found are 0 or 1.
type verdict struct {
	right, wrong, hidden, failed int

	refused int // svcd does not open the data
	died    int // svcd ended while it served, saying why
	found   int // svcd check finds something
}

// lookAt lets svcd check and serve a damaged file.
func lookAt(t *testing.T, questions []question, image []byte) (v verdict) {
	dir, err := os.MkdirTemp("", "flip") //nolint:usetesting // one of hundreds, gone at once
	if err != nil {
		t.Error(err)
		return v
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "svc.db"), image, 0o600); err != nil {
		t.Error(err)
		return v
	}
	if out, said, status := run(t, svcd("check", "--data", dir)); status != 0 {
		v.found = 1
		if out+said == "" || strings.Contains(said, "goroutine ") {
			t.Errorf("check: exit %d\n%s%s", status, out, said)
		}
	}
	p, err := start(serving(dir))
	if err != nil {
		if v.refused = 1; !strings.Contains(err.Error(), "svcd: ") {
			t.Errorf("a start without a reason: %v", err)
		}
		return v
	}
	for _, q := range questions {
		v.ask(t, p, q)
	}
	if !p.running() {
		if v.died = 1; !strings.Contains(p.log.String(), "svcd: ") && !strings.Contains(p.log.String(), "fatal error: ") {
			t.Errorf("an end without a reason: %v %s", p.err, p.log.String())
		}
	}
	p.end(syscall.SIGKILL)
	return v
}

func (p *process) running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

func (v *verdict) ask(t *testing.T, p *process, q question) {
	status, body := q.of(t, p)
	switch {
	case status == q.status && (status != http.StatusOK || bytes.Equal(body, q.body)):
		v.right++
	case status == http.StatusOK && q.omits(body):
		v.hidden++
	case status == http.StatusOK:
		v.wrong++
		t.Logf("%s answers\n%.300s\ninstead of %d\n%.300s", q.path, since(body, q.body), q.status, since(q.body, body))
	case status == http.StatusNotFound, status == http.StatusUnauthorized, status == http.StatusTooManyRequests: // the last after many of the second
		v.hidden++
	case strings.HasPrefix(q.path, api) && status > 0 && code(body) != "internal":
		v.wrong++
		t.Logf("%s: %d %s", q.path, status, body)
	default:
		v.failed++
	}
}

// since is a from shortly before where it differs from b.
func since(a, b []byte) []byte {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return a[max(0, i-100):]
}
