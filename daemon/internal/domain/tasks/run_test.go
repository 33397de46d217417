package tasks_test

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

func TestLiveRunSendsWhatRenderShows(t *testing.T) {
	var got *http.Request
	var body []byte
	end := sink(t, func(rw http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		rw.Header().Set("Content-Type", "application/json")
		rw.Header().Set("Set-Cookie", "session=1")
		_, _ = io.WriteString(rw, `{"plan":"pro"}`)
	})
	w := open(t)
	task := w.create(end.URL+"/people/{{ person.email }}?q={{ context.event.title }}", m{
		"body":    `{"name":"{{ person.name }}","n":{{ context.steps.count.output }},"team":"{{ team.name }}"}`,
		"headers": []m{{"name": "X-Voice", "value": "{{ brand.voice }}"}, {"name": "X-Secret", "value": "s3cret-header-value", "secret": true}},
	})
	optest.Must[api.Task](w, "tasks.setApiKey", m{"id": task.ID, "key": "key-0123456789"})
	values := m{
		"person":  m{"email": "a/b?c@x.io", "name": `Ada "Countess" \ 💡`},
		"context": m{"event": m{"title": "a&b=c d"}, "steps": m{"count": m{"output": 3}}},
	}
	run := w.live(task.ID, values)
	if run.State != api.RunCompleted || string(run.OutputJSON) != `{"plan":"pro"}` {
		t.Fatalf("%+v %+v", run, run.Error)
	}
	if got.URL.EscapedPath() != "/people/a%2Fb%3Fc@x.io" || got.URL.Query().Get("q") != "a&b=c d" {
		t.Errorf("the target was %s", got.URL)
	}
	var sent struct {
		Name, Team string
		N          int
	}
	if err := json.Unmarshal(body, &sent); err != nil || sent.Name != `Ada "Countess" \ 💡` || sent.N != 3 || sent.Team != "Acme" {
		t.Errorf("the body was %s: %v", body, err)
	}
	for name, want := range map[string]string{"Authorization": "Bearer key-0123456789", "X-Secret": "s3cret-header-value", "X-Voice": "plain", "Content-Type": "application/json"} {
		if got.Header.Get(name) != want {
			t.Errorf("%s was %q", name, got.Header.Get(name))
		}
	}
	if slices.ContainsFunc(run.Response.Headers, func(h api.TaskHeader) bool { return h.Name == "Set-Cookie" }) {
		t.Error("the log has the endpoint's cookie")
	}

	got = nil
	values["id"] = task.ID
	shown := optest.Must[api.TaskRun](w, "tasks.testRun", values)
	if got != nil || shown.Mode != "render" || shown.State != api.RunCompleted || shown.Response != nil {
		t.Errorf("render: %+v, sent %v", shown, got)
	}
	if shown.Request.URL != run.Request.URL || shown.Request.Body != string(body) || !strings.Contains(shown.Request.URL, "a%2Fb%3Fc@x.io") {
		t.Errorf("render showed %+v", shown.Request)
	}
	list := optest.Must[api.Page[api.TaskRun]](w, "tasks.runs", m{"taskId": task.ID})
	if len(list.Data) != 2 || list.Data[0].ID != shown.ID || optest.Must[api.TaskRun](w, "tasks.getRun", m{"id": run.ID}).State != api.RunCompleted {
		t.Errorf("the log is %+v", list.Data)
	}
}

func TestMissingPlaceholdersAreAllNamed(t *testing.T) {
	hits := 0
	end := sink(t, func(http.ResponseWriter, *http.Request) { hits++ })
	w := open(t)
	task := w.create(end.URL+"/{{ person.id }}", m{"body": `{{ context.a }} {{ person.id }} {{ nobody }}`, "headers": []m{{"name": "X-A", "value": "{{ team.motto }}"}}})
	for _, mode := range []string{"render", "live"} {
		run := optest.Must[api.TaskRun](w, "tasks.testRun", m{"id": task.ID, "mode": mode})
		if run.State != api.RunFailed || run.Error.Code != "template_error" {
			t.Fatalf("%s: %+v", mode, run)
		}
		if want := []string{"person.id", "team.motto", "context.a", "nobody"}; !slices.Equal(run.MissingPlaceholders, want) {
			t.Errorf("missing are %q", run.MissingPlaceholders)
		}
		for _, name := range run.MissingPlaceholders {
			if !strings.Contains(run.Error.Message, name) {
				t.Errorf("%q does not name %s", run.Error.Message, name)
			}
		}
	}
	if hits > 0 {
		t.Error("a request left all the same")
	}
}
