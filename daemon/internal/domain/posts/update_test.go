package posts_test

import (
	"fmt"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

func TestPatch(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"A","content":"<p>x</p>","description":"d","tags":["one"],"metadata":{"k":"v"},"locale":"en"}`)
	for _, row := range []struct {
		members string
		ok      func(api.Post) bool
	}{
		{`"title":"B"`, func(p api.Post) bool { return p.Title == "B" && p.Slug == "a" && p.Content == "<p>x</p>" }},
		{`"content":"<p>two words</p>"`, func(p api.Post) bool { return p.WordCount == 2 && p.Excerpt == "two words" }},
		{`"slug":"bee"`, func(p api.Post) bool { return p.Slug == "bee" }},
		{`"tags":["x","X","y"]`, func(p api.Post) bool { return strings.Join(p.Tags, ",") == "x,y" }},
		{`"author":"Ann"`, func(p api.Post) bool { return *p.Author == api.Author{Name: "Ann"} }},
		{`"metadata":{"z":"1"}`, func(p api.Post) bool { return len(p.Metadata) == 2 && p.Metadata["z"] == "1" && p.Metadata["k"] == "v" }},
		{`"metadata":{"k":null}`, func(p api.Post) bool { return len(p.Metadata) == 1 && p.Metadata["z"] == "1" }},
		{`"featuredImage":{"url":"https://example.com/i.png"}`, func(p api.Post) bool { return p.FeaturedImage.Source == "external" }},
		{`"description":null,"tags":null,"author":null,"metadata":null,"featuredImage":null,"locale":null,"content":null`, func(p api.Post) bool {
			return p.Description == "" && len(p.Tags) == 0 && p.Author == nil && len(p.Metadata) == 0 && p.FeaturedImage == nil &&
				p.Locale == "" && p.Content == "" && p.WordCount == 0
		}},
	} {
		before := p
		p = w.patch(p.ID, row.members)
		if !row.ok(p) || p.Version != before.Version+1 || p.UpdatedAt <= before.UpdatedAt || p.CreatedAt != before.CreatedAt {
			t.Errorf("%s: %+v", row.members, p)
		}
		if got := w.get(p.ID); fmt.Sprint(got.Version, got.Title, got.Content, got.Slug, got.Tags) != fmt.Sprint(p.Version, p.Title, p.Content, p.Slug, p.Tags) {
			t.Errorf("%s: stored is %+v", row.members, got)
		}
	}
}

func TestPatchThatChangesNothing(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"A","content":"<p>x</p>","tags":["one"],"metadata":{"k":"v"}}`)
	for _, members := range []string{`"title":"A"`, `"title":" A "`, `"content":"<p>x</p>"`, `"tags":["one","ONE"]`, `"metadata":{"k":"v"}`, `"status":"DRAFT"`, `"publishAt":null`, `"author":null`} {
		var after api.Post
		if got := w.NewEvents(func() { after = w.patch(p.ID, members) }); got != "" || after.Version != 1 || after.UpdatedAt != p.UpdatedAt {
			t.Errorf("%s: events %q, %+v", members, got, after)
		}
	}
}

func TestIfMatch(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"A","content":"x"}`)
	w.patch(p.ID, `"ifMatch":1,"title":"B"`)
	for _, name := range []string{"update", "publish", "archive", "delete"} {
		e := w.Refused(api.CodeVersionConflict, "posts."+name, `{"id":"`+p.ID+`","ifMatch":1}`)
		if e.Status != 412 {
			t.Errorf("%+v", e)
		}
	}
}

func TestUpdateEvents(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"A","content":"x","tags":["t"]}`)
	for _, row := range []struct{ members, types, previous string }{
		{`"title":"B"`, "post.updated", `{"title":"A"}`},
		{`"content":"y"`, "post.updated", ``},
		{`"tags":[],"title":"C"`, "post.updated", `{"tags":["t"],"title":"B"}`},
		{`"publishAt":"2099-01-01T00:00:00Z"`, "post.scheduled", `{"publishAt":null}`},
		{`"publishAt":null`, "post.scheduled", `{"publishAt":"2099-01-01T00:00:00.000Z"}`},
		{`"status":"PUBLISHED"`, "post.published", `{"publishedAt":null,"status":"DRAFT"}`},
		{`"status":"DRAFT","title":"D"`, "post.updated post.unpublished", ``},
		{`"status":"ARCHIVED"`, "post.archived", `{"archivedAt":null,"status":"DRAFT"}`},
		{`"metadata":{"a":"b"}`, "post.updated", `{"metadata":{}}`},
		{`"status":"PUBLISHED"`, "post.restored post.published", ``},
		{`"status":"ARCHIVED"`, "post.archived", ``},
		{`"status":"DRAFT"`, "post.restored", ``},
	} {
		before := len(w.Events())
		if got := w.NewEvents(func() { w.patch(p.ID, row.members) }); got != row.types {
			t.Errorf("%s: %s", row.members, got)
		}
		if e := w.Events()[before]; row.previous != "" && string(e.Data.Previous) != row.previous && !sameMembers(string(e.Data.Previous), row.previous) {
			t.Errorf("%s: previous is %s", row.members, e.Data.Previous)
		}
	}
}

// sameMembers compares small objects whatever the order of their members.
func sameMembers(a, b string) bool {
	parts := func(s string) map[string]bool {
		set := map[string]bool{}
		for p := range strings.SplitSeq(strings.Trim(s, "{}"), `,"`) {
			set[strings.Trim(p, `"`)] = true
		}
		return set
	}
	return fmt.Sprint(parts(a)) == fmt.Sprint(parts(b))
}

func TestTransitions(t *testing.T) {
	w := newWorld(t)
	for _, row := range []struct{ from, op, to string }{
		{"DRAFT", "publish", "PUBLISHED"}, {"PUBLISHED", "publish", "PUBLISHED"}, {"ARCHIVED", "publish", "PUBLISHED"},
		{"DRAFT", "unpublish", "DRAFT"}, {"PUBLISHED", "unpublish", "DRAFT"}, {"ARCHIVED", "unpublish", ""},
		{"DRAFT", "archive", "ARCHIVED"}, {"PUBLISHED", "archive", "ARCHIVED"}, {"ARCHIVED", "archive", "ARCHIVED"},
		{"DRAFT", "unarchive", "DRAFT"}, {"PUBLISHED", "unarchive", ""}, {"ARCHIVED", "unarchive", "DRAFT"},
		{"PUBLISHED", "delete", ""},
	} {
		p := w.create(`{"title":"A","content":"x"}`)
		p = w.patch(p.ID, `"status":"`+row.from+`"`)
		if row.to == "" {
			if e := w.Refused(api.CodeInvalidTransition, "posts."+row.op, `{"id":"`+p.ID+`"}`); e.Status != 409 || e.From != row.from || e.To == "" {
				t.Errorf("%v: %+v", row, e)
			}
			continue
		}
		after := w.do(row.op, p.ID)
		if after.Status != row.to || (after.PublishedAt != 0) != (row.to == "PUBLISHED") || (after.ArchivedAt != 0) != (row.to == "ARCHIVED") {
			t.Errorf("%v: %+v", row, after)
		}
		if (after.Version == p.Version) != (row.from == row.to) {
			t.Errorf("%v: version %d after %d", row, after.Version, p.Version)
		}
	}
}

func TestArchivedPostTakesMetadataOnly(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"A","content":"x"}`)
	w.do("archive", p.ID)
	e := w.Refused(api.CodeInvalidTransition, "posts.update", `{"id":"`+p.ID+`","title":"B"}`)
	if e.From != "ARCHIVED" {
		t.Errorf("%+v", e)
	}
	if p = w.patch(p.ID, `"metadata":{"a":"b"}`); p.Metadata["a"] != "b" {
		t.Errorf("%+v", p)
	}
	if p = w.patch(p.ID, `"status":"DRAFT","title":"B"`); p.Title != "B" || p.Status != "DRAFT" {
		t.Errorf("%+v", p)
	}
}

func TestDelete(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"A","content":"x"}`)
	w.patch(p.ID, `"title":"B"`)
	w.do("archive", p.ID)
	got := w.NewEvents(func() {
		if d := optest.Must[api.Deleted](w, "posts.delete", `{"id":"`+p.ID+`"}`); d != (api.Deleted{ID: p.ID, Deleted: true}) {
			t.Errorf("%+v", d)
		}
	})
	if got != "post.deleted" {
		t.Error(got)
	}
	for _, name := range []string{"get", "update", "publish", "delete", "revisions", "archive", "image"} {
		w.Refused(api.CodeNotFound, "posts."+name, `{"id":"`+p.ID+`"}`)
	}
	if p := w.create(`{"title":"A","content":"x"}`); p.Slug != "a" {
		t.Error("the slug of a deleted post stays taken: " + p.Slug)
	}
}

func TestAnotherTeamSeesNothing(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"A","content":"x"}`)
	absent := "post_01h455vb4pex5vsknk084sn02q"
	for _, name := range []string{"get", "update", "publish", "unpublish", "archive", "unarchive", "delete", "revisions", "image"} {
		_, theirs := optest.Call[map[string]any](w, optest.Key("team_b"), "posts."+name, `{"id":"`+p.ID+`"}`)
		_, none := optest.Call[map[string]any](w, optest.Key("team_b"), "posts."+name, `{"id":"`+absent+`"}`)
		if theirs == nil || theirs.Code != api.CodeNotFound || fmt.Sprint(theirs) != fmt.Sprint(none) {
			t.Errorf("%s: %+v, of an absent one %+v", name, theirs, none)
		}
	}
	if _, refusal := optest.Call[api.Post](w, optest.Key("team_b"), "posts.getBySlug", `{"slug":"a"}`); refusal == nil || refusal.Code != api.CodeNotFound {
		t.Errorf("%+v", refusal)
	}
	if page, _ := optest.Call[api.Page[api.Post]](w, optest.Key("team_b"), "posts.list", `{}`); len(page.Data) != 0 {
		t.Errorf("%+v", page)
	}
}

func TestRevisions(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"v1","content":"<p>one</p>","description":"d1","tags":["a"]}`)
	w.patch(p.ID, `"slug":"elsewhere"`) // no text: no revision
	w.patch(p.ID, `"title":"v3"`)
	w.patch(p.ID, `"content":"<p>four</p>","tags":["b"]`)
	list := func(args string) []api.Revision {
		return optest.Must[api.Page[api.Revision]](w, "posts.revisions", `{"id":"`+p.ID+`"`+args+`}`).Data
	}
	all := list("")
	if len(all) != 2 || all[0].Number != 3 || all[0].Title != "v3" || all[1].Number != 2 || all[1].Title != "v1" || all[1].Content != "" || all[1].ActorID != "key_1" {
		t.Fatalf("%+v", all)
	}
	if all = list(`,"include":"content"`); all[0].Content != "<p>one</p>" {
		t.Errorf("%+v", all)
	}
	w.Tick()
	back := optest.Must[api.Post](w, "posts.restoreRevision", `{"id":"`+p.ID+`","n":2}`)
	if back.Title != "v1" || back.Content != "<p>one</p>" || back.Tags[0] != "a" || back.Slug != "elsewhere" || back.Version != 5 {
		t.Errorf("%+v", back)
	}
	if all = list(`,"include":"content"`); len(all) != 3 || all[0].Number != 4 || all[0].Content != "<p>four</p>" {
		t.Errorf("%+v", all)
	}
	w.Refused(api.CodeNotFound, "posts.restoreRevision", `{"id":"`+p.ID+`","n":1}`)
	w.Refused(api.CodeNotFound, "posts.restoreRevision", `{"id":"`+p.ID+`","n":99}`)
}

func TestFiftyRevisionsAreKept(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"t","content":"<p>1</p>"}`)
	for i := 2; i <= 60; i++ {
		w.patch(p.ID, fmt.Sprintf(`"content":"<p>%d</p>"`, i))
	}
	page := optest.Must[api.Page[api.Revision]](w, "posts.revisions", `{"id":"`+p.ID+`","limit":100}`)
	if n := len(page.Data); n != 50 || page.Data[0].Number != 59 || page.Data[49].Number != 10 {
		t.Fatalf("%d revisions, %d to %d", n, page.Data[0].Number, page.Data[n-1].Number)
	}
	var walked int
	for cursor := ""; ; {
		page := optest.Must[api.Page[api.Revision]](w, "posts.revisions", `{"id":"`+p.ID+`","limit":7,"cursor":"`+cursor+`"}`)
		walked += len(page.Data)
		if cursor = page.NextCursor; !page.HasMore {
			break
		}
	}
	if walked != 50 {
		t.Errorf("pages hold %d", walked)
	}
}
