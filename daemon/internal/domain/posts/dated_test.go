package posts_test

import (
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

const past, earlier = "2015-12-31T23:30:00.000Z", "2014-01-01T00:00:00.000Z"

func TestTimeOfPublication(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"A","content":"x","status":"PUBLISHED","publishedAt":"` + past + `"}`)
	if p.PublishedAt.String() != past || p.Date != p.PublishedAt {
		t.Errorf("published at %s, its author says %s", p.PublishedAt, p.Date)
	}
	draft := w.create(`{"title":"B","content":"x","publishedAt":"` + earlier + `"}`)
	if draft.PublishedAt != 0 || draft.Date.String() != earlier {
		t.Errorf("a draft: %s, %s", draft.PublishedAt, draft.Date)
	}
	if draft = w.do("publish", draft.ID); draft.PublishedAt.String() != earlier {
		t.Errorf("a draft was published at %s", draft.PublishedAt)
	}
	page, err := w.posts.PublishedPosts(t.Context(), "team_a", posts.PublicQuery{Limit: 2})
	if err != nil || len(page.Data) != 2 || page.Data[0].ID != p.ID {
		t.Errorf("the public sees %+v, %v", page.Data, err)
	}
	if p = w.patch(p.ID, `"publishedAt":"`+earlier+`"`); p.PublishedAt.String() != earlier {
		t.Errorf("patched: %s", p.PublishedAt)
	}
	if p = w.patch(p.ID, `"publishedAt":null`); p.PublishedAt.String() != earlier || p.Date != 0 {
		t.Errorf("taken back: %s, %s", p.PublishedAt, p.Date)
	}
	w.do("unpublish", p.ID)
	if p = w.do("publish", p.ID); !p.PublishedAt.Time().Equal(w.Now()) {
		t.Errorf("published again at %s", p.PublishedAt)
	}
	for _, body := range []string{`"publishedAt":"2099-01-01T00:00:00Z"`, `"publishedAt":"1969-01-01T00:00:00Z"`} {
		w.Refused(api.CodeValidationFailed, "posts.create", `{"title":"C","content":"x",`+body+`}`)
		w.Refused(api.CodeValidationFailed, "posts.update", `{"id":"`+p.ID+`",`+body+`}`)
	}
	writer := without(op.PostsPublish)
	for name, body := range map[string]string{"posts.create": `{"title":"C","content":"x"`, "posts.update": `{"id":"` + p.ID + `"`} {
		if _, refusal := optest.Call[api.Post](w, writer, name, body+`,"publishedAt":"`+past+`"}`); refusal == nil || refusal.Status != 403 {
			t.Errorf("%s without posts:publish: %+v", name, refusal)
		}
	}
	robot := alice
	robot.Source = "mcp"
	if p, refusal := optest.Call[api.Post](w, robot, "posts.create", `{"title":"C","content":"x","publishedAt":"`+past+`"}`); refusal != nil || p.Date != 0 {
		t.Errorf("a model's client: %+v %+v", p, refusal)
	}
}

func TestAuthorOfANewPost(t *testing.T) {
	w := newWorld(t)
	if p := w.create(`{"title":"A","content":"x","author":" Ann "}`); *p.Author != (api.Author{Name: "Ann"}) {
		t.Errorf("%+v", p.Author)
	}
}

func TestAliases(t *testing.T) {
	w := newWorld(t)
	leads := func(path, to string, isGone bool) {
		t.Helper()
		now, gone, err := w.posts.PublicAddress(t.Context(), "team_a", path)
		if err != nil || now != to || gone != isGone {
			t.Errorf("%s leads to %q (gone: %v, %v), want %q", path, now, gone, err, to)
		}
	}
	p := w.create(`{"title":"A","content":"x","aliases":["/2019/a.html","/old/a/","/2019/a.html","/sch%C3%B6n/index.html"]}`)
	if got := strings.Join(p.Aliases, " "); got != "/2019/a.html /old/a /schön" {
		t.Error(got)
	}
	leads("/old/a", "", false)
	w.do("publish", p.ID)
	for _, path := range []string{"/2019/a.html", "/old/a", "/old/a/", "/schön", "/sch%C3%B6n"} {
		leads(path, "a", false)
	}
	leads("/old", "", false)
	if _, gone, _ := w.posts.PublicAddress(t.Context(), "team_b", "/old/a"); gone {
		t.Error("another team's")
	}
	e := w.Refused(api.CodeValidationFailed, "posts.create", `{"title":"B","content":"x","aliases":["/new","/old/a"]}`)
	if e.Pointer() != "/aliases/1" {
		t.Errorf("%+v", e)
	}
	leads("/new", "", false)
	other := w.create(`{"title":"B","content":"x","status":"PUBLISHED"}`)
	p = w.patch(p.ID, `"aliases":["/old/a"]`)
	w.patch(other.ID, `"aliases":["/2019/a.html"]`)
	leads("/2019/a.html", "b", false)
	leads("/schön", "", false)
	w.patch(p.ID, `"slug":"c"`)
	leads("/old/a", "c", false)
	leads("a", "c", false)
	w.do("archive", p.ID)
	leads("/old/a", "", true)
	optest.Must[api.Deleted](w, "posts.delete", `{"id":"`+p.ID+`"}`)
	leads("/old/a", "", false)
	w.patch(other.ID, `"aliases":["/old/a"]`)
	for _, bad := range []string{"a", "//a", "/", "/index.html", "/a?b", "/a#b", `/a\\b`, "/a\\u0007", "/" + strings.Repeat("x", 500)} {
		w.Refused(api.CodeValidationFailed, "posts.create", `{"title":"B","content":"x","aliases":["`+bad+`"]}`)
	}
}
