package helpdesk_test

import (
	"encoding/json"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/helpdesk"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/sdk/api"
)

// world is a helpdesk on a store of its own.
type world struct {
	*optest.World
	desk *helpdesk.Service
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{World: optest.New(t, helpdesk.Events())}
	w.start()
	w.T.Cleanup(func() { w.desk.Close() }) // the one that was started last
	w.Checked(append(helpdesk.Tables(), search.Tables()...))
	return w
}

// start makes the service as a daemon does that begins.
func (w *world) start() {
	w.desk = helpdesk.New(w.Store, w.Log, search.NewMemory(1<<30))
	w.desk.Now = w.Now
	w.Join(w.desk.Ops())
}

var alice = optest.Key("team_a")

func from(source string) op.Caller {
	who := alice
	who.Source = source
	return who
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
	w.T.Helper()
	w.Tick()
	return optest.Must[api.Article](w, "helpdesk.articles.create",
		`{"title":`+quoted(title)+`,"content":`+quoted(content)+`,"status":"PUBLISHED"}`)
}

func (w *world) draft(title string) api.Article {
	w.T.Helper()
	w.Tick()
	return optest.Must[api.Article](w, "helpdesk.articles.create", `{"title":`+quoted(title)+`,"content":"<p>Text</p>"}`)
}

func (w *world) patch(id, members string) api.Article {
	w.T.Helper()
	w.Tick()
	return optest.Must[api.Article](w, "helpdesk.articles.update", `{"id":"`+id+`",`+members+`}`)
}

// do runs one of the operations that take nothing but the article.
func (w *world) do(name, id string) api.Article {
	w.T.Helper()
	w.Tick()
	return optest.Must[api.Article](w, "helpdesk.articles."+name, `{"id":"`+id+`"}`)
}

// search asks as a visitor's agent does.
func (w *world) search(q string) []search.Result {
	w.T.Helper()
	found, err := w.desk.Search(w.T.Context(), "team_a", search.Query{Text: q, Status: api.ArticlePublished, Limit: 5})
	if err != nil {
		w.T.Fatal(err)
	}
	return found.Found
}

// found are the titles of what a question finds, the best first.
func (w *world) found(q string) string {
	w.T.Helper()
	var titles []string
	for _, h := range w.search(q) {
		titles = append(titles, h.Title)
	}
	return strings.Join(titles, " | ")
}
