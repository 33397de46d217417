package posts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

func TestList(t *testing.T) {
	w := newWorld(t)
	a := w.create(`{"title":"a","content":"x","tags":["Go","News"]}`)
	b := w.create(`{"title":"b","content":"x","status":"PUBLISHED","tags":["go"],"model":"gpt-6-luna"}`)
	c := w.create(`{"title":"c","content":"x","description":"Big Hammer"}`)
	w.do("archive", c.ID)
	w.create(`{"title":"d","content":"x","model":"gpt-6-luna"}`)
	at := func(t api.Time) string { return t.String() }
	for _, row := range []struct{ args, want string }{
		{``, "d c b a"},
		{`"order":"asc"`, "a b c d"},
		{`"status":"DRAFT"`, "d a"},
		{`"status":"ARCHIVED"`, "c"},
		{`"tag":"GO"`, "b a"},
		{`"tag":"go","status":"PUBLISHED"`, "b"},
		{`"tag":"none"`, ""},
		{`"model":"gpt-6-luna"`, "d b"},
		{`"model":"gpt-6-luna","tag":"go"`, "b"},
		{`"model":"gpt-6-luna","status":"DRAFT"`, "d"},
		{`"createdAfter":"` + at(a.CreatedAt) + `"`, "d c b"},
		{`"createdBefore":"` + at(c.CreatedAt) + `"`, "b a"},
		{`"createdAfter":"` + at(a.CreatedAt) + `","createdBefore":"` + at(c.CreatedAt) + `","tag":"go"`, "b"},
		{`"q":"hammer BIG"`, "c"},
		{`"q":"hammer nail"`, "c"},
		{`"q":"nail"`, ""},
		{`"q":"news"`, "a"},
		{`"limit":2`, "d c"},
	} {
		page := optest.Must[api.Page[api.Post]](w, "posts.list", `{`+row.args+`}`)
		if got := titles(page); got != row.want {
			t.Errorf("%s: %s", row.args, got)
		}
		for _, p := range page.Data {
			if p.Content != "" {
				t.Errorf("%s: content of %s", row.args, p.ID)
			}
		}
	}
	for args, want := range map[string]int{`"limit":1`: 4, `"status":"DRAFT","limit":1`: 2, `"tag":"go"`: 2, `"tag":"none"`: 0} {
		if total := optest.Must[api.Page[api.Post]](w, "posts.list", `{"total":true,`+args+`}`).Total; total == nil || *total != want {
			t.Errorf("%s: the total is %v, want %d", args, total, want)
		}
	}
	if page := optest.Must[api.Page[api.Post]](w, "posts.list", `{}`); page.Total != nil {
		t.Errorf("counted %d", *page.Total)
	}
	if p := optest.Must[api.Page[api.Post]](w, "posts.list", `{"include":"content","limit":1}`).Data[0]; p.Content != "x" {
		t.Errorf("%+v", p)
	}
	if w.get(b.ID).Tags[0] != "go" {
		t.Error("the case of a tag is lost")
	}
}

func TestPagesJoin(t *testing.T) {
	w := newWorld(t)
	var want []string
	for i := range 11 {
		title := fmt.Sprint("p", i)
		p := w.create(`{"title":"` + title + `","content":"x"}`)
		if i%3 == 0 {
			w.do("publish", p.ID)
		}
		want = append([]string{title}, want...)
	}
	var got []string
	cursor := ""
	for {
		page := optest.Must[api.Page[api.Post]](w, "posts.list", `{"limit":3,"cursor":"`+cursor+`"}`)
		got = append(got, strings.Fields(titles(page))...)
		if cursor = page.NextCursor; !page.HasMore {
			break
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Error(got)
	}
	page := optest.Must[api.Page[api.Post]](w, "posts.list", `{"limit":3}`)
	if _, refusal := optest.Call[api.Page[api.Post]](w, optest.Key("team_b"), "posts.list", `{"cursor":"`+page.NextCursor+`"}`); refusal == nil || refusal.Code != api.CodeInvalidCursor {
		t.Errorf("another team's cursor: %+v", refusal)
	}
	w.Refused(api.CodeInvalidCursor, "posts.list", `{"status":"DRAFT","cursor":"`+page.NextCursor+`"}`)
}

func TestScheduledPublishing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.posts.Now = time.Now
		ctx, cancel := context.WithCancel(context.Background())
		var wg conc.WaitGroup
		wg.Go(func() { w.posts.Run(ctx) })
		defer wg.Wait()
		defer cancel()
		in := func(d time.Duration) string { return api.TimeOf(time.Now().Add(d)).String() }
		post := func(title string, d time.Duration) api.Post {
			return optest.Must[api.Post](w, "posts.create", `{"title":"`+title+`","content":"x","publishAt":"`+in(d)+`"}`)
		}
		due, moved, dropped, early, archived := post("due", time.Hour), post("moved", time.Hour), post("dropped", time.Hour), post("early", time.Hour), post("archived", time.Hour)
		optest.Must[api.Post](w, "posts.update", `{"id":"`+moved.ID+`","publishAt":"`+in(3*time.Hour)+`"}`)
		optest.Must[api.Post](w, "posts.update", `{"id":"`+dropped.ID+`","publishAt":null}`)
		if p := optest.Must[api.Post](w, "posts.publish", `{"id":"`+early.ID+`"}`); p.PublishAt != 0 {
			t.Errorf("%+v", p)
		}
		optest.Must[api.Post](w, "posts.archive", `{"id":"`+archived.ID+`"}`)
		at := api.TimeOf(time.Now().Add(time.Hour))
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		for _, row := range []struct {
			p      api.Post
			status string
		}{{due, "PUBLISHED"}, {moved, "DRAFT"}, {dropped, "DRAFT"}, {early, "PUBLISHED"}, {archived, "ARCHIVED"}} {
			if got := w.get(row.p.ID); got.Status != row.status {
				t.Errorf("%s is %s", got.Title, got.Status)
			}
		}
		if p := w.get(due.ID); p.PublishedAt != at || p.PublishAt != 0 || p.Version != 2 {
			t.Errorf("%+v", p)
		}
		all := w.Events()
		if e := all[len(all)-1]; e.Type != "post.published" || e.Actor != (api.Actor{Type: "system", ID: "schedule"}) {
			t.Errorf("%+v", e)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if p := w.get(moved.ID); p.Status != "PUBLISHED" {
			t.Errorf("%+v", p)
		}
		w.Refused(api.CodeValidationFailed, "posts.update", `{"id":"`+due.ID+`","publishAt":"2099-01-01T00:00:00Z"}`)
		w.Refused(api.CodeValidationFailed, "posts.create", `{"title":"x","content":"y","status":"PUBLISHED","publishAt":"2099-01-01T00:00:00Z"}`)
	})
}

// names are the titles of what the public sees.
func names(p posts.PublicPosts) string { return titles(api.Page[api.Post]{Data: p.Data}) }

func TestPublished(t *testing.T) {
	w := newWorld(t)
	var all []api.Post
	for _, row := range []string{`"one","tags":["Go"]`, `"two"`, `"three","tags":["go","x"]`} {
		all = append(all, w.create(`{"content":"<p>body</p>","status":"PUBLISHED","title":`+row+`}`))
	}
	draft := w.create(`{"title":"draft","content":"x"}`)
	page := func(q posts.PublicQuery) posts.PublicPosts {
		t.Helper()
		got, err := w.posts.PublishedPosts(t.Context(), "team_a", q)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, row := range []struct {
		q    posts.PublicQuery
		want string
	}{
		{posts.PublicQuery{Limit: 10}, "three two one"},
		{posts.PublicQuery{Limit: 10, Tag: "GO"}, "three one"},
		{posts.PublicQuery{Limit: 2, Content: true}, "three two"},
	} {
		got := page(row.q)
		if names(got) != row.want || (got.Data[0].Content != "") != row.q.Content {
			t.Errorf("%+v: %s", row.q, names(got))
		}
	}
	first := page(posts.PublicQuery{Limit: 2})
	second := page(posts.PublicQuery{Limit: 2, Cursor: first.Older})
	if names(second) != "one" || second.Older != "" || first.Newer != "" {
		t.Errorf("%+v", second)
	}
	back := page(posts.PublicQuery{Limit: 1, Cursor: second.Newer, Newer: true})
	if names(back) != "two" || back.Newer == "" || names(page(posts.PublicQuery{Limit: 2, Cursor: back.Older})) != "one" {
		t.Errorf("%+v", back)
	}
	if start := page(posts.PublicQuery{Limit: 2, Cursor: back.Newer, Newer: true}); names(start) != "three" || start.Newer != "" {
		t.Errorf("%+v", start)
	}
	if _, err := w.posts.PublishedPosts(t.Context(), "team_a", posts.PublicQuery{Limit: 2, Cursor: first.Older, Newer: true}); err == nil {
		t.Error("a cursor leads in the other direction")
	}
	newer, older, err := w.posts.PublishedAround(t.Context(), "team_a", all[1])
	if err != nil || newer == nil || newer.Title != "three" || older == nil || older.Title != "one" {
		t.Error(newer, older, err)
	}
	if newer, older, err = w.posts.PublishedAround(t.Context(), "team_a", all[2]); newer != nil || older.Title != "two" || err != nil {
		t.Error(newer, older, err)
	}
	public := func(slug string) bool {
		t.Helper()
		p, found, err := w.posts.PublishedPost(t.Context(), "team_a", slug)
		if err != nil || found && p.Content == "" {
			t.Error(slug, p, err)
		}
		return found
	}
	if !public("two") || public("draft") || public("absent") {
		t.Error("what is public is wrong")
	}
	w.do("archive", all[1].ID)
	w.do("unpublish", all[0].ID)
	w.do("publish", draft.ID)
	if public("two") || public("one") || names(page(posts.PublicQuery{Limit: 10})) != "draft three" || names(page(posts.PublicQuery{Limit: 10, Tag: "go"})) != "three" {
		t.Error(names(page(posts.PublicQuery{Limit: 10})))
	}
	if got, err := w.posts.PublishedPosts(t.Context(), "team_b", posts.PublicQuery{Limit: 10}); err != nil || len(got.Data) != 0 {
		t.Error(got, err)
	}
}

// Posts about the same share the most tags, and the newest of those come first;
// drafts and the post itself are not among them.
func TestRelated(t *testing.T) {
	w := newWorld(t)
	create := func(title, tags, status string) api.Post {
		t.Helper()
		return w.create(`{"content":"<p>body</p>","status":"` + status + `","title":"` + title + `","tags":` + tags + `}`)
	}
	create("both", `["go","db"]`, "PUBLISHED")
	create("old", `["go"]`, "PUBLISHED")
	create("new", `["DB"]`, "PUBLISHED")
	create("draft", `["go","db"]`, "DRAFT")
	create("other", `["x"]`, "PUBLISHED")
	post := create("post", `["Go","db"]`, "PUBLISHED")
	got, err := w.posts.Related(t.Context(), "team_a", post, 2)
	if all := titles(api.Page[api.Post]{Data: got}); err != nil || all != "both new" {
		t.Error(all, err)
	}
	if got, err := w.posts.Related(t.Context(), "team_b", post, 2); err != nil || len(got) != 0 {
		t.Error(got, err)
	}
}
