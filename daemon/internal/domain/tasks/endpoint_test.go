package tasks_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sourcegraph/conc"
	"go.uber.org/goleak"

	"edgesvc.dev/svc/daemon/internal/domain/tasks"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/outbound"
	"edgesvc.dev/svc/sdk/api"
)

func TestMain(m *testing.M) {
	// A test model's client keeps its connections until the test's server goes.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}

func TestRedirectFailsAndTakesNoKeyAlong(t *testing.T) {
	var hits atomic.Int64
	other := sink(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	for _, to := range []string{"http://169.254.169.254/", other.URL} {
		first := sink(t, func(rw http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer key-0123456789" {
				t.Errorf("the configured host got %q", r.Header)
			}
			http.Redirect(rw, r, to, http.StatusFound)
		})
		w := open(t)
		task := w.create(first.URL, nil)
		optest.Must[api.Task](w, "tasks.setApiKey", m{"id": task.ID, "key": "key-0123456789"})
		run := w.live(task.ID, nil)
		if run.State != api.RunFailed || run.Response == nil || run.Response.Status != 302 || !strings.Contains(run.Error.Message, "redirects are not followed") {
			t.Errorf("%+v %+v", run, run.Error)
		}
		if i := slices.IndexFunc(run.Response.Headers, func(h api.TaskHeader) bool { return h.Name == "Location" && h.Value == to }); i < 0 {
			t.Errorf("the redirect is not shown: %+v", run.Response.Headers)
		}
	}
	if hits.Load() > 0 {
		t.Error("the other host was asked")
	}
}

func TestAddressThatLeadsInsideFailsTheRun(t *testing.T) {
	var hits atomic.Int64
	inside := sink(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	// What may be reached has changed since the task was made.
	w := open(t)
	task := w.create(inside.URL, nil)
	w.restart(outbound.Options{}, llm.Config{})
	run := w.live(task.ID, nil)
	if run.State != api.RunFailed || run.Error.Code != "unsafe_url" || hits.Load() > 0 {
		t.Errorf("%+v, %d hits", run.Error, hits.Load())
	}
}

func TestValuesCannotLeaveThePath(t *testing.T) {
	var paths []string
	end := sink(t, func(_ http.ResponseWriter, r *http.Request) { paths = append(paths, r.RequestURI) })
	w := open(t)
	task := w.create(end.URL+"/people/{{ person.id }}/orders", nil)
	for _, id := range []string{"..", ".", "a/../../admin", "a?b", "a#b", "%2e%2e", "a\r\nHost: evil", "@evil.io", "\\..\\"} {
		run := w.live(task.ID, m{"person": m{"id": id}})
		if id == ".." || id == "." || strings.Contains(id, "/..") {
			if run.State != api.RunFailed || run.Error.Code != "unsafe_url" {
				t.Errorf("%q: %+v %+v", id, run.Request, run.Error)
			}
		} else if run.State != api.RunCompleted {
			t.Errorf("%q: %+v", id, run.Error)
		}
	}
	for _, p := range paths {
		if !strings.HasPrefix(p, "/people/") || !strings.HasSuffix(p, "/orders") || strings.Count(p, "/") != 3 || strings.Contains(p, "..") && !strings.Contains(p, "%5C") {
			t.Errorf("asked for %q", p)
		}
	}
	if len(paths) != 6 {
		t.Errorf("%d requests", len(paths))
	}
}

func TestHeaderValuesCannotAddHeaders(t *testing.T) {
	end := sink(t, func(http.ResponseWriter, *http.Request) { t.Error("a request left") })
	w := open(t)
	task := w.create(end.URL, m{"headers": []m{{"name": "X-Name", "value": "{{ person.name }}"}}})
	for _, name := range []string{"a\r\nX-Evil: 1", "a\nb", "a\rb", "a\x00b", "a\x7f"} {
		run := w.live(task.ID, m{"person": m{"name": name}})
		if run.State != api.RunFailed || run.Error.Code != "template_error" {
			t.Errorf("%q: %+v", name, run.Error)
		}
	}
}

func TestMisbehavingEndpointsFailTheRunOnly(t *testing.T) {
	hang := make(chan struct{})
	w := newWorld(t, outbound.Options{Allow: loopback(), MaxBody: 1 << 20}, llm.Config{})
	for name, row := range map[string]struct {
		handle func(rw http.ResponseWriter, r *http.Request)
		state  string
		code   string
		check  func(run api.TaskRun) bool
	}{
		"endless": {func(rw http.ResponseWriter, _ *http.Request) {
			for chunk := bytes.Repeat([]byte("x"), 64<<10); ; {
				if _, err := rw.Write(chunk); err != nil {
					return
				}
			}
		}, api.RunCompleted, "", func(r api.TaskRun) bool {
			return r.Response.Truncated && len(r.Response.Body) == 64<<10 && r.Response.Bytes == 1<<20
		}},
		"silent": {func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-hang:
			case <-r.Context().Done():
			}
		}, api.RunFailed, "provider_timeout", func(r api.TaskRun) bool { return r.Error.Retryable && r.Response == nil }},
		"no text": {func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("X-Latin", "caf\xe9")
			_, _ = rw.Write([]byte("\xff\xfe\x00{{ person }}"))
		}, api.RunCompleted, "", func(r api.TaskRun) bool { return r.Response.Body == "\uFFFD\x00{{ person }}" }},
		"error":  {func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(503) }, api.RunFailed, "provider_error", func(r api.TaskRun) bool { return r.Error.Retryable }},
		"refuse": {func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(404) }, api.RunFailed, "provider_error", func(r api.TaskRun) bool { return !r.Error.Retryable }},
		"hang up": {func(rw http.ResponseWriter, _ *http.Request) {
			c, _, _ := rw.(http.Hijacker).Hijack()
			c.Close()
		}, api.RunFailed, "provider_error", func(r api.TaskRun) bool { return r.Response == nil }},
		"many headers": {func(rw http.ResponseWriter, _ *http.Request) {
			for i := range 500 {
				rw.Header().Set(fmt.Sprintf("X-%d", i), "y")
			}
		}, api.RunCompleted, "", func(r api.TaskRun) bool { return len(r.Response.Headers) == 100 }},
	} {
		end := sink(t, row.handle)
		task := w.create(end.URL, m{"timeoutMs": 1000})
		run := w.live(task.ID, nil)
		if run.State != row.state || row.code != "" && run.Error.Code != row.code || !row.check(run) {
			t.Errorf("%s: %s %+v %.300v", name, run.State, run.Error, run.Response)
		}
		if stored := optest.Must[api.TaskRun](w, "tasks.getRun", m{"id": run.ID}); stored.State != run.State || stored.Version != 2 {
			t.Errorf("%s: stored as %+v", name, stored)
		}
	}
	close(hang)
}

func TestBodiesAreWrittenAsTheirTypeAsks(t *testing.T) {
	w := open(t)
	evil := `a"b&c=d`
	for kind, row := range map[string]struct{ body, want, sent string }{
		"":                                  {`{"a":"{{ person.x }}"}`, `{"a":"a\"b&c=d"}`, "application/json"},
		"application/vnd.x+json":            {`"{{ person.x }}"`, `"a\"b&c=d"`, "application/vnd.x+json"},
		"application/x-www-form-urlencoded": {`a={{ person.x }}`, `a=a%22b%26c%3Dd`, "application/x-www-form-urlencoded"},
		"text/plain":                        {`a={{ person.x }}`, `a=a"b&c=d`, "text/plain"},
	} {
		more := m{"body": row.body}
		if kind != "" {
			more["headers"] = []m{{"name": "content-type", "value": kind}}
		}
		run := optest.Must[api.TaskRun](w, "tasks.testRun", m{"id": w.create("https://x.io/", more).ID, "person": m{"x": evil}})
		if run.State != api.RunCompleted || run.Request.Body != row.want || run.Request.Headers[0].Value != row.sent {
			t.Errorf("%q: %+v %+v", kind, run.Request, run.Error)
		}
	}
}

func TestAutomationsRunTellsTheLog(t *testing.T) {
	status := 200
	end := sink(t, func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(status) })
	w := open(t)
	task := w.create(end.URL, m{"body": "{{ person.email }}"})
	in := tasks.Invocation{Team: "team_a", TaskID: task.ID, Trigger: tasks.TriggerAutomation, Person: m{"email": "ada@x.io"}}
	done, err := w.tasks.Run(t.Context(), in)
	if err != nil || done.State != api.RunCompleted || done.Trigger != "automation" {
		t.Fatalf("%+v %v", done, err)
	}
	status = 500
	failed, err := w.tasks.Run(t.Context(), in)
	if err != nil || failed.State != api.RunFailed {
		t.Fatalf("%+v %v", failed, err)
	}
	w.live(task.ID, m{"person": m{"email": "x"}}) // a test tells nothing
	events := w.Events()
	if len(events) != 2 || events[0].Type != "agent.task_completed" || events[1].Type != "agent.task_failed" || events[0].Actor != (api.Actor{Type: "agent", ID: "agt_1"}) {
		t.Fatalf("%+v", events)
	}
	if o := string(events[0].Data.Object); !strings.Contains(o, done.ID) || strings.Contains(o, "ada@x.io") {
		t.Errorf("the event holds %s", o)
	}
	if _, err := w.tasks.Run(t.Context(), tasks.Invocation{Team: "team_b", TaskID: task.ID}); err == nil {
		t.Error("another team ran the task")
	}
}

// follow runs the stream and hands each event to see.
func (w *world) follow(ctx context.Context, args string, see func(id string, e api.TaskEvent) error) error {
	return w.Table.Follow(ctx, w.Table.Streams[0], w.Who, op.Args{Body: []byte(args)}, func(id string, v any) error {
		return see(id, v.(api.TaskEvent))
	})
}

func TestCanceledRunStopsAtOnce(t *testing.T) {
	gone := make(chan struct{})
	end := sink(t, func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done() // the client has left
		close(gone)
	})
	w := open(t)
	task := w.create(end.URL, m{"timeoutMs": 30000, "method": "GET"})
	var last api.TaskRun
	err := w.follow(t.Context(), `{"id":"`+task.ID+`","mode":"live"}`, func(id string, e api.TaskEvent) error {
		last = *e.Run
		if e.Run.State == api.RunRunning {
			if canceled := optest.Must[api.TaskRun](w, "tasks.cancelRun", m{"id": id}); canceled.State != api.RunCanceled {
				t.Errorf("%+v", canceled)
			}
		}
		return nil
	})
	if err != nil || last.State != api.RunCanceled {
		t.Errorf("%+v %v", last, err)
	}
	w.Refused(api.CodeInvalidTransition, "tasks.cancelRun", m{"id": w.done(task.ID)})
	if optest.Must[api.TaskRun](w, "tasks.cancelRun", m{"id": last.ID}).State != api.RunCanceled {
		t.Error("to cancel twice is an error")
	}
}

// done is the id of a run that has ended.
func (w *world) done(task string) string {
	return optest.Must[api.TaskRun](w, "tasks.testRun", m{"id": task}).ID
}

func TestReaderThatLeavesEndsTheRunAndMayComeBack(t *testing.T) {
	var hits atomic.Int64
	arrived := make(chan struct{}, 1)
	end := sink(t, func(_ http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	w := open(t)
	task := w.create(end.URL, m{"timeoutMs": 30000, "method": "GET"})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var wg conc.WaitGroup
	defer wg.Wait()
	runID := ""
	err := w.follow(ctx, `{"id":"`+task.ID+`","mode":"live"}`, func(id string, e api.TaskEvent) error {
		if e.Run.State == api.RunRunning {
			runID = id
			wg.Go(func() { <-arrived; leave() })
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	err = w.follow(t.Context(), `{"id":"`+task.ID+`","mode":"live","lastEventId":"`+runID+`"}`, func(id string, e api.TaskEvent) error {
		seen = append(seen, id, e.Run.State)
		return nil
	})
	if err != nil || !slices.Equal(seen, []string{runID, api.RunCanceled}) || hits.Load() != 1 {
		t.Errorf("%q %v, %d requests", seen, err, hits.Load())
	}
}

func TestLiveRunsCountAgainstTheLimitOfAI(t *testing.T) {
	end := sink(t, func(http.ResponseWriter, *http.Request) {})
	w := open(t)
	task := w.create(end.URL, nil)
	for range 30 {
		w.live(task.ID, nil)
	}
	w.Refused(api.CodeRateLimited, "tasks.testRun", m{"id": task.ID, "mode": "live"})
	w.done(task.ID) // to look is free
}
