package daemon_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"edgesvc.dev/svc/daemon"
	"edgesvc.dev/svc/sdk/api"
)

// target is an endpoint of tasks on one of this machine's own addresses.
type target struct {
	*httptest.Server
	hits atomic.Int64
}

// listen answers on address with handle, nil for an empty answer.
func listen(t *testing.T, address string, handle http.HandlerFunc) *target {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	e := &target{}
	e.Server = &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.hits.Add(1)
		if handle != nil {
			handle(w, r)
		}
	})}}
	e.Start()
	t.Cleanup(func() {
		e.CloseClientConnections()
		e.Close()
	})
	return e
}

func (e *target) port() string { return e.URL[strings.LastIndexByte(e.URL, ':')+1:] }

// loopbackOnly lets tasks reach 127.0.0.1, and nothing else of this machine.
func loopbackOnly(c *daemon.Config) { c.AllowCIDR = []string{"127.0.0.1/32"} }

// task makes an API task, which tests may change by members, and returns its id;
// "" when it is refused.
func (in *instance) task(t *testing.T, url string, members ...string) (id string, refused answer) {
	t.Helper()
	session := in.session(t, in.A)
	agent := firstID(in.procedure(t, "agents.list", session, `{}`).JSON(t))
	body := map[string]any{"agentId": agent, "kind": "api", "name": "Call", "method": "GET", "url": url, "timeoutMs": 1000}
	for _, m := range members {
		mustJSON(t, []byte(m), &body)
	}
	a := in.procedure(t, "tasks.create", session, string(encode(t, body)))
	id, _ = a.JSON(t)["id"].(string)
	return id, a
}

// live runs a task for real.
func (in *instance) live(t *testing.T, id, values string) (run api.TaskRun) {
	t.Helper()
	a := in.procedure(t, "tasks.testRun", in.session(t, in.A), `{"id":"`+id+`","mode":"live"`+values+`}`)
	mustJSON(t, a.Body, &run)
	return run
}

// TestHostileAddresses makes and runs tasks whose address leads inside, however
// it is written (S01), and by a name that resolves to inside (S03). Nobody is
// asked.
func TestHostileAddresses(t *testing.T) {
	in := start(t)
	sink := listen(t, "127.0.0.1:0", nil)
	forms := strings.Fields(`127.0.0.1 127.1 127.0.1 2130706433 017700000001 0x7f000001 0x7f.0.0.1 0177.0.0.1 127.000.000.001 0 0.0.0.0 0x0
		00000000 localhost LOCALHOST localhost. a.localhost 127.0.0.1. 127.255.255.254 [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1]
		[::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::] [fe80::1] [fe80::1%25lo] [fc00::1]
		[fd00:ec2::254] [ff02::1] 169.254.169.254 [::ffff:169.254.169.254] 100.100.100.200 168.63.129.16 192.0.0.192 10.0.0.1 172.16.0.1
		192.168.1.1 100.64.0.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 metadata.google.internal ①②⑦.⓪.⓪.① 127。0。0。1 %31%32%37.0.0.1
		user@127.0.0.1 example.com@127.0.0.1 example.com%00.127.0.0.1`)
	if name, err := os.Hostname(); err == nil {
		if found, err := net.LookupHost(name); err == nil && len(found) > 0 {
			forms = append(forms, name) // of this machine, by /etc/hosts
		}
	}
	made := 0
	for _, host := range forms {
		id, refused := in.task(t, "http://"+host+":"+sink.port()+"/")
		if id == "" {
			if refused.StatusCode != 422 {
				t.Errorf("%s: %s %s", host, refused.Status, refused.Body)
			}
			continue
		}
		made++
		if run := in.live(t, id, ""); run.State != api.RunFailed || run.Response != nil {
			t.Errorf("%s: %+v", host, run)
		}
	}
	for _, url := range []string{"file:///etc/passwd", "gopher://127.0.0.1/", "http:///x", "//127.0.0.1/", "javascript:alert(1)", "http://{{ person.host }}/"} {
		if id, refused := in.task(t, url); id != "" || refused.StatusCode != 422 {
			t.Errorf("%s: %s", url, refused.Status)
		}
	}
	if n := sink.hits.Load(); n > 0 {
		t.Errorf("the endpoint was asked %d times", n)
	}
	t.Logf("%d addresses, %d refused when they were asked for and the others before", len(forms), made)

	// The same endpoint is asked where its range is open: what refused was the guard.
	open := start(t, loopbackOnly)
	id, _ := open.task(t, sink.URL)
	if run := open.live(t, id, ""); run.State != api.RunCompleted || sink.hits.Load() != 1 {
		t.Errorf("%+v after %d hits", run, sink.hits.Load())
	}
}

// TestHostileRedirects redirects from the allowed host to inside and to another
// host (S02, S04): the run fails, and the key goes to its own host only.
func TestHostileRedirects(t *testing.T) {
	in := start(t, loopbackOnly)
	other := listen(t, "127.0.0.2:0", nil)
	neighbour := listen(t, "127.0.0.1:0", nil)
	for _, to := range []string{"http://169.254.169.254/", other.URL, neighbour.URL, "file:///etc/passwd"} {
		var saw atomic.Value
		own := listen(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
			saw.Store(r.Header.Get("Authorization"))
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		})
		id, _ := in.task(t, own.URL)
		in.procedure(t, "tasks.setApiKey", in.session(t, in.A), `{"id":"`+id+`","key":"`+taskKey+`","prefix":"Bearer "}`)
		run := in.live(t, id, "")
		if run.State != api.RunFailed || run.Error == nil || run.Response == nil || run.Response.Status != 307 || saw.Load() != "Bearer "+taskKey {
			t.Errorf("%s: %+v", to, run)
		}
	}
	if n := other.hits.Load() + neighbour.hits.Load(); n > 0 {
		t.Errorf("a redirect was followed %d times", n)
	}
}

// TestTaskKeyStays sends a key to an endpoint that says it back, and looks for it
// in everything that the daemon then says, and in its log (T18).
func TestTaskKeyStays(t *testing.T) {
	in := start(t, loopbackOnly)
	echo := listen(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		fmt.Fprintf(w, "%s %v", r.URL, r.Header)
	})
	id, _ := in.task(t, echo.URL)
	session := in.session(t, in.A)
	said := string(in.procedure(t, "tasks.setApiKey", session, `{"id":"`+id+`","key":"`+taskKey+`"}`).Body)
	run := in.live(t, id, "")
	said += string(encode(t, run))
	for _, call := range [][2]string{
		{"tasks.testRun", `{"id":"` + id + `"}`}, {"tasks.get", `{"id":"` + id + `"}`}, {"tasks.list", `{}`}, {"tasks.runs", `{}`}, {"tasks.getRun", `{"id":"` + run.ID + `"}`},
		{"tasks.update", `{"id":"` + id + `","name":"x"}`}, {"team.auditLog", `{}`},
	} {
		said += string(in.procedure(t, call[0], session, call[1]).Body)
	}
	said += string(in.send(t, "GET", "/svc-api/v1/events?limit=100", in.A.Key, "").Body) + in.log.String()
	if echo.hits.Load() != 1 || !strings.Contains(said, "X-Echo") || !strings.Contains(said, "[hidden]") {
		t.Fatalf("the endpoint did not say it back: %s", said)
	}
	if i := strings.Index(said, taskKey); i >= 0 {
		t.Errorf("said: %s", said[max(0, i-200):i+100])
	}
}

// TestHostileValues puts line ends, paths and templates into what a task sends
// (S05, S07): they stay values.
func TestHostileValues(t *testing.T) {
	in := start(t, loopbackOnly)
	var mu sync.Mutex // guards seen
	var seen []string
	sink := listen(t, "127.0.0.1:0", func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprint(r.RequestURI, r.Header, r.Host))
	})
	id, _ := in.task(t, sink.URL+"/people/{{ person.name }}", `{"headers":[{"name":"X-Name","value":"{{ person.name }}"}]}`)
	for _, name := range []string{"a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rX-Evil: 1", "a\x00b"} {
		if run := in.live(t, id, `,"person":`+string(encode(t, map[string]string{"name": name}))); run.State != api.RunFailed {
			t.Errorf("%q: %+v", name, run)
		}
	}
	path, _ := in.task(t, sink.URL+"/people/{{ person.name }}/x")
	for _, name := range []string{"../../admin", "{{ context.secret }}", "{% include 'x' %}", "a?b#c", "@evil.example"} {
		in.live(t, path, `,"context":{"secret":"hidden value"},"person":`+string(encode(t, map[string]string{"name": name})))
	}
	for _, s := range seen {
		if strings.Contains(s, "X-Evil") || strings.Contains(s, "hidden value") || !strings.HasPrefix(s, "/people/") || !strings.HasSuffix(s, "127.0.0.1:"+sink.port()) {
			t.Errorf("sent %s", s)
		}
	}
	for _, header := range []string{`{"name":"X\r\nY","value":"a"}`, `{"name":"Host","value":"evil.example"}`, `{"name":"Content-Length","value":"5"}`, `{"name":"X","value":"a\r\nY: b"}`} {
		if id, refused := in.task(t, sink.URL, `{"headers":[`+header+`]}`); id != "" || refused.StatusCode != 422 {
			t.Errorf("%s: %s", header, refused.Status)
		}
	}
}

// TestHostileEndpoints runs tasks against endpoints without end (S06). Each run
// ends, and the endpoint is left alone then.
func TestHostileEndpoints(t *testing.T) {
	in := start(t, loopbackOnly)
	var open sync.WaitGroup
	var written atomic.Int64
	serve := func(write func(w http.ResponseWriter, r *http.Request)) string {
		return listen(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
			open.Add(1)
			defer open.Done()
			write(w, r)
		}).URL
	}
	for what, c := range map[string]struct {
		write func(w http.ResponseWriter, r *http.Request)
		state string
	}{
		"1 GB": {func(w http.ResponseWriter, _ *http.Request) {
			for chunk := make([]byte, 64<<10); ; {
				n, err := w.Write(chunk)
				if written.Add(int64(n)); err != nil || written.Load() > 1<<30 {
					return
				}
			}
		}, api.RunCompleted},
		"silent": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, api.RunFailed},
		"never done": {func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("x"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, api.RunFailed},
	} {
		id, _ := in.task(t, serve(c.write))
		run := in.live(t, id, "")
		if run.State != c.state || run.Response != nil && (len(run.Response.Body) > 64<<10 || run.Response.Bytes > 1<<20) {
			t.Errorf("%s: %s %+v", what, run.State, run.Error)
		}
	}
	open.Wait()
	if n := written.Load(); n > 64<<20 { // what the system holds between the two
		t.Errorf("%d bytes left the endless endpoint", n)
	}
}

// TestHostileTemplates asks for files, loops and doublings (S08).
func TestHostileTemplates(t *testing.T) {
	in := start(t)
	session := in.session(t, in.A)
	agent := firstID(in.procedure(t, "agents.list", session, `{}`).JSON(t))
	host, _ := os.ReadFile("/etc/hostname")
	for what, template := range map[string]string{
		"include":   `{% include "../../../../../../etc/hostname" %}`,
		"render":    `{% render "/etc/hostname" %}`,
		"loop":      `{% for i in (1..1000000000) %}x{% endfor %}`,
		"two loops": `{% for i in (1..100000) %}{% for j in (1..100000) %}{% endfor %}{% endfor %}`,
		"doublings": `{% assign a = "xxxxxxxx" %}` + strings.Repeat(`{% assign a = a | append: a %}`, 30) + `{{ a }}`,
		"nested":    strings.Repeat(`{% if true %}`, 2500) + strings.Repeat(`{% endif %}`, 2500),
		"unended":   strings.Repeat(`{% for i in (1..9) %}`, 500),
		"padded":    `{{ "x" | append: "y" | slice: 0, 999999999 | times: 9999999 }}`,
	} {
		a := in.procedure(t, "tasks.create", session, string(encode(t, map[string]any{"agentId": agent, "kind": "llm", "name": what, "promptTemplate": template})))
		id, made := a.JSON(t)["id"].(string)
		if !made {
			if a.StatusCode != 422 {
				t.Errorf("%s: %s %s", what, a.Status, a.Body)
			}
			continue
		}
		var run api.TaskRun
		mustJSON(t, in.procedure(t, "tasks.testRun", session, `{"id":"`+id+`"}`).Body, &run)
		if len(run.Prompt) > 256<<10 || len(host) > 1 && strings.Contains(run.Prompt, strings.TrimSpace(string(host))) {
			t.Errorf("%s: %d characters, %.200s", what, len(run.Prompt), run.Prompt)
		}
		t.Logf("%s: %s %v, %d characters", what, run.State, run.Error, len(run.Prompt))
	}
	if h := in.send(t, "GET", "/healthz", "", ""); h.StatusCode != 200 {
		t.Errorf("unhealthy afterwards: %s", h.Status)
	}
}

// TestActivateTogether has eight sessions activate eight agents at once, a
// hundred times (T14). After each there is one active, and each was told which
// one it took the place of: one order of all eight explains every answer.
func TestActivateTogether(t *testing.T) {
	in := start(t)
	const n, rounds = 8, 100
	sessions, agents := make([]string, n), make([]string, n)
	first := in.session(t, in.A)
	before := firstID(in.procedure(t, "agents.list", first, `{}`).JSON(t))
	for i := range n {
		sessions[i] = in.procedure(t, "auth.login", "", `{"email":"a@example.test","password":"correct horse battery"}`).JSON(t)["token"].(string)
		agents[i] = in.procedure(t, "agents.create", first, fmt.Sprintf(`{"name":"Agent %d"}`, i)).JSON(t)["id"].(string)
	}
	for range rounds {
		in.procedure(t, "agents.activate", first, `{"id":"`+before+`"}`)
		var mu sync.Mutex // guards next
		next := map[string]string{}
		var together sync.WaitGroup
		for i := range n {
			together.Go(func() {
				var done api.AgentActivated
				a := in.procedure(t, "agents.activate", sessions[i], `{"id":"`+agents[i]+`"}`)
				mustJSON(t, a.Body, &done)
				mu.Lock()
				defer mu.Unlock()
				if done.Deactivated == nil {
					t.Errorf("took nobody's place: %s", a.Body)
					return
				}
				next[done.Deactivated.ID] = done.Agent.ID
			})
		}
		together.Wait()
		steps, last := 0, before
		for ; next[last] != "" && steps < n; steps++ {
			last = next[last]
		}
		active := []string{}
		for _, a := range in.procedure(t, "agents.list", first, `{"limit":100}`).JSON(t)["data"].([]any) {
			if agent := a.(map[string]any); agent["active"] == true {
				active = append(active, agent["id"].(string))
			}
		}
		if len(active) != 1 || active[0] != last || steps != n {
			t.Fatalf("active %v, the answers lead to %s in %d steps: %v", active, last, steps, next)
		}
	}
}
