package postsync_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edgesvc.dev/svc/cli/internal/postsync"
	"edgesvc.dev/svc/sdk"
)

// daemon answers as one with no posts; create decides about each new post.
type daemon struct {
	created int
	create  func(*daemon) (status int, body string)
}

func (d *daemon) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	status, body := 200, `{"data":[]}`
	switch {
	case strings.HasSuffix(r.URL.Path, "/me"):
		body = `{"team":{"id":"team_1"}}`
	case strings.HasSuffix(r.URL.Path, "/batch"):
		status, body = d.batch(r)
	case r.Method == http.MethodPost:
		status, body = d.create(d)
	}
	h := http.Header{"Content-Type": {"application/json"}}
	if status == http.StatusTooManyRequests {
		h.Set("Content-Type", "application/problem+json")
		h.Set("Retry-After", "30")
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// batch creates the posts of a request one after the other.
func (d *daemon) batch(r *http.Request) (int, string) {
	var in struct{ Items []json.RawMessage }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return 400, `{"code":"invalid_json","status":400}`
	}
	var results []string
	for range in.Items {
		status, body := d.create(d)
		if status != 201 {
			return status, body
		}
		results = append(results, `{"status":201,"post":`+body+`}`)
	}
	return 200, `{"results":[` + strings.Join(results, ",") + `]}`
}

func (d *daemon) post() (int, string) {
	d.created++
	return 201, fmt.Sprintf(`{"id":"post_%d","slug":"p%d","version":1}`, d.created, d.created)
}

// folder makes one with posts without front matter.
func folder(t *testing.T, files int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%d.md", i)), []byte("Text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func apply(ctx context.Context, t *testing.T, dir string, d *daemon) ([]*postsync.Item, error) {
	t.Helper()
	c := sdk.New("http://127.0.0.1:1", sdk.WithAPIKey("svc_x"), sdk.WithRetries(0), sdk.WithHTTPClient(&http.Client{Transport: d}))
	s, err := postsync.New(ctx, c, c.Posts, postsync.Options{Dir: dir, OnDrift: "fail", Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	items, err := s.Plan(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return items, s.Apply(ctx, items)
}

// TestApplyWaitsForTheDaemon: a folder larger than what the daemon takes in a
// minute takes longer, and does not fail.
func TestApplyWaitsForTheDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusals := 4
		d := &daemon{create: func(d *daemon) (int, string) {
			if refusals > 0 {
				refusals--
				return http.StatusTooManyRequests, `{"code":"rate_limited","status":429}`
			}
			return d.post()
		}}
		start := time.Now()
		items, err := apply(t.Context(), t, folder(t, 2), d)
		if err != nil || d.created != 2 {
			t.Fatalf("%d posts created, error %v", d.created, err)
		}
		for _, item := range items {
			if item.Err != nil || !item.Done {
				t.Errorf("%s: done %v, error %v", item.Path, item.Done, item.Err)
			}
		}
		if waited := time.Since(start); waited != 2*time.Minute {
			t.Errorf("waited %v for four refusals of 30 s", waited)
		}
	})
}

// TestApplyRemembersBeforeItEnds: what was applied is in the state file before
// the next batch is sent, and an interrupt fails no file.
func TestApplyRemembersBeforeItEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d := &daemon{create: func(d *daemon) (int, string) {
		if d.created == 150 {
			cancel()
		}
		return d.post()
	}}
	dir := folder(t, 250)
	items, err := apply(ctx, t, dir, d)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	done := 0
	for _, item := range items {
		if item.Err != nil {
			t.Errorf("%s failed: %v", item.Path, item.Err)
		}
		if item.Done {
			done++
		}
	}
	if n := remembered(t, dir); n != done || n != 100 {
		t.Errorf("%d posts are remembered, %d of 250 were done", n, done)
	}
}

// TestApplyRemembersEachBatch: a program that is killed has lost nothing but the
// batch that was on its way, whose key makes it have its effect once.
func TestApplyRemembersEachBatch(t *testing.T) {
	dir := folder(t, 210)
	d := &daemon{create: func(d *daemon) (int, string) {
		if d.created > 0 && d.created%100 == 0 {
			if n := remembered(t, dir); n != d.created {
				t.Errorf("%d posts are remembered after %d were created", n, d.created)
			}
		}
		return d.post()
	}}
	if _, err := apply(t.Context(), t, dir, d); err != nil {
		t.Fatal(err)
	}
}

func remembered(t *testing.T, dir string) int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, ".svc", "state.json"))
	if err != nil {
		t.Fatal(err)
	}
	var state struct {
		Teams map[string]struct{ Posts map[string]any }
	}
	if err := json.Unmarshal(b, &state); err != nil {
		t.Fatal(err)
	}
	return len(state.Teams["team_1"].Posts)
}
