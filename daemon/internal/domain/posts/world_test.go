package posts_test

import (
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// world is posts on a store of their own.
type world struct {
	*optest.World
	posts *posts.Service
}

func newWorld(t testing.TB) *world {
	w := &world{World: optest.New(t, posts.Events())}
	w.posts = posts.New(w.Store, w.Log, search.NewMemory(1<<30))
	w.posts.Now = w.Now
	// Jobs are tested with their own package; here they are only queued.
	w.posts.StartJob = func(_ kv.Tx, _ op.Caller, post string, _ api.PostCreate) (api.JobStarted, error) {
		return api.JobStarted{JobID: "job_1", ID: "job_1", PostID: post, State: api.JobQueued}, nil
	}
	w.posts.CheckModel = func(string) error { return nil }
	w.Join(w.posts.Ops())
	w.Checked(append(posts.Tables(), search.Tables()...))
	return w
}

var alice = optest.Key("team_a")

func without(scope op.Scope) op.Caller {
	who := alice
	who.Scopes &^= scope
	return who
}

func (w *world) create(body string) api.Post {
	w.T.Helper()
	w.Tick()
	return optest.Must[api.Post](w, "posts.create", body)
}

func (w *world) patch(id, members string) api.Post {
	w.T.Helper()
	w.Tick()
	return optest.Must[api.Post](w, "posts.update", `{"id":"`+id+`",`+members+`}`)
}

// do runs one of the operations that take nothing but the post.
func (w *world) do(name, id string) api.Post {
	w.T.Helper()
	w.Tick()
	return optest.Must[api.Post](w, "posts."+name, `{"id":"`+id+`"}`)
}

func (w *world) get(id string) api.Post {
	w.T.Helper()
	return optest.Must[api.Post](w, "posts.get", `{"id":"`+id+`"}`)
}

func titles(page api.Page[api.Post]) string {
	var out []string
	for _, p := range page.Data {
		out = append(out, p.Title)
	}
	return strings.Join(out, " ")
}
