package tasks_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/tasks"
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/outbound"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// world is tasks on a store of their own.
type world struct {
	*optest.World
	tasks *tasks.Service
}

// loopback is what tests open to reach their own endpoints.
func loopback() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} }

func newWorld(t testing.TB, o outbound.Options, models llm.Config) *world {
	w := &world{World: optest.New(t, tasks.Events())}
	w.Who = member("team_a", op.Editor)
	w.restart(o, models)
	w.Checked(tasks.Tables())
	return w
}

// restart makes the service again over the same store, as a new process does.
func (w *world) restart(o outbound.Options, models llm.Config) {
	w.Log = event.New(w.Store, tasks.Events())
	w.tasks = tasks.New(w.Store, w.Log, llm.Open(models), w.Seal(), outbound.New(o))
	w.tasks.Now = w.Now
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
	w.JoinLimited(op.Limits{"ai": 30}, w.tasks.Ops())
	w.Table.AddStreams(w.tasks.Streams())
}

// open is a world that reaches endpoints of the test.
func open(t testing.TB) *world { return newWorld(t, outbound.Options{Allow: loopback()}, llm.Config{}) }

func member(team string, role op.Role) op.Caller { return optest.Member(team, "usr_1", role) }

type m = map[string]any

// create makes an API task for url, with more members over the usual ones.
func (w *world) create(url string, more m) api.Task {
	w.T.Helper()
	in := m{"agentId": "agt_1", "kind": "api", "name": "Look up", "method": "POST", "url": url}
	for name, v := range more {
		in[name] = v
	}
	return optest.Must[api.Task](w, "tasks.create", in)
}

func (w *world) live(id string, more m) api.TaskRun {
	w.T.Helper()
	in := m{"id": id, "mode": "live"}
	for name, v := range more {
		in[name] = v
	}
	return optest.Must[api.TaskRun](w, "tasks.testRun", in)
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
