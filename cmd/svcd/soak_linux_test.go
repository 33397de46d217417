package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"
)

func request(method, url, key string, body []byte, headers ...string) *http.Request {
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return req
}

// state is what must not grow.
type state struct{ goroutines, files, memory int }

var total = regexp.MustCompile(`goroutine profile: total (\d+)`)

// settled is the state once it is as small as want, or does not become so. An
// idle worker of the server stays for ten seconds.
func settled(t *testing.T, p *process, data string, want state, wait time.Duration) (s state) {
	t.Helper()
	deadline := time.Now().Add(wait)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		http.DefaultClient.CloseIdleConnections()
		profile := control(t, data, "/debug/pprof/goroutine?debug=1")
		m := total.FindSubmatch(profile)
		if m == nil {
			t.Fatalf("no profile: %.200s", profile)
		}
		s.goroutines, _ = strconv.Atoi(string(m[1]))
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		s.files = len(files)
		s.memory = anonymous(t, p.Process.Pid)
		if s.goroutines <= want.goroutines && s.files <= want.files || time.Now().After(deadline) {
			return s
		}
		<-tick.C
	}
}

// anonymous is the process's own resident memory in KiB, without the mapped
// file.
func anonymous(t testing.TB, pid int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`RssAnon:\s*(\d+) kB`).FindSubmatch(b)
	if m == nil {
		t.Fatal("no RssAnon")
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// every is one request of every kind, good and bad.
func every(t *testing.T, p *process, key, id string, n int) {
	job, _ := call(t.Context(), "POST", p.URL+api+"/posts", key, `{"title":"Job","generateContent":true,"generateTags":true}`)
	if job != http.StatusAccepted && job != http.StatusConflict { // too many wait
		t.Errorf("job: %d", job)
	}
	for _, r := range []struct {
		want              int
		method, path, key string
		body              string
		headers           []string
	}{
		{200, "GET", "/healthz", "", "", nil},
		{200, "GET", api + "/posts/" + id, key, "", nil},
		{200, "GET", api + "/posts?limit=5", key, "", nil},
		{200, "GET", api + "/events?limit=5", key, "", nil},
		{200, "GET", api + "/posts/jobs?limit=5", key, "", nil},
		{200, "PATCH", api + "/posts/" + id, key, fmt.Sprintf(`{"description":"Round %d"}`, n), nil},
		{201, "POST", api + "/posts", key, `{"title":"Soak","content":"<p>x</p>"}`, []string{"Idempotency-Key", fmt.Sprint("soak-", n)}},
		{200, "POST", "/svc-api/mcp", key, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, []string{"Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-06-18"}},
		{429, "GET", api + "/posts", "svc_wrong", "", nil}, // after some rounds of 401
		{404, "GET", api + "/posts/post_none", key, "", nil},
		{400, "POST", api + "/posts", key, `{"title":`, nil},
		{415, "POST", api + "/posts", key, `{}`, []string{"Content-Encoding", "gzip"}},
		{200, "GET", "/blog/", "", "", nil},
		{200, "GET", "/blog/feed.xml", "", "", nil},
		{404, "GET", "/blog/none", "", "", nil},
	} {
		res, err := http.DefaultClient.Do(request(r.method, p.URL+r.path, r.key, []byte(r.body), r.headers...))
		if err != nil {
			t.Error(err)
			continue
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		guess := r.want == http.StatusTooManyRequests && res.StatusCode == http.StatusUnauthorized
		if err != nil || res.StatusCode != r.want && !guess {
			t.Errorf("%s %s: %s %.200s %v", r.method, r.path, res.Status, body, err)
		}
	}
}

// TestSoak makes thousands of requests of every kind. Goroutines, files and
// memory are as before.
func TestSoak(t *testing.T) {
	t.Parallel() // it waits for idle workers to end
	data := t.TempDir()
	key := first(t, data)
	p := started(t, raced(serving(data)))
	id, _, _ := p.write(t.Context(), key, "Kept", "<p>x</p>")
	rounds := func(from, n int) {
		var wg sync.WaitGroup
		for w := range 8 {
			wg.Go(func() {
				for i := range n / 8 {
					every(t, p, key, id, from+w*n+i)
				}
			})
		}
		wg.Wait()
		awaitJobs(t, p, key)
	}
	rounds(0, 40)
	before := settled(t, p, data, state{}, 2*time.Second)
	rounds(1_000_000, 240)
	after := settled(t, p, data, before, 20*time.Second)
	t.Logf("before %+v, after %+v", before, after)
	if after.goroutines > before.goroutines+5 || after.files > before.files+2 {
		t.Errorf("it grew: %+v before, %+v after", before, after)
	}
	if !raceDetector && after.memory > 2*before.memory+32<<10 {
		t.Errorf("its memory grew: %+v before, %+v after", before, after)
	}
	p.stop(t)
	verify(t, data)
}

// awaitJobs returns when no job waits or runs.
func awaitJobs(t *testing.T, p *process, key string) {
	t.Helper()
	type jobs struct{ Data []struct{ ID, State string } }
	for _, state := range []string{"queued", "running"} {
		for {
			open := get[jobs](t, p.URL+api+"/posts/jobs?state="+state, key).Data
			if len(open) == 0 {
				break
			}
			get[struct{ State string }](t, p.URL+api+"/posts/jobs/"+open[0].ID+"?wait=30", key)
		}
	}
}
