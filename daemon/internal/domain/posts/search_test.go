package posts_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// found are the titles that a search of members finds, the best first.
func (w *world) found(args string) string {
	w.T.Helper()
	return hitTitles(optest.Must[api.PostHits](w, "posts.search", "{"+args+"}"))
}

// seen are the titles that a search of the public finds.
func (w *world) seen(q string) string {
	w.T.Helper()
	hits, err := w.posts.FindPublished(w.T.Context(), "team_a", q, 10)
	if err != nil {
		w.T.Fatal(err)
	}
	return hitTitles(hits)
}

// turn is the number of the last change that a search has to see.
func (w *world) turn() (n uint64) {
	w.T.Helper()
	err := w.Store.View(w.T.Context(), func(tx kv.Tx) (err error) {
		n, err = (&search.Source[struct{}]{Name: "post"}).Turn(tx, "team_a")
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return n
}

func hitTitles(hits api.PostHits) string {
	var titles []string
	for _, h := range hits.Data {
		titles = append(titles, h.Title)
	}
	return strings.Join(titles, " | ")
}

// A post is found by what it says, its title, description, tags and the slugs that
// it had, with the section that answers.
func TestSearch(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"Baking bread","slug":"bread","description":"For beginners","tags":["Sourdough"],"status":"PUBLISHED",
		"content":"<p>Flour.</p><h2>The oven</h2><p>Heat it to 250 degrees and bake for forty minutes.</p>"}`)
	w.create(`{"title":"Growing tomatoes","content":"<p>They need sun.</p>","status":"PUBLISHED"}`)
	for _, q := range []string{"bread", "how hot is the oven", "degrees", "sourdough", "beginners", "bredd"} {
		if got := w.found(`"q":"` + q + `"`); got != "Baking bread" {
			t.Errorf("%q finds %q", q, got)
		}
	}
	h := optest.Must[api.PostHits](w, "posts.search", `{"q":"oven degrees"}`).Data[0]
	if len(h.Sections) == 0 || h.PostID != p.ID || h.URL != "/bread" || h.PublishedAt != p.PublishedAt || h.Score <= 0 || h.Covered != 1 || h.Excerpt != "For beginners" {
		t.Fatalf("%+v", h)
	}
	if s := h.Sections[0]; s.URL != "/bread#the-oven" || s.Heading != "The oven" || !strings.Contains(s.Snippet, "250 degrees") || len(s.Marks) == 0 || h.Quote != s.Quote {
		t.Errorf("%+v", s)
	}
	w.patch(p.ID, `"slug":"loaves","title":"Rolls"`)
	if got := w.found(`"q":"bread"`); got != "Rolls" {
		t.Errorf("the former slug finds %q", got)
	}
	optest.Must[api.Post](w, "posts.create", `{"title":"Deutsch","content":"<p>Das Brot ist im Ofen.</p>","status":"PUBLISHED","locale":"de"}`)
	if got := w.found(`"q":"Brot","locale":"de"`); got != "Deutsch" {
		t.Errorf("%q", got)
	}
}

// What a search finds agrees with every change that was made before it, whatever
// made it; the public finds what it may see and nothing else.
func TestSearchSeesEveryChange(t *testing.T) {
	w := newWorld(t)
	expect := func(step, published, drafts, public string) {
		t.Helper()
		if got := w.found(`"q":"zebra"`); got != published {
			t.Errorf("%s: members find %q among what is published", step, got)
		}
		if got := w.found(`"q":"zebra","status":"DRAFT"`); got != drafts {
			t.Errorf("%s: members find %q among drafts", step, got)
		}
		if got := w.seen("zebra"); got != public {
			t.Errorf("%s: the public finds %q", step, got)
		}
	}
	expect("nothing", "", "", "")
	p := w.create(`{"title":"Zebra","content":"<p>Stripes</p>"}`)
	expect("created", "", "Zebra", "")
	w.do("publish", p.ID)
	expect("published", "Zebra", "", "Zebra")
	w.patch(p.ID, `"title":"Lion","slug":"lion","content":"<p>Mane</p>"`) // the former text is a revision
	expect("its former slug", "Lion", "", "Lion")
	w.do("archive", p.ID)
	expect("archived", "", "", "")
	if got := w.found(`"q":"mane","status":"ARCHIVED"`); got != "Lion" {
		t.Errorf("archived: %q", got)
	}
	w.do("unarchive", p.ID)
	optest.Must[api.Post](w, "posts.restoreRevision", `{"id":"`+p.ID+`","n":2}`)
	expect("restored text", "", "Zebra", "")
	optest.Must[api.PostBatchResult](w, "posts.batch", `{"items":[{"op":"publish","id":"`+p.ID+`"},{"op":"create","create":{"title":"Zebra two","content":"<p>x</p>"}}]}`)
	expect("batch", "Zebra", "Zebra two", "Zebra")
	optest.Must[api.Post](w, "posts.unpublish", `{"id":"`+p.ID+`"}`)
	before := w.turn()
	optest.Must[api.Deleted](w, "posts.delete", `{"id":"`+p.ID+`"}`)
	expect("deleted", "", "Zebra two", "")
	if w.turn() == before {
		t.Error("a daemon that looks at the number of the last change does not learn of the deletion")
	}
}

// A post that publishes by itself is found then, and not before.
func TestSearchOfScheduledPosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.posts.Now = time.Now
		w.Work(w.posts.Run)
		defer w.Stop()
		optest.Must[api.Post](w, "posts.create", `{"title":"Zebra","content":"<p>x</p>","publishAt":"`+api.TimeOf(time.Now().Add(time.Hour)).String()+`"}`)
		before := w.seen("zebra")
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if after := w.seen("zebra"); before != "" || after != "Zebra" {
			t.Errorf("before it is due the public finds %q, then %q", before, after)
		}
	})
}

// What is held back is published to its writers and to nobody else.
func TestSearchOfWhatIsHeldBack(t *testing.T) {
	w := newWorld(t)
	p := optest.Must[api.PostCreated](w, "posts.create", `{"title":"Okapi","status":"PUBLISHED","generateContent":true}`)
	if p.Job == nil || w.get(p.Job.PostID).Held == "" {
		t.Fatalf("%+v is not held back", p)
	}
	if got := w.found(`"q":"okapi"`); got != "Okapi" || w.seen("okapi") != "" {
		t.Errorf("members find %q, the public %q", got, w.seen("okapi"))
	}
	job := api.Job{ID: "job_1", PostID: p.Job.PostID, State: api.JobCompleted}
	err := w.Store.Update(t.Context(), func(tx kv.Tx) error {
		return w.posts.Generated(tx, op.Caller{Kind: op.System, Team: "team_a"}, &job, api.PostChanges{Content: api.Some("<p>It lives in the forest.</p>")})
	})
	if err != nil || w.seen("forest") != "Okapi" {
		t.Errorf("what the job wrote finds %q, %v", w.seen("forest"), err)
	}
}

func TestSearchNeedsItsScopeAndTeam(t *testing.T) {
	w := newWorld(t)
	w.create(`{"title":"Zebra","content":"<p>Stripes</p>","status":"PUBLISHED"}`)
	if _, refusal := optest.Call[api.PostHits](w, without(op.PostsRead), "posts.search", `{"q":"zebra"}`); refusal == nil || refusal.Code != api.CodeInsufficientScope {
		t.Errorf("%v", refusal)
	}
	bob := alice
	bob.Team = "team_b"
	for _, name := range []string{"posts.search", "posts.list"} {
		hits, refusal := optest.Call[api.PostHits](w, bob, name, `{"q":"zebra"}`)
		if refusal != nil || len(hits.Data) != 0 {
			t.Errorf("%s: another team finds %+v, %v", name, hits, refusal)
		}
	}
}

// A second daemon over the store finds what the first wrote.
func TestSearchOfTwoDaemons(t *testing.T) {
	w := newWorld(t)
	other := posts.New(w.Store, w.Log, search.NewMemory(1<<30))
	t.Cleanup(func() { other.Close() })
	find := func() string {
		hits, err := other.FindPublished(t.Context(), "team_a", "zebra", 10)
		if err != nil {
			t.Fatal(err)
		}
		return hitTitles(hits)
	}
	p := w.create(`{"title":"Zebra","content":"<p>Stripes</p>","status":"PUBLISHED"}`)
	if got := find(); got != "Zebra" {
		t.Errorf("created: %q", got)
	}
	w.do("archive", p.ID)
	if got := find(); got != "" {
		t.Errorf("archived: %q", got)
	}
}

// A list of a search has the best first, page by page, and ends.
func TestRankedList(t *testing.T) {
	w := newWorld(t)
	for i := range 7 {
		w.create(fmt.Sprintf(`{"title":"Note %d","content":"<p>A zebra. %s</p>","tags":["%s"]}`, i, strings.Repeat("Much else. ", 10*i), []string{"even", "odd"}[i%2]))
	}
	best := w.create(`{"title":"Zebra","content":"<p>x</p>","status":"PUBLISHED"}`)
	list := func(args string) api.Page[api.Post] {
		return optest.Must[api.Page[api.Post]](w, "posts.list", `{"q":"zebra",`+args+`}`)
	}
	var all []string
	cursor := ""
	for range 10 {
		page := list(`"limit":3,"total":true,"cursor":"` + cursor + `"`)
		if page.Total == nil || *page.Total != 8 {
			t.Errorf("the total is %v", page.Total)
		}
		all = append(all, strings.Split(titles(page), " Note")...)
		if cursor = page.NextCursor; page.HasMore != (cursor != "") {
			t.Errorf("more is %t, with the cursor %q", page.HasMore, cursor)
		}
		if !page.HasMore {
			break
		}
	}
	if got := strings.Join(all, ","); len(all) != 8 || all[0] != "Zebra" || list(`"limit":1`).Data[0].ID != best.ID {
		t.Errorf("%s", got)
	}
	first := list(`"limit":2`)
	for args, want := range map[string]int{`"status":"PUBLISHED"`: 1, `"tag":"ODD"`: 3, `"tag":"even","status":"DRAFT"`: 4, `"createdAfter":"` + best.CreatedAt.String() + `"`: 0, `"model":"none"`: 0} {
		if got := len(list(args).Data); got != want {
			t.Errorf("%s: %d posts, want %d", args, got, want)
		}
	}
	if p := list(`"limit":1,"include":"content"`).Data[0]; p.Content != "<p>x</p>" {
		t.Errorf("%+v", p)
	}
	for args, want := range map[string]api.Code{
		`"order":"asc"`: api.CodeInvalidParameter,
		`"tag":"odd","cursor":"` + first.NextCursor + `"`: api.CodeInvalidCursor,
		`"cursor":"bm9uc2Vuc2U"`:                          api.CodeInvalidCursor,
	} {
		if _, refusal := optest.Call[api.Page[api.Post]](w, alice, "posts.list", `{"q":"zebra",`+args+`}`); refusal == nil || refusal.Code != want {
			t.Errorf("%s: %v, want %s", args, refusal, want)
		}
	}
	if _, refusal := optest.Call[api.Page[api.Post]](w, alice, "posts.list", `{"cursor":"`+first.NextCursor+`"}`); refusal == nil {
		t.Error("a place in a search is one in a list")
	}
}
