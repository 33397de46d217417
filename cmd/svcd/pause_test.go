package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// vendor is a compatible model server that begins an answer and ends it when it
// is let.
type vendor struct {
	*httptest.Server
	calls atomic.Int32
	begun chan struct{} // gets a token for each request
	end   chan struct{} // closed to let the answers end
}

func newVendor(t *testing.T) *vendor {
	v := &vendor{begun: make(chan struct{}, 100), end: make(chan struct{})}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			http.NotFound(w, r)
			return
		}
		v.calls.Add(1)
		w.Header().Set("Content-Type", "text/event-stream")
		piece(w, `{"role":"assistant","content":"<p>Half of "}`, "null")
		v.begun <- struct{}{}
		select {
		case <-v.end:
		case <-r.Context().Done():
			return
		}
		piece(w, `{"content":"the text.</p>"}`, "null")
		piece(w, `{}`, `"stop"`)
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(v.Close)
	return v
}

func piece(w http.ResponseWriter, delta, finish string) {
	fmt.Fprintf(w, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
	w.(http.Flusher).Flush()
}

const pause = 10 * time.Second

// TestPause stops the process in the middle of a job, as a machine that sleeps
// does. The job is done once.
func TestPause(t *testing.T) {
	t.Parallel() // nothing runs most of the time
	data := t.TempDir()
	key := first(t, data)
	model := newVendor(t)
	cmd := raced(serving(data))
	cmd.Env = append(cmd.Env, "OPENAI_API_KEY=sk-test", "OPENAI_BASE_URL="+model.URL+"/v1")
	p := started(t, cmd)
	status, body := call(t.Context(), "POST", p.URL+api+"/posts", key, `{"title":"Slow","generateContent":true,"model":"gpt-6-luna"}`)
	var job struct{ JobID, PostID string }
	if err := json.Unmarshal(body, &job); err != nil || status != http.StatusAccepted {
		t.Fatalf("%d %s", status, body)
	}
	<-model.begun
	if err := p.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	timer := time.NewTimer(pause)
	<-timer.C
	close(model.end)
	if err := p.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	done := get[struct {
		State   string
		Attempt int
	}](t, p.URL+api+"/posts/jobs/"+job.JobID+"?wait=30", key)
	if done.State != "completed" || done.Attempt != 1 || model.calls.Load() != 1 {
		t.Errorf("%+v, %d calls of the model", done, model.calls.Load())
	}
	if post := get[struct{ Content string }](t, p.URL+api+"/posts/"+job.PostID, key); !strings.Contains(post.Content, "Half of the text.") {
		t.Errorf("%+v", post)
	}
	events := get[struct{ Data []struct{ Type string } }](t, p.URL+api+"/events?limit=100", key).Data
	times := map[string]int{}
	for _, e := range events {
		times[e.Type]++
	}
	if times["post.created"] != 1 || times["post.generation_started"] != 1 || times["post.generation_completed"] != 1 {
		t.Errorf("events %v", times)
	}
	p.stop(t)
	verify(t, data)
}
