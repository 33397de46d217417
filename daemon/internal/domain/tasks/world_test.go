package tasks_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/tasks"
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/outbound"
	"edgesvc.dev/svc/daemon/internal/seal"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/sdk/api"
)

// world is tasks on a store of their own, with a clock that the test moves.
type world struct {
	t     testing.TB
	dir   string
	store *bolt.Store
	box   *seal.Box
	tasks *tasks.Service
	table *op.Table
	now   time.Time
}

// loopback is what tests open to reach their own endpoints.
func loopback() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} }

func newWorld(t testing.TB, o outbound.Options, models llm.Config) *world {
	w := &world{t: t, dir: t.TempDir(), now: time.Now().Truncate(time.Second)}
	store, err := bolt.Open(filepath.Join(w.dir, "svc.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	box, err := seal.Open(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	w.store, w.box = store, box
	w.restart(o, models)
	return w
}

// restart makes the service anew over the same store, as a new process does.
func (w *world) restart(o outbound.Options, models llm.Config) {
	log := event.New(w.store, tasks.Events())
	w.tasks = tasks.New(w.store, log, llm.Open(models), w.box, outbound.New(o))
	w.tasks.Now = func() time.Time { return w.now }
	w.tasks.Agent = func(_ kv.Tx, team, id string) error {
		if team == "team_a" && id == "agt_1" || team == "team_b" && id == "agt_2" {
			return nil
		}
		return &kv.NotFoundError{Table: "agent", ID: id}
	}
	w.tasks.Brand = func(context.Context, string) (string, api.Brand, error) {
		return "Acme", api.Brand{Voice: "plain", Facts: []string{"We ship on Mondays."}}, nil
	}
	w.tasks.Team = func(_ context.Context, team string) (map[string]any, error) {
		return map[string]any{"id": team, "name": "Acme"}, nil
	}
	w.table = op.NewTable(w.store, op.NewLimiter(op.Limits{"ai": 30}), w.tasks.Ops(), log.Ops())
	w.table.AddStreams(w.tasks.Streams())
}

// open is a world that reaches endpoints of the test.
func open(t testing.TB) *world { return newWorld(t, outbound.Options{Allow: loopback()}, llm.Config{}) }

func member(team string, role op.Role) op.Caller {
	return op.Caller{
		Kind: op.Session, Credential: "ses_" + team, Team: team, Role: role, Scopes: role.Scopes(),
		Source: "dashboard", Actor: api.Actor{Type: "user", ID: "usr_1"},
	}
}

func alice() op.Caller { return member("team_a", op.Editor) }

// call runs an operation with arguments as a client writes them. raw is the
// answer as it leaves.
func call[Out any](w *world, who op.Caller, name string, args any) (out Out, raw string, refusal *api.Error) {
	w.t.Helper()
	row := w.table.Lookup(name)
	if row == nil {
		w.t.Fatal("no operation " + name)
	}
	body, ok := args.(string)
	if !ok {
		b, err := json.Marshal(args)
		if err != nil {
			w.t.Fatal(err)
		}
		body = string(b)
	}
	res, refusal := w.table.Call(w.t.Context(), op.Request{Op: row, Caller: who, Args: op.Args{Body: []byte(body)}})
	if refusal != nil {
		return out, "", refusal
	}
	b, err := op.Encode(nil, res.Value)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := json.Unmarshal(b, &out); err != nil {
		w.t.Fatalf("%s: %v: %s", name, err, b)
	}
	return out, string(b), nil
}

func must[Out any](w *world, name string, args any) Out {
	w.t.Helper()
	out, _, refusal := call[Out](w, alice(), name, args)
	if refusal != nil {
		w.t.Fatalf("%s %.300s: %+v", name, args, refusal)
	}
	return out
}

// refused runs an operation that must fail with the code.
func (w *world) refused(code api.Code, name string, args any) *api.Error {
	w.t.Helper()
	_, raw, refusal := call[map[string]any](w, alice(), name, args)
	if refusal == nil || refusal.Code != code {
		w.t.Fatalf("%s %.300v: want %s, got %+v %s", name, args, code, refusal, raw)
	}
	return refusal
}

type m = map[string]any

// create makes an API task for url, with more members over the usual ones.
func (w *world) create(url string, more m) api.Task {
	w.t.Helper()
	in := m{"agentId": "agt_1", "kind": "api", "name": "Look up", "method": "POST", "url": url}
	for name, v := range more {
		in[name] = v
	}
	return must[api.Task](w, "tasks.create", in)
}

func (w *world) live(id string, more m) api.TaskRun {
	w.t.Helper()
	in := m{"id": id, "mode": "live"}
	for name, v := range more {
		in[name] = v
	}
	return must[api.TaskRun](w, "tasks.testRun", in)
}

// sink is an endpoint that the test scripts.
func sink(t testing.TB, handle http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s
}

func pointers(e *api.Error) (out []string) {
	for _, f := range e.Errors {
		out = append(out, f.Pointer)
	}
	return out
}

// events are the team's, the first one first.
func (w *world) events() []api.Event {
	w.t.Helper()
	page, _, refusal := call[api.Page[api.Event]](w, member("team_a", op.Owner), "events.list", m{"order": "asc"})
	if refusal != nil {
		w.t.Fatal(refusal)
	}
	return page.Data
}
