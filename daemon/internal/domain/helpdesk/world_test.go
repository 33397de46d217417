package helpdesk_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/helpdesk"
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/sdk/api"
)

// world is a helpdesk on a store of its own, with a clock that the test moves.
type world struct {
	t     testing.TB
	dir   string
	store kv.Store
	log   *event.Log
	desk  *helpdesk.Service
	table *op.Table
	now   time.Time
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), now: time.Now().Truncate(time.Second)}
	store, err := bolt.Open(filepath.Join(w.dir, "svc.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	w.store, w.log = store, event.New(store, helpdesk.Events())
	w.start()
	return w
}

func (w *world) indexDir() string { return filepath.Join(w.dir, "search") }

// start makes the service as a daemon does that begins.
func (w *world) start() {
	w.desk = helpdesk.New(w.store, w.log, helpdesk.Options{IndexDir: w.indexDir()})
	w.desk.Now = func() time.Time { return w.now }
	w.table = op.NewTable(w.store, op.NewLimiter(nil), w.desk.Ops(), w.log.Ops())
	desk := w.desk
	w.t.Cleanup(func() { desk.Close() })
}

func (w *world) restart() {
	w.t.Helper()
	if err := w.desk.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.start()
}

// tick moves the clock by a second, so that what follows is later.
func (w *world) tick() { w.now = w.now.Add(time.Second) }

var alice = op.Caller{Kind: op.Key, Credential: "key_1", Team: "team_a", Scopes: op.AllScopes, Source: "api", Actor: api.Actor{Type: "key", ID: "key_1"}}

func as(team string) op.Caller {
	who := alice
	who.Team = team
	return who
}

func from(source string) op.Caller {
	who := alice
	who.Source = source
	return who
}

// call runs an operation with arguments as a client writes them.
func call[Out any](w *world, who op.Caller, name, body string) (Out, *api.Error) {
	w.t.Helper()
	row := w.table.Lookup(name)
	if row == nil {
		w.t.Fatal("no operation " + name)
	}
	var out Out
	res, refusal := w.table.Call(w.t.Context(), op.Request{Op: row, Caller: who, Args: op.Args{Body: []byte(body)}})
	if refusal != nil {
		return out, refusal
	}
	b, err := op.Encode(nil, res.Value)
	if err != nil {
		w.t.Fatal(err)
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

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(b)
}

// article creates a published article.
func (w *world) article(title, content string) api.Article {
	w.t.Helper()
	w.tick()
	return must[api.Article](w, "helpdesk.articles.create",
		`{"title":`+quoted(title)+`,"content":`+quoted(content)+`,"status":"PUBLISHED"}`)
}

func (w *world) draft(title string) api.Article {
	w.t.Helper()
	w.tick()
	return must[api.Article](w, "helpdesk.articles.create", `{"title":`+quoted(title)+`,"content":"<p>Text</p>"}`)
}

func (w *world) patch(id, members string) api.Article {
	w.t.Helper()
	w.tick()
	return must[api.Article](w, "helpdesk.articles.update", `{"id":"`+id+`",`+members+`}`)
}

// do runs one of the operations that take nothing but the article.
func (w *world) do(name, id string) api.Article {
	w.t.Helper()
	w.tick()
	return must[api.Article](w, "helpdesk.articles."+name, `{"id":"`+id+`"}`)
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

// events are the types of what was appended since the events before.
func (w *world) newEvents(fn func()) string {
	w.t.Helper()
	list := func() []api.Event {
		return must[api.Page[api.Event]](w, "events.list", `{"order":"asc","limit":100}`).Data
	}
	before := len(list())
	fn()
	var types []string
	for _, e := range list()[before:] {
		types = append(types, e.Type)
	}
	return strings.Join(types, " ")
}

// search asks as a visitor's agent does.
func (w *world) search(q string) []helpdesk.Hit {
	w.t.Helper()
	hits, err := w.desk.Search(w.t.Context(), "team_a", q, 5)
	if err != nil {
		w.t.Fatal(err)
	}
	return hits
}

// found are the titles of what a question finds, the best first.
func (w *world) found(q string) string {
	w.t.Helper()
	var titles []string
	for _, h := range w.search(q) {
		titles = append(titles, h.Title)
	}
	return strings.Join(titles, " | ")
}
