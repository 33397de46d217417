package tasks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/outbound"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

func TestEveryFaultIsNamedAtOnce(t *testing.T) {
	w := newWorld(t, outbound.Options{}, llm.Config{})
	for _, row := range []struct {
		name, body string
		want       []string
		code       api.Code
	}{
		{"nothing of an API task", `{"agentId":"agt_1","kind":"api","name":"x"}`, []string{"/method", "/url"}, ""},
		{"nothing of an LLM task", `{"agentId":"agt_1","kind":"llm","name":" "}`, []string{"/name", "/promptTemplate"}, ""},
		{"of the schema and of the kind", `{"agentId":"agt_1","kind":"api","name":"x","timeoutMs":5,"promptTemplate":"x","model":"gpt-6-luna"}`, []string{"/timeoutMs", "/promptTemplate", "/model", "/method", "/url"}, ""},
		{"members of the other kind", `{"agentId":"agt_1","kind":"llm","name":"x","promptTemplate":"x","method":"GET","url":"https://x.io","headers":[{"name":"A","value":"b"}],"body":"b"}`, []string{"/method", "/url", "/headers", "/body"}, ""},
		{"headers", `{"agentId":"agt_1","kind":"api","name":"x","method":"POST","url":"https://x.io","headers":[
			{"name":"Host","value":"evil.io"},{"name":"content-length","value":"5"},{"name":"Transfer-Encoding","value":"chunked"},{"name":"Connection","value":"x"},
			{"name":"A B","value":"x"},{"name":"A:","value":"x"},{"name":"X\r\nY","value":"x"},{"name":"X","value":"a\r\nB: c"},{"name":"x","value":"y"},
			{"name":"Z","value":"{{ x"},{"name":"S","value":"","secret":true}]}`,
			[]string{"/headers/0/name", "/headers/1/name", "/headers/2/name", "/headers/3/name", "/headers/4/name", "/headers/5/name", "/headers/6/name", "/headers/7/value", "/headers/8/name", "/headers/9/value", "/headers/10/value"}, ""},
		{"a body on GET", `{"agentId":"agt_1","kind":"api","name":"x","method":"GET","url":"https://x.io","body":"x"}`, []string{"/body"}, ""},
		{"templates", `{"agentId":"agt_1","kind":"api","name":"x","method":"POST","url":"https://x.io/{% include 'x' %}","body":"{% if %}"}`, []string{"/url", "/body"}, api.CodeTemplateError},
		{"a model", `{"agentId":"agt_1","kind":"llm","name":"x","promptTemplate":"x","model":"gpt-2"}`, []string{"/model"}, api.CodeUnknownModel},
		{"schemas", `{"agentId":"agt_1","kind":"llm","name":"x","promptTemplate":"x","outputSchema":{"$ref":"#"},"inputSchema":[1]}`, []string{"/outputSchema", "/inputSchema"}, ""},
		{"an agent", `{"agentId":"agt_2","kind":"llm","name":"x","promptTemplate":"x"}`, []string{"/agentId"}, ""},
	} {
		if row.code == "" {
			row.code = api.CodeValidationFailed
		}
		e := w.Refused(row.code, "tasks.create", row.body)
		got := pointers(e)
		slices.Sort(got)
		slices.Sort(row.want)
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

func TestUnsafeAddressesAreRefusedWhenATaskIsMade(t *testing.T) {
	w := newWorld(t, outbound.Options{}, llm.Config{})
	for _, url := range []string{
		"http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/latest/{{ person.x }}", "http://2130706433/", "ftp://x.io/", "https://u:p@x.io/",
		"http://{{ person.host }}/", "{{ context.url }}", "https://x.io{{ person.x }}/", "https://{{ person.x }}.x.io/", "https://x.io:{{ person.port }}/",
		"{{ person.scheme }}://x.io/", "https://{{ person.u }}@x.io/", "https://x.io{% if person.x %}/{% endif %}", "https:{{ x }}//x.io/",
		"https://x.io/\r\nX: y", "https://x.io:22/", "http://localhost:8080/", "/relative", "https:///{{ x }}",
	} {
		w.Refused(api.CodeUnsafeURL, "tasks.create", m{"agentId": "agt_1", "kind": "api", "name": "x", "method": "GET", "url": url})
	}
	for _, url := range []string{"https://x.io/{{ person.x }}", "https://x.io?a={{ person.x }}", "https://x.io:8443#{{ person.x }}", "http://1.1.1.1/"} {
		w.create(url, nil)
	}
}

func TestSchemasAreBounded(t *testing.T) {
	w := newWorld(t, outbound.Options{}, llm.Config{})
	doubling := `{"$ref":"#/$defs/d0","$defs":{`
	for i := range 40 {
		doubling += fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	doubling += `"d40":{}}}`
	for name, schema := range map[string]string{
		"circle":   `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}`,
		"itself":   `{"allOf":[{"$ref":"#"}]}`,
		"remote":   `{"$ref":"http://169.254.169.254/schema"}`,
		"file":     `{"$ref":"file:///etc/passwd"}`,
		"dynamic":  `{"$dynamicRef":"#x","$dynamicAnchor":"x"}`,
		"doubling": doubling,
		"pattern":  `{"pattern":"("}`,
		"nothing":  `{"$ref":"#/$defs/none"}`,
	} {
		w.Refused(api.CodeValidationFailed, "tasks.create", `{"agentId":"agt_1","kind":"llm","name":"x","promptTemplate":"x","outputSchema":`+schema+`}`)
		_ = name
	}
	optest.Must[api.Task](w, "tasks.create", `{"agentId":"agt_1","kind":"llm","name":"x","promptTemplate":"x","outputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/b"},"$ref":{"type":"string"}},"$defs":{"b":{"type":"string"}}}}`)
}

func TestTaskIsReadChangedListedAndDeleted(t *testing.T) {
	w := newWorld(t, outbound.Options{}, llm.Config{})
	a := w.create("https://x.io/a", m{"headers": []m{{"name": "X-A", "value": "1"}}, "body": "b", "description": "d", "inputSchema": m{"type": "object"}})
	b := optest.Must[api.Task](w, "tasks.create", m{"agentId": "agt_1", "kind": "llm", "name": "L", "promptTemplate": "p", "maxOutputTokens": 100})
	if a.TimeoutMs != 15000 || a.Version != 1 || !kv.ValidID("task", a.ID) {
		t.Errorf("%+v", a)
	}
	if page := optest.Must[api.Page[api.Task]](w, "tasks.list", m{"agentId": "agt_1"}); len(page.Data) != 2 || page.Data[0].ID != b.ID {
		t.Errorf("%+v", page.Data)
	}
	if page := optest.Must[api.Page[api.Task]](w, "tasks.list", m{"agentId": "agt_9"}); len(page.Data) != 0 {
		t.Errorf("%+v", page.Data)
	}
	changed := optest.Must[api.Task](w, "tasks.update", m{"id": a.ID, "ifMatch": 1, "name": "New", "body": nil, "description": nil, "headers": nil, "inputSchema": nil, "timeoutMs": 2000})
	if changed.Name != "New" || changed.Body != "" || changed.Description != "" || changed.Headers != nil || changed.InputSchema != nil || changed.TimeoutMs != 2000 || changed.Version != 2 || changed.URL != a.URL {
		t.Errorf("%+v", changed)
	}
	w.Refused(api.CodeVersionConflict, "tasks.update", m{"id": a.ID, "ifMatch": 1, "name": "X"})
	w.Refused(api.CodeValidationFailed, "tasks.update", m{"id": a.ID, "promptTemplate": "x"})
	w.Refused(api.CodeUnsafeURL, "tasks.update", m{"id": a.ID, "url": "http://10.0.0.1/"})
	if got := optest.Must[api.Task](w, "tasks.get", m{"id": a.ID}); got.Version != 2 || got.URL != a.URL {
		t.Errorf("a refused change changed %+v", got)
	}
	optest.Must[api.Task](w, "tasks.delete", m{"id": a.ID})
	w.Refused(api.CodeNotFound, "tasks.get", m{"id": a.ID})
	w.Refused(api.CodeNotFound, "tasks.testRun", m{"id": a.ID})
}

func TestQuotaAndTheEndOfAnAgent(t *testing.T) {
	w := newWorld(t, outbound.Options{}, llm.Config{})
	for range 20 {
		w.create("https://x.io/", nil)
	}
	w.Refused(api.CodeQuotaExceeded, "tasks.create", m{"agentId": "agt_1", "kind": "llm", "name": "x", "promptTemplate": "x"})
	err := w.Store.Update(t.Context(), func(tx kv.Tx) error { return w.tasks.DropAgent(tx, "team_a", "agt_1") })
	if page := optest.Must[api.Page[api.Task]](w, "tasks.list", m{}); err != nil || len(page.Data) != 0 {
		t.Errorf("%v %d", err, len(page.Data))
	}
	w.create("https://x.io/", nil)
}

func TestOtherTeamsAndLowerRolesGetNothing(t *testing.T) {
	w := open(t)
	task := w.create("https://x.io/", nil)
	run := optest.Must[api.TaskRun](w, "tasks.testRun", m{"id": task.ID})
	inputs := map[string]m{
		"tasks.get": {"id": task.ID}, "tasks.update": {"id": task.ID, "name": "x"}, "tasks.delete": {"id": task.ID},
		"tasks.setApiKey": {"id": task.ID, "key": "k"}, "tasks.clearApiKey": {"id": task.ID}, "tasks.testRun": {"id": task.ID},
		"tasks.test": {"id": task.ID}, "tasks.getRun": {"id": run.ID}, "tasks.cancelRun": {"id": run.ID},
		"tasks.create": {"agentId": "agt_1", "kind": "llm", "name": "x", "promptTemplate": "x"},
		"tasks.list":   {"agentId": "agt_1"}, "tasks.runs": {"taskId": task.ID},
	}
	for _, row := range w.tasks.Ops() {
		raw, refusal := optest.Call[json.RawMessage](w, member("team_b", op.Owner), row.Name, inputs[row.Name])
		switch {
		case row.Name == "tasks.list" || row.Name == "tasks.runs":
			if refusal != nil || strings.Contains(string(raw), task.ID) {
				t.Errorf("%s: %s %v", row.Name, raw, refusal)
			}
		case row.Name == "tasks.create":
			if refusal == nil || refusal.Status != 422 {
				t.Errorf("%s: %s %v", row.Name, raw, refusal)
			}
		case refusal == nil || refusal.Status != 404:
			t.Errorf("%s answered another team %s %v", row.Name, raw, refusal)
		}
		if row.Session == 0 {
			continue
		}
		if raw, refusal := optest.Call[json.RawMessage](w, member("team_a", row.Session-1), row.Name, inputs[row.Name]); refusal == nil || refusal.Code != api.CodeRoleRequired {
			t.Errorf("%s answered a lower role %s %v", row.Name, raw, refusal)
		}
		key := w.Who
		key.Kind, key.Scopes = op.Key, op.AllScopes
		if raw, refusal := optest.Call[json.RawMessage](w, key, row.Name, inputs[row.Name]); refusal == nil || refusal.Code != api.CodeSessionRequired {
			t.Errorf("%s answered a key %s %v", row.Name, raw, refusal)
		}
	}
}

const canary = "canary-7f3b21c9d0e4"

// TestSecretsNeverLeave looks for the secrets in every answer, in the database
// and in a backup of it.
func TestSecretsNeverLeave(t *testing.T) {
	echo := sink(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("X-Echo", r.Header.Get("Authorization"))
		rw.WriteHeader(500)
		fmt.Fprintf(rw, "you sent %s, %v", r.URL, r.Header)
	})
	w := open(t)
	task := w.create(echo.URL, m{"headers": []m{{"name": "X-Secret", "value": canary + "-header", "secret": true}}})
	query := w.create(echo.URL+"/?a=b", nil)
	all := ""
	for _, c := range []struct {
		name string
		args m
	}{
		{"tasks.setApiKey", m{"id": task.ID, "key": canary}},
		{"tasks.setApiKey", m{"id": query.ID, "key": canary + "/ü", "placement": "query", "name": "api key"}},
		{"tasks.update", m{"id": task.ID, "name": "x"}},
		{"tasks.update", m{"id": task.ID, "headers": []m{{"name": "x-secret", "value": "", "secret": true}}}},
		{"tasks.get", m{"id": task.ID}}, {"tasks.list", m{}},
		{"tasks.testRun", m{"id": task.ID}}, {"tasks.testRun", m{"id": task.ID, "mode": "live"}},
		{"tasks.testRun", m{"id": query.ID}}, {"tasks.testRun", m{"id": query.ID, "mode": "live"}},
		{"tasks.runs", m{}},
	} {
		raw, refusal := optest.Call[json.RawMessage](w, w.Who, c.name, c.args)
		if refusal != nil {
			t.Fatal(c.name, refusal)
		}
		if strings.Contains(string(raw), canary) {
			t.Errorf("%s: %s", c.name, raw)
		}
		all += string(raw)
	}
	if !strings.Contains(all, "[hidden]") || !strings.Contains(all, "you sent") {
		t.Error("the endpoint was not asked, or the secrets did not reach it")
	}
	if err := w.Store.BackupFile(t.Context(), filepath.Join(w.Dir, "backup.db")); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"svc.db", "backup.db"} {
		b, err := os.ReadFile(filepath.Join(w.Dir, file))
		if err != nil || strings.Contains(string(b), canary) || !strings.Contains(string(b), task.ID) {
			t.Errorf("%s holds the secret, or not the task: %v", file, err)
		}
	}
}

func TestSecretsBelongToTheirHost(t *testing.T) {
	var keys []string
	other := sink(t, func(_ http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Authorization")+r.Header.Get("X-Secret"))
	})
	w := open(t)
	secret := []m{{"name": "X-Secret", "value": canary, "secret": true}}
	task := w.create("https://x.io/a", m{"headers": secret})
	optest.Must[api.Task](w, "tasks.setApiKey", m{"id": task.ID, "key": canary})

	if moved := optest.Must[api.Task](w, "tasks.update", m{"id": task.ID, "url": "https://x.io/b"}); moved.APIKey == nil || moved.APIKey.Last4 != "d0e4" {
		t.Errorf("another path took the key away: %+v", moved.APIKey)
	}
	if e := w.Refused(api.CodeValidationFailed, "tasks.update", m{"id": task.ID, "url": other.URL}); pointers(e)[0] != "/headers/0/value" {
		t.Errorf("%+v", e)
	}
	moved := optest.Must[api.Task](w, "tasks.update", m{"id": task.ID, "url": other.URL, "headers": nil})
	if moved.APIKey != nil {
		t.Errorf("the key went along: %+v", moved.APIKey)
	}
	if run := w.live(task.ID, nil); run.State != api.RunCompleted || !slices.Equal(keys, []string{""}) {
		t.Errorf("%s, the other host saw %q", run.State, keys)
	}
	optest.Must[api.Task](w, "tasks.setApiKey", m{"id": task.ID, "key": "second-key", "name": "X-Key", "prefix": "Token "})
	optest.Must[api.Task](w, "tasks.clearApiKey", m{"id": task.ID})
	w.live(task.ID, nil)
	if keys[1] != "" {
		t.Errorf("a cleared key was sent: %q", keys)
	}
}

func TestKeysThatCannotBeSent(t *testing.T) {
	w := open(t)
	task := w.create("https://x.io/", nil)
	model := optest.Must[api.Task](w, "tasks.create", m{"agentId": "agt_1", "kind": "llm", "name": "x", "promptTemplate": "x"})
	for _, in := range []m{
		{"id": task.ID, "key": "a\r\nX: y"}, {"id": task.ID, "key": "a", "prefix": "B\n"}, {"id": task.ID, "key": "a", "name": "Host"}, {"id": task.ID, "key": "a", "name": "A B"},
		{"id": task.ID, "key": "a", "placement": "query"}, {"id": model.ID, "key": "a"}, {"id": task.ID, "key": ""}, {"id": task.ID, "key": "a", "placement": "cookie"},
	} {
		w.Refused(api.CodeValidationFailed, "tasks.setApiKey", in)
	}
}
