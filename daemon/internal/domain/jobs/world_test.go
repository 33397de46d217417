package jobs_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/domain/jobs"
	"edgesvc.dev/svc/daemon/internal/domain/media"
	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/sdk/api"
)

// world is posts, jobs and media joined as the daemon joins them.
type world struct {
	t     *testing.T
	path  string
	store *bolt.Store
	log   *event.Log
	posts *posts.Service
	jobs  *jobs.Service
	media *media.Service
	table *op.Table
	stop  func() // of the workers

	workers int
}

// newWorld opens a store and does not start the workers.
func newWorld(t *testing.T, models llm.Config) *world {
	w := &world{t: t, path: filepath.Join(t.TempDir(), "svc.db"), stop: func() {}}
	w.open(models)
	t.Cleanup(func() {
		w.stop()
		w.store.Close()
	})
	return w
}

func (w *world) open(models llm.Config) {
	w.t.Helper()
	store, err := bolt.Open(w.path, bolt.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.store = store
	w.join(models)
}

// beside is another process on the same store, with models of its own.
func (w *world) beside(models llm.Config) *world {
	other := &world{t: w.t, store: w.store, stop: func() {}}
	other.join(models)
	w.t.Cleanup(func() { other.stop() })
	return other
}

func (w *world) join(models llm.Config) {
	store := w.store
	w.log = event.New(store, posts.Events(), media.Events())
	w.posts, w.media = posts.New(store, w.log), media.New(store, w.log, 0)
	w.jobs = jobs.New(store, llm.Open(models), jobs.Options{Workers: w.workers, Delay: func(int) time.Duration { return 0 }})
	w.posts.StartJob, w.posts.CheckModel = w.jobs.Start, llm.CheckModel
	w.jobs.Read, w.jobs.Generated = w.posts.Read, w.posts.Generated
	w.jobs.Brand = func(context.Context, string) (string, api.Brand, error) {
		return "Acme Tools", api.Brand{Facts: []string{"Acme Tools was founded in 1999."}, Voice: "plain"}, nil
	}
	w.jobs.StoreImage = func(tx kv.Tx, who op.Caller, name string, img llm.Image) (api.Image, error) {
		m, err := w.media.Put(tx, who, media.File{Name: name, Alt: img.Alt, Source: img.Provider, Data: img.Bytes})
		return api.Image{URL: m.URL, Alt: m.Alt, Width: m.Width, Height: m.Height, Source: m.Source}, err
	}
	w.table = op.NewTable(store, op.NewLimiter(nil), w.posts.Ops(), w.jobs.Ops(), w.media.Ops(), w.log.Ops())
}

// work starts the workers.
func (w *world) work() *world {
	ctx, cancel := context.WithCancel(context.Background())
	var wg conc.WaitGroup
	wg.Go(func() { w.jobs.Run(ctx) })
	w.stop = func() {
		cancel()
		wg.Wait()
		w.stop = func() {}
	}
	return w
}

var alice = op.Caller{Kind: op.Key, Credential: "key_1", Team: "team_a", Scopes: op.AllScopes, Source: "api", Actor: api.Actor{Type: "key", ID: "key_1"}}

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
		w.t.Fatalf("%s: %+v", name, refusal)
	}
	return out
}

// generate starts a job and returns its ids.
func (w *world) generate(body string) api.JobStarted {
	w.t.Helper()
	return must[api.JobStarted](w, "posts.create", body)
}

// done waits for a job.
func (w *world) done(id string) api.Job {
	w.t.Helper()
	job := must[api.Job](w, "jobs.get", `{"id":"`+id+`","wait":30}`)
	if !job.Done() {
		w.t.Fatalf("job is still %s", job.State)
	}
	return job
}

func (w *world) post(id string) api.Post {
	w.t.Helper()
	return must[api.Post](w, "posts.get", `{"id":"`+id+`"}`)
}

// events are the types of what happened, in order.
func (w *world) events() []string {
	w.t.Helper()
	var types []string
	for _, e := range must[api.Page[api.Event]](w, "events.list", `{"order":"asc","limit":100}`).Data {
		types = append(types, e.Type)
	}
	return types
}

func (w *world) patch(id, members string) {
	w.t.Helper()
	must[api.Post](w, "posts.update", `{"id":"`+id+`",`+members+`}`)
}
