package sdk_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// events streams job states, and after them breaks the connection in the
// middle of an event when broken.
func events(broken bool, states ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, ": hello\n\n")
		for _, state := range states {
			b, _ := json.Marshal(api.JobEvent{Type: "job", Job: &api.Job{ID: "job_1", State: state}})
			fmt.Fprintf(w, "event: job\r\ndata: %s\r\n\r\nevent: delta\ndata: {\"type\":\"delta\",\"step\":\"content\",\ndata: \"text\":\"x\"}\n\n", b)
		}
		if broken {
			fmt.Fprint(w, "event: job\ndata: {\"type\":\"jo")
			w.(http.Flusher).Flush()
			cut(w, r)
		}
	}
}

func watch(t *testing.T, w *wire) (states []string, deltas int, err error) {
	t.Helper()
	for e, watchErr := range w.client().Jobs.Watch(t.Context(), "job_1") {
		switch {
		case watchErr != nil:
			err = watchErr
		case e.Job != nil:
			states = append(states, e.Job.State)
		case e.Type == "delta" && e.Text == "x":
			deltas++
		}
	}
	return states, deltas, err
}

func TestWatch(t *testing.T) {
	job := func(state string, version int) http.HandlerFunc {
		return ok(api.Job{ID: "job_1", State: state, Version: version})
	}
	noStream := refuse(404, "route_not_found", "")
	for _, test := range []struct {
		name    string
		answers []http.HandlerFunc
		states  []string
		fails   bool
	}{
		{"one stream", []http.HandlerFunc{events(false, "queued", "running", "completed")}, []string{"queued", "running", "completed"}, false},
		{"a stream that breaks is resumed", []http.HandlerFunc{events(true, "queued"), events(false, "running", "failed")}, []string{"queued", "running", "failed"}, false},
		{"a stream that just ends is resumed", []http.HandlerFunc{events(false, "queued"), events(false, "canceled")}, []string{"queued", "canceled"}, false},
		{"a busy stream is tried again", []http.HandlerFunc{refuse(503, "overloaded", ""), events(false, "completed")}, []string{"completed"}, false},
		{"no streams at all", []http.HandlerFunc{noStream, job("running", 1), job("running", 1), job("running", 2), job("completed", 3)}, []string{"running", "running", "completed"}, false},
		{"a proxy in between", []http.HandlerFunc{raw(200, "text/html", "<h1>"), job("completed", 1)}, []string{"completed"}, false},
		{"streams that always break", []http.HandlerFunc{cut, cut, cut, cut, job("completed", 1)}, []string{"completed"}, false},
		{"streams that get further each time", []http.HandlerFunc{
			events(true, "queued"), events(true, "running"), events(true, "running"), events(true, "running"), events(true, "running"), events(false, "completed"),
		}, []string{"queued", "running", "running", "running", "running", "completed"}, false},
		{"no such job", []http.HandlerFunc{refuse(404, "not_found", "")}, nil, true},
		{"no right", []http.HandlerFunc{refuse(401, "invalid_key", "")}, nil, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWire(t, test.answers...)
			states, _, err := watch(t, w)
			if !slices.Equal(states, test.states) || (err != nil) != test.fails {
				t.Errorf("states %v and error %v, want %v", states, err, test.states)
			}
			w.sent(t, len(test.answers))
		})
	}
}

func TestWatchYieldsText(t *testing.T) {
	if _, deltas, _ := watch(t, newWire(t, events(false, "queued", "running", "completed"))); deltas != 2 {
		t.Errorf("%d pieces of text, want the 2 before the job was done", deltas)
	}
}

func TestWatchLeavesWhenTheLoopDoes(t *testing.T) {
	left := make(chan struct{})
	w := newWire(t, func(w http.ResponseWriter, r *http.Request) {
		events(false, "running")(w, r)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	})
	for _, err := range w.client().Jobs.Handle("job_1").Watch(t.Context()) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	<-left
	w.sent(t, 1)
}

func TestWaitPollsUntilDone(t *testing.T) {
	w := newWire(t, ok(api.Job{ID: "job_1", State: "running"}), ok(api.Job{ID: "job_1", State: "failed"}))
	job, err := w.client().Jobs.Handle("job_1").Wait(t.Context())
	if err != nil || job.State != api.JobFailed {
		t.Errorf("job %v, error %v", job, err)
	}
	if got := w.sent(t, 2)[0].Path; got != "/svc-api/v1/posts/jobs/job_1?wait=25" {
		t.Errorf("asked %s", got)
	}
}

func TestGenerate(t *testing.T) {
	started := api.JobStarted{JobID: "job_1", ID: "job_1", PostID: "post_1", State: api.JobQueued}
	written := aPost
	written.Generation = &api.Generation{JobID: "job_2"}
	w := newWire(t, ok(started), ok(written), ok(aPost))
	c := w.client()
	for _, want := range []string{"job_1", "job_2"} {
		job, err := c.Posts.Generate(t.Context(), api.PostCreate{Title: "Why Go", GenerateContent: true})
		if err != nil || job.ID != want || job.PostID != "post_1" {
			t.Errorf("job %v, error %v, want %s", job, err, want)
		}
	}
	if _, err := c.Posts.Generate(t.Context(), api.PostCreate{Title: "Why Go", Content: "x"}); err == nil {
		t.Error("a post without a job was taken for one")
	}
	if _, err := c.Posts.Create(t.Context(), api.PostCreate{Title: "Why Go", GenerateContent: true}); err == nil {
		t.Error("Create started a job")
	}
	w.sent(t, 3)
}

func TestSignIn(t *testing.T) {
	w := newWire(t, answered(api.Session{ID: "ses_1", Token: "sess_new"}), answered(api.None{}), refuse(401, "invalid_credentials", ""))
	d, err := sdk.LoginLink(t.Context(), w.URL+"/sign-in?token=once", "a new password")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Auth.Logout(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := sdk.Login(t.Context(), w.URL, "ada@x.io", "wrong"); err == nil {
		t.Error("signed in with a wrong password")
	}
	requests := w.sent(t, 3)
	if got := requests[0]; got.Path != "/svc-api/trpc/auth.login" || got.Body != `{"json":{"linkToken":"once","newPassword":"a new password"}}` || got.Header.Get("Authorization") != "" {
		t.Errorf("signed in with %v", got)
	}
	if got := requests[1]; got.Path != "/svc-api/trpc/auth.logout" || got.Header.Get("Authorization") != "Bearer sess_new" {
		t.Errorf("signed out with %v", got)
	}
	if _, err := sdk.LoginLink(t.Context(), "https://svc.example/?token=", ""); err == nil {
		t.Error("a link without a token was taken")
	}
}
