package helpdesk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/safehtml/xsstest"
	"edgesvc.dev/svc/sdk/api"
)

func TestLife(t *testing.T) {
	w := newWorld(t)
	var a api.Article
	steps := []struct {
		events string
		do     func()
		status string
	}{
		{"article.created", func() { a = w.draft("How to begin") }, "DRAFT"},
		{"article.published", func() { a = w.do("publish", a.ID) }, "PUBLISHED"},
		{"", func() { a = w.do("publish", a.ID) }, "PUBLISHED"},
		{"article.updated", func() { a = w.patch(a.ID, `"title":"How to start"`) }, "PUBLISHED"},
		{"", func() { a = w.patch(a.ID, `"title":"How to start"`) }, "PUBLISHED"},
		{"article.unpublished", func() { a = w.do("unpublish", a.ID) }, "DRAFT"},
		{"article.updated article.published", func() { a = w.patch(a.ID, `"content":"<p>New</p>","status":"PUBLISHED"`) }, "PUBLISHED"},
		{"article.archived", func() { a = w.do("archive", a.ID) }, "ARCHIVED"},
		{"article.updated", func() { a = w.do("unarchive", a.ID) }, "DRAFT"},
		{"article.archived", func() { a = w.do("archive", a.ID) }, "ARCHIVED"},
		{"article.deleted", func() { optest.Must[api.Deleted](w, "helpdesk.articles.delete", `{"id":"`+a.ID+`"}`) }, "ARCHIVED"},
	}
	version := 0
	for i, step := range steps {
		before := a.Version
		if got := w.NewEvents(step.do); got != step.events || a.Status != step.status {
			t.Errorf("step %d: events %q, status %s", i, got, a.Status)
		}
		if (step.events == "") != (a.Version == before) && i < len(steps)-1 {
			t.Errorf("step %d: version %d after %d", i, a.Version, before)
		}
		if (a.PublishedAt != 0) != (a.Status == "PUBLISHED") {
			t.Errorf("step %d: published at %s", i, a.PublishedAt)
		}
		version = a.Version
	}
	if version != 8 || a.Slug != "how-to-begin" {
		t.Errorf("%+v", a)
	}
	w.Refused(api.CodeNotFound, "helpdesk.articles.get", `{"id":"`+a.ID+`"}`)
}

func TestRefusals(t *testing.T) {
	w := newWorld(t)
	a := w.draft("First")
	gone := w.draft("Gone")
	w.do("archive", gone.ID)
	public := w.draft("Public")
	w.do("publish", public.ID)
	other, refusal := optest.Call[api.Category](w, optest.Key("team_b"), "helpdesk.categories.create", `{"name":"Theirs"}`)
	if refusal != nil {
		t.Fatal(refusal)
	}
	create, update := "helpdesk.articles.create", "helpdesk.articles.update"
	for _, tt := range []struct {
		code             api.Code
		op, body, member string
	}{
		{api.CodeSlugTaken, create, `{"title":"x","content":"x","slug":"first"}`, "/slug"},
		{api.CodeSlugTaken, update, `{"id":"` + gone.ID + `","status":"DRAFT","slug":"first"}`, "/slug"},
		{api.CodeHTMLTooLarge, create, `{"title":"x","content":"` + strings.Repeat("x", 1<<20+1) + `"}`, "/content"},
		{api.CodeValidationFailed, create, `{"title":"x","content":"x","categoryId":"cat_none"}`, "/categoryId"},
		{api.CodeValidationFailed, update, `{"id":"` + a.ID + `","categoryId":"` + other.ID + `"}`, "/categoryId"},
		{api.CodeValidationFailed, create, `{"title":"x","content":"x","slug":"category"}`, "/slug"},
		{api.CodeValidationFailed, create, `{"title":"a\u0007","content":"x"}`, "/title"},
		{api.CodeValidationFailed, create, `{"title":"x","content":"x","locale":"no tag"}`, "/locale"},
		{api.CodeUnknownField, update, `{"id":"` + a.ID + `","colour":"red"}`, "/colour"},
		{api.CodeVersionConflict, update, `{"id":"` + a.ID + `","ifMatch":9,"title":"x"}`, ""},
		{api.CodeInvalidTransition, "helpdesk.articles.delete", `{"id":"` + public.ID + `"}`, ""},
		{api.CodeInvalidTransition, update, `{"id":"` + gone.ID + `","title":"x"}`, ""},
		{api.CodeNotFound, "helpdesk.articles.feedback", `{"id":"` + a.ID + `","helpful":true}`, ""},
	} {
		e := w.Refused(tt.code, tt.op, tt.body)
		if tt.member != "" && (len(e.Errors) == 0 || e.Errors[0].Pointer != tt.member) {
			t.Errorf("%s %.80s: %+v", tt.op, tt.body, e.Errors)
		}
	}
	e := w.Refused(api.CodeSlugTaken, create, `{"title":"x","content":"x","slug":"first"}`)
	if e.SuggestedSlug != "first-2" || e.ExistingID != a.ID {
		t.Errorf("%+v", e)
	}
}

// Another team sees nothing of this one, not even that it is there.
func TestOtherTeam(t *testing.T) {
	w := newWorld(t)
	a := w.article("Ours", "<p>x</p>")
	c := optest.Must[api.Category](w, "helpdesk.categories.create", `{"name":"Ours"}`)
	w.check(w.desk.Gap(t.Context(), "team_a", "Where is the giraffe?"))
	g := optest.Must[api.Page[api.Gap]](w, "helpdesk.gaps.list", `{}`).Data[0]
	for _, row := range w.desk.Ops() {
		id, isArticle := a.ID, strings.Contains(row.Path, "/articles/")
		switch {
		case strings.Contains(row.Path, "/categories/"):
			id = c.ID
		case strings.Contains(row.Path, "/gaps/"):
			id = g.ID
		case !isArticle:
			continue
		}
		body := `{"id":"` + id + `"}`
		switch row.Name {
		case "helpdesk.articles.getBySlug":
			body = `{"slug":"ours"}`
		case "helpdesk.articles.restoreRevision":
			body = `{"id":"` + id + `","n":1}`
		case "helpdesk.articles.feedback":
			body = `{"id":"` + id + `","helpful":true}`
		}
		if _, e := optest.Call[map[string]any](w, optest.Key("team_b"), row.Name, body); e == nil || e.Code != api.CodeNotFound {
			t.Errorf("%s: %+v", row.Name, e)
		}
	}
	page, e := optest.Call[api.Page[api.Article]](w, optest.Key("team_b"), "helpdesk.articles.list", `{}`)
	if e != nil || len(page.Data) != 0 {
		t.Errorf("%+v %+v", page, e)
	}
}

// What a language model makes is a draft until somebody publishes it.
func TestAIMakesDrafts(t *testing.T) {
	w := newWorld(t)
	for _, source := range []string{"mcp", "agent"} {
		a, e := optest.Call[api.Article](w, from(source), "helpdesk.articles.create", `{"title":"By AI","content":"x","status":"PUBLISHED"}`)
		if e != nil || a.Status != "DRAFT" || a.Provenance.Source != source {
			t.Errorf("%s: %+v %+v", source, a, e)
		}
		_, e = optest.Call[api.Article](w, from(source), "helpdesk.articles.update", `{"id":"`+a.ID+`","status":"PUBLISHED"}`)
		if e == nil || e.Errors[0].Pointer != "/status" {
			t.Errorf("%s published by update: %+v", source, e)
		}
		w.do("publish", a.ID)
		if _, e = optest.Call[api.Article](w, from(source), "helpdesk.articles.update", `{"id":"`+a.ID+`","title":"By AI, corrected"}`); e != nil {
			t.Errorf("%s cannot correct a public article: %+v", source, e)
		}
	}
}

func TestSlugsUnderConcurrency(t *testing.T) {
	w := newWorld(t)
	const n = 40
	slugs := make([]string, n)
	var writers conc.WaitGroup
	for i := range n {
		writers.Go(func() {
			a, err := w.desk.Create(t.Context(), alice, api.ArticleCreate{Title: "The same title", Content: "<p>x</p>"})
			if err != nil {
				t.Error(err)
			}
			slugs[i] = a.Slug
		})
	}
	writers.Wait()
	slices.Sort(slugs)
	if len(slices.Compact(slugs)) != n || !slices.Contains(slugs, "the-same-title") || !slices.Contains(slugs, "the-same-title-40") {
		t.Error(slugs)
	}
}

func TestRevisions(t *testing.T) {
	w := newWorld(t)
	a := w.draft("Zero")
	for i := range 55 {
		w.patch(a.ID, fmt.Sprintf(`"content":"<p>Text %d</p>"`, i))
	}
	w.patch(a.ID, `"locale":"de"`) // no text
	list := func(more string) []api.ArticleRevision {
		return optest.Must[api.Page[api.ArticleRevision]](w, "helpdesk.articles.revisions", `{"id":"`+a.ID+`","limit":100`+more+`}`).Data
	}
	all := list(`,"include":"content"`)
	if len(all) != 50 || all[0].Number != 55 || all[49].Number != 6 || all[0].Content != "<p>Text 53</p>" || list("")[0].Content != "" {
		t.Errorf("%d revisions, %+v", len(all), all[0])
	}
	restored := optest.Must[api.Article](w, "helpdesk.articles.restoreRevision", `{"id":"`+a.ID+`","n":6}`)
	if restored.Content != "<p>Text 4</p>" || restored.Excerpt != "Text 4" || restored.Version != 58 {
		t.Errorf("%+v", restored)
	}
}

func TestExcerpt(t *testing.T) {
	w := newWorld(t)
	a := w.draft("Excerpt")
	for _, step := range []struct{ members, want string }{
		{`"content":"<p>One</p>"`, "One"},
		{`"excerpt":"Mine"`, "Mine"},
		{`"content":"<p>Two</p>"`, "Mine"},
		{`"excerpt":null`, "Two"},
	} {
		if got := w.patch(a.ID, step.members).Excerpt; got != step.want {
			t.Errorf("after %s: %q, want %q", step.members, got, step.want)
		}
	}
}

func TestListFilters(t *testing.T) {
	w := newWorld(t)
	c := optest.Must[api.Category](w, "helpdesk.categories.create", `{"name":"Money"}`)
	w.draft("a")
	w.article("b", "x")
	w.patch(w.article("c", "x").ID, `"categoryId":"`+c.ID+`","tags":["Cards"]`)
	w.patch(w.draft("d").ID, `"categoryId":"`+c.ID+`"`)
	for query, want := range map[string]string{
		``:                            "d c b a",
		`"order":"asc"`:               "a b c d",
		`"status":"DRAFT"`:            "d a",
		`"categoryId":"` + c.ID + `"`: "d c",
		`"categoryId":"` + c.ID + `","status":"PUBLISHED"`: "c",
		`"tag":"cards"`: "c",
	} {
		var titles []string
		for _, a := range optest.Must[api.Page[api.Article]](w, "helpdesk.articles.list", `{`+query+`}`).Data {
			titles = append(titles, a.Title)
			if a.Content != "" {
				t.Error("a list has content")
			}
		}
		if got := strings.Join(titles, " "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestCategories(t *testing.T) {
	w := newWorld(t)
	add := func(body string) api.Category {
		return optest.Must[api.Category](w, "helpdesk.categories.create", body)
	}
	second := add(`{"name":"Second","position":2}`)
	first := add(`{"name":"First","position":1}`)
	twin := add(`{"name":"First","position":3}`)
	if twin.Slug != "first-2" {
		t.Error(twin.Slug)
	}
	w.Refused(api.CodeSlugTaken, "helpdesk.categories.create", `{"name":"x","slug":"first"}`)
	w.Refused(api.CodeSlugTaken, "helpdesk.categories.update", `{"id":"`+twin.ID+`","slug":"second"}`)
	var names []string
	for _, c := range optest.Must[api.Page[api.Category]](w, "helpdesk.categories.list", `{}`).Data {
		names = append(names, c.Slug)
	}
	if got := strings.Join(names, " "); got != "first second first-2" {
		t.Error(got)
	}
	moved := optest.Must[api.Category](w, "helpdesk.categories.update", `{"id":"`+first.ID+`","position":9,"ifMatch":1}`)
	if moved.Version != 2 || moved.Position != 9 || moved.Name != "First" {
		t.Errorf("%+v", moved)
	}
	a := w.patch(w.article("In it", "<p>x</p>").ID, `"categoryId":"`+second.ID+`"`)
	optest.Must[api.Deleted](w, "helpdesk.categories.delete", `{"id":"`+second.ID+`"}`)
	got := optest.Must[api.Article](w, "helpdesk.articles.get", `{"id":"`+a.ID+`"}`)
	if got.CategoryID != "" || got.Status != "PUBLISHED" || got.Version != a.Version+1 {
		t.Errorf("%+v", got)
	}
	w.Refused(api.CodeNotFound, "helpdesk.categories.get", `{"id":"`+second.ID+`"}`)
}

func TestFeedback(t *testing.T) {
	w := newWorld(t)
	a := w.article("Useful", "<p>x</p>")
	var readers conc.WaitGroup
	for i := range 20 {
		readers.Go(func() {
			if _, err := w.desk.Feedback(t.Context(), alice, api.ArticleFeedback{ID: a.ID, Helpful: i%4 > 0}); err != nil {
				t.Error(err)
			}
		})
	}
	readers.Wait()
	got := optest.Must[api.Article](w, "helpdesk.articles.get", `{"id":"`+a.ID+`"}`)
	if got.Helpful != (api.Helpful{Yes: 15, No: 5}) || got.Version != a.Version {
		t.Errorf("%+v", got)
	}
}

// Content is kept as it was sent and shown inert, also in revisions.
func TestContentIsInert(t *testing.T) {
	w := newWorld(t)
	a := w.draft("Attack")
	for i, payload := range xsstest.Corpus(t) {
		if strings.ContainsFunc(payload, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f || r == 0xfffd }) {
			continue // refused
		}
		w.patch(a.ID, `"content":`+quoted(payload+" "))
		shown := optest.Must[api.Article](w, "helpdesk.articles.get", `{"id":"`+a.ID+`"}`).Content
		source := optest.Must[api.Article](w, "helpdesk.articles.get", `{"id":"`+a.ID+`","include":"source"}`).Content
		if active := running(t, shown); len(active) > 0 {
			t.Errorf("attack %d: %q", i, active)
		}
		if source != payload+" " {
			t.Errorf("attack %d: %q is kept as %q", i, payload, source)
		}
	}
	for _, r := range optest.Must[api.Page[api.ArticleRevision]](w, "helpdesk.articles.revisions", `{"id":"`+a.ID+`","limit":50,"include":"content"}`).Data {
		if active := running(t, r.Content); len(active) > 0 {
			t.Errorf("revision %d: %q", r.Number, active)
		}
	}
}

// running leaves out names, targets and pictures, which matter to the page that shows
// content and are its to remove.
func running(t *testing.T, content string) []string {
	return slices.DeleteFunc(xsstest.Active(t, content), func(what string) bool {
		return strings.Contains(what, " name=") || strings.Contains(what, " target=") || strings.Contains(what, " id=") || strings.Contains(what, " srcset=")
	})
}
