package posts_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/sdk/api"
)

// world is posts on a store of their own, with a clock that the test moves.
type world struct {
	t     testing.TB
	posts *posts.Service
	table *op.Table
	now   time.Time
}

func newWorld(t testing.TB) *world {
	store, err := bolt.Open(filepath.Join(t.TempDir(), "svc.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	log := event.New(store, posts.Events())
	w := &world{t: t, posts: posts.New(store, log), now: time.Now().Truncate(time.Second)}
	w.posts.Now = func() time.Time { return w.now }
	// Jobs are tested with their own package; here they are only queued.
	w.posts.StartJob = func(_ kv.Tx, _ op.Caller, post string, _ api.PostCreate) (api.JobStarted, error) {
		return api.JobStarted{JobID: "job_1", ID: "job_1", PostID: post, State: api.JobQueued}, nil
	}
	w.posts.CheckModel = func(string) error { return nil }
	w.table = op.NewTable(store, op.NewLimiter(nil), w.posts.Ops(), log.Ops())
	return w
}

// tick moves the clock by a second, so that what follows is later.
func (w *world) tick() { w.now = w.now.Add(time.Second) }

var alice = op.Caller{Kind: op.Key, Credential: "key_1", Team: "team_a", Scopes: op.AllScopes, Source: "api", Actor: api.Actor{Type: "key", ID: "key_1"}}

func as(team string) op.Caller {
	who := alice
	who.Team = team
	return who
}

func without(scope op.Scope) op.Caller {
	who := alice
	who.Scopes &^= scope
	return who
}

// call runs an operation with arguments as a client writes them.
func call[Out any](w *world, who op.Caller, name, body string) (Out, *api.Error) {
	w.t.Helper()
	return callKeyed[Out](w, who, name, body, "")
}

func callKeyed[Out any](w *world, who op.Caller, name, body, key string) (Out, *api.Error) {
	w.t.Helper()
	row := w.table.Lookup(name)
	if row == nil {
		w.t.Fatal("no operation " + name)
	}
	var out Out
	res, refusal := w.table.Call(w.t.Context(), op.Request{Op: row, Caller: who, Args: op.Args{Body: []byte(body)}, IdempotencyKey: key})
	if refusal != nil {
		return out, refusal
	}
	b := res.JSON
	if b == nil {
		var err error
		if b, err = op.Encode(nil, res.Value); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := json.Unmarshal(b, &out); err != nil {
		w.t.Fatalf("%s: %v: %s", name, err, b)
	}
	return out, nil
}

func must[Out any](w *world, name, body string) Out {
	w.t.Helper()
	out, refusal := call[Out](w, alice, name, body)
	if refusal != nil {
		w.t.Fatalf("%s %.200s: %+v", name, body, refusal)
	}
	return out
}

func (w *world) create(body string) api.Post {
	w.t.Helper()
	w.tick()
	return must[api.Post](w, "posts.create", body)
}

func (w *world) patch(id, members string) api.Post {
	w.t.Helper()
	w.tick()
	return must[api.Post](w, "posts.update", `{"id":"`+id+`",`+members+`}`)
}

// do runs one of the operations that take nothing but the post.
func (w *world) do(name, id string) api.Post {
	w.t.Helper()
	w.tick()
	return must[api.Post](w, "posts."+name, `{"id":"`+id+`"}`)
}

func (w *world) get(id string) api.Post {
	w.t.Helper()
	return must[api.Post](w, "posts.get", `{"id":"`+id+`"}`)
}

// refused runs an operation that must fail with the code.
func (w *world) refused(code api.Code, name, body string) *api.Error {
	w.t.Helper()
	_, refusal := call[map[string]any](w, alice, name, body)
	if refusal == nil || refusal.Code != code {
		w.t.Fatalf("%s %.200s: want %s, got %+v", name, body, code, refusal)
	}
	return refusal
}

// events are what was appended since the events before.
func (w *world) events(before int) []api.Event {
	w.t.Helper()
	return must[api.Page[api.Event]](w, "events.list", `{"order":"asc","limit":100}`).Data[before:]
}

// newEvents runs fn and returns the types of the events that it caused.
func (w *world) newEvents(fn func()) string {
	w.t.Helper()
	before := len(w.events(0))
	fn()
	var types []string
	for _, e := range w.events(before) {
		types = append(types, e.Type)
	}
	return strings.Join(types, " ")
}

func titles(page api.Page[api.Post]) string {
	var out []string
	for _, p := range page.Data {
		out = append(out, p.Title)
	}
	return strings.Join(out, " ")
}
