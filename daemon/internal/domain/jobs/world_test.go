package jobs_test

import (
	"context"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/jobs"
	"edgesvc.dev/svc/daemon/internal/domain/media"
	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// world is posts, jobs and media joined as the daemon joins them.
type world struct {
	*optest.World
	posts   *posts.Service
	jobs    *jobs.Service
	media   *media.Service
	workers int
}

// newWorld opens a store and does not start the workers.
func newWorld(t *testing.T, models llm.Config) *world {
	w := &world{World: optest.New(t, posts.Events(), media.Events())}
	w.join(models)
	w.Checked(posts.Tables(), jobs.Tables(), media.Tables())
	return w
}

// beside is another process on the same store, with models of its own.
func (w *world) beside(models llm.Config) *world {
	other := &world{World: w.Beside()}
	other.join(models)
	return other
}

func (w *world) join(models llm.Config) {
	w.posts, w.media = posts.New(w.Store, w.Log, search.NewMemory(1<<30)), media.New(w.Store, w.Log, 0)
	w.jobs = jobs.New(w.Store, llm.Open(models), jobs.Options{Workers: w.workers, Delay: func(int) time.Duration { return 0 }})
	w.posts.StartJob, w.posts.CheckModel = w.jobs.Start, llm.CheckModel
	w.jobs.Read, w.jobs.Generated = w.posts.Read, w.posts.Generated
	w.jobs.Brand = func(context.Context, string) (string, api.Brand, error) {
		return "Acme Tools", api.Brand{Facts: []string{"Acme Tools was founded in 1999."}, Voice: "plain"}, nil
	}
	w.jobs.StoreImage = func(tx kv.Tx, who op.Caller, name string, img llm.Image) (api.Image, error) {
		m, err := w.media.Put(tx, who, media.File{Name: name, Alt: img.Alt, Source: img.Provider, Data: img.Bytes})
		return api.Image{URL: m.URL, Alt: m.Alt, Width: m.Width, Height: m.Height, Source: m.Source}, err
	}
	w.Join(w.posts.Ops(), w.jobs.Ops(), w.media.Ops())
}

// work starts the workers.
func (w *world) work() *world {
	w.Work(w.jobs.Run)
	return w
}

var alice = optest.Key("team_a")

// generate starts a job and returns its ids.
func (w *world) generate(body string) api.JobStarted {
	w.T.Helper()
	return optest.Must[api.JobStarted](w, "posts.create", body)
}

// done waits for a job.
func (w *world) done(id string) api.Job {
	w.T.Helper()
	job := optest.Must[api.Job](w, "jobs.get", `{"id":"`+id+`","wait":30}`)
	if !job.Done() {
		w.T.Fatalf("job is still %s", job.State)
	}
	return job
}

func (w *world) post(id string) api.Post {
	w.T.Helper()
	return optest.Must[api.Post](w, "posts.get", `{"id":"`+id+`"}`)
}

func (w *world) patch(id, members string) {
	w.T.Helper()
	optest.Must[api.Post](w, "posts.update", `{"id":"`+id+`",`+members+`}`)
}
