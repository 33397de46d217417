package posts_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

func TestCreate(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":" Hello <World> ","content":"<p>One two three.</p>","description":" d ","tags":[" Go ","go","News"],` +
		`"locale":"pt-BR","canonicalUrl":"https://example.com/a","metadata":{"k":"v"},"featuredImage":{"url":"/media/x.png","alt":"A"}}`)
	if !kv.ValidID("post", p.ID) || p.Title != "Hello <World>" || p.Slug != "hello-world" || p.Status != api.PostDraft || p.Version != 1 ||
		p.Description != "d" || strings.Join(p.Tags, ",") != "Go,News" || p.Excerpt != "One two three." || p.WordCount != 3 || p.ReadingMinutes != 1 ||
		p.CreatedAt == 0 || p.UpdatedAt != p.CreatedAt || p.PublishedAt != 0 || p.Metadata["k"] != "v" || p.FeaturedImage.Source != "external" ||
		p.Provenance != (api.Provenance{Source: "api", ActorID: "key_1"}) || p.Author != nil {
		t.Fatalf("%+v", p)
	}
	if got := w.get(p.ID); fmt.Sprint(got) != fmt.Sprint(p) && got.Content != p.Content {
		t.Errorf("%+v", got)
	}
	if got := optest.Must[api.Post](w, "posts.getBySlug", `{"slug":"hello-world"}`); got.ID != p.ID || got.Content != p.Content {
		t.Errorf("%+v", got)
	}
	session := alice
	session.Kind, session.Name = op.Session, "Alice A."
	by, refusal := optest.Call[api.Post](w, session, "posts.create", `{"title":"x","content":"y"}`)
	if refusal != nil || by.Author == nil || by.Author.Name != "Alice A." {
		t.Errorf("%+v %+v", by.Author, refusal)
	}
}

func TestCreateEvents(t *testing.T) {
	w := newWorld(t)
	for body, want := range map[string]string{
		`{"title":"a","content":"x"}`:                                      "post.created",
		`{"title":"a","content":"x","status":"PUBLISHED"}`:                 "post.created post.published",
		`{"title":"a","content":"x","publishAt":"2099-01-01T00:00:00Z"}`:   "post.created post.scheduled",
		`{"title":"a","generateContent":true,"status":"PUBLISHED"}`:        "post.created",
		`{"title":"a","content":"x","generateTags":true,"status":"DRAFT"}`: "post.created",
	} {
		if got := w.NewEvents(func() { optest.Must[map[string]any](w, "posts.create", body) }); got != want {
			t.Errorf("%s: %s", body, got)
		}
	}
	for _, e := range w.Events() {
		if strings.Contains(string(e.Data.Object), `"content"`) || e.Actor.ID != "key_1" {
			t.Errorf("%+v %s", e.Actor, e.Data.Object)
		}
	}
}

func TestSlugsAreDerived(t *testing.T) {
	w := newWorld(t)
	for _, row := range []struct{ title, slug string }{
		{"Hello, World!", "hello-world"},
		{"  --Déjà vu & Smørrebrød: Straße--  ", "deja-vu-and-smorrebrod-strasse"},
		{"ﬁne ½ Ｗｉｄｅ", "fine-1-2-wide"},
		{"Don't stop", "dont-stop"},
		{"Щи да каша", "shchi-da-kasha"},
		{"Ωμέγα", "omega"},
		{"日本語", "日本語"},
		{"日本語 2", "日本語-2"},
		{"🚀", "post"},
		{"Go 1.26", "go-1-26"},
		{"jobs", "jobs-2"},
		{strings.Repeat("word ", 40), strings.TrimSuffix(strings.Repeat("word-", 20), "-")},
	} {
		if p := w.create(fmt.Sprintf(`{"title":%q,"content":"x"}`, row.title)); p.Slug != row.slug {
			t.Errorf("%s: %s", row.title, p.Slug)
		}
	}
}

func TestTakenSlugs(t *testing.T) {
	w := newWorld(t)
	var slugs []string
	optest.Must[api.Post](w, "posts.create", `{"title":"x","slug":"hello-3","content":"x"}`) // in the way
	first := w.create(`{"title":"Hello","content":"x"}`)
	for range 4 {
		slugs = append(slugs, w.create(`{"title":"Hello","content":"x"}`).Slug)
	}
	if got := strings.Join(slugs, " "); got != "hello-2 hello-4 hello-5 hello-6" {
		t.Error(got)
	}
	e := w.Refused(api.CodeSlugTaken, "posts.create", `{"title":"x","slug":"hello","content":"x"}`)
	if e.Status != 409 || e.SuggestedSlug != "hello-7" || e.ExistingID != first.ID || e.Pointer() != "/slug" {
		t.Errorf("%+v", e)
	}
	if p := w.create(`{"title":"x","slug":"hello-7","content":"x"}`); p.Slug != "hello-7" {
		t.Error("the suggestion is not free: " + p.Slug)
	}
	e = w.Refused(api.CodeSlugTaken, "posts.update", `{"id":"`+first.ID+`","slug":"hello-7"}`)
	if e.SuggestedSlug == "" || e.ExistingID == "" || w.get(first.ID).Slug != "hello" {
		t.Errorf("%+v", e)
	}
	if _, refusal := optest.Call[api.Post](w, optest.Key("team_b"), "posts.create", `{"title":"x","slug":"hello","content":"x"}`); refusal != nil {
		t.Errorf("slugs of teams collide: %+v", refusal)
	}
	// A slug that was given up can be used again.
	w.patch(first.ID, `"slug":"other"`)
	if p := w.create(`{"title":"Hello","content":"x"}`); p.Slug != "hello" {
		t.Error(p.Slug)
	}
	long := strings.Repeat("a", 100)
	w.create(`{"title":"` + long + `","content":"x"}`)
	if p := w.create(`{"title":"` + long + `","content":"x"}`); p.Slug != long[:98]+"-2" {
		t.Error(p.Slug)
	}
}

// However long a row of taken slugs is, the next one is found.
func TestManyEqualTitles(t *testing.T) {
	w := newWorld(t)
	for i := range 120 {
		optest.Must[api.Post](w, "posts.create", fmt.Sprintf(`{"title":"x","slug":"same-%d","content":"x"}`, i+2))
	}
	seen := map[string]bool{}
	for range 10 {
		p := optest.Must[api.Post](w, "posts.create", `{"title":"Same","content":"x"}`)
		if seen[p.Slug] || !strings.HasPrefix(p.Slug, "same") {
			t.Error(p.Slug)
		}
		seen[p.Slug] = true
	}
}

func TestSlugRace(t *testing.T) {
	w := newWorld(t)
	ids := make([]string, 20)
	for i := range ids {
		ids[i] = w.create(fmt.Sprintf(`{"title":"p%d","content":"x"}`, i)).ID
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	codes := map[api.Code]int{}
	for _, id := range ids {
		wg.Go(func() {
			_, refusal := optest.Call[api.Post](w, alice, "posts.update", `{"id":"`+id+`","slug":"race"}`)
			mu.Lock()
			defer mu.Unlock()
			if refusal == nil {
				codes["won"]++
				return
			}
			codes[refusal.Code]++
		})
	}
	wg.Wait()
	if codes["won"] != 1 || codes[api.CodeSlugTaken] != 19 {
		t.Errorf("%v", codes)
	}
}

func TestCreatesAtOnceGetSlugsOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	var wg sync.WaitGroup
	var slugs sync.Map
	for range 20 {
		wg.Go(func() {
			p := optest.Must[api.Post](w, "posts.create", `{"title":"Same","content":"x"}`)
			if _, twice := slugs.LoadOrStore(p.Slug, true); twice {
				t.Errorf("%s twice", p.Slug)
			}
		})
	}
	wg.Wait()
}

func TestInvalidPosts(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"x","content":"y"}`)
	for _, row := range []struct{ name, members, pointer string }{
		{"blank title", `"title":"  "`, "/title"},
		{"line break in title", `"title":"a\nb"`, "/title"},
		{"control character in title", `"title":"a\u0007b"`, "/title"},
		{"C1 control in title", `"title":"a\u0085b"`, "/title"},
		{"control character in description", `"description":"a\u0000"`, "/description"},
		{"NUL in content", `"content":"a\u0000"`, "/content"},
		{"slug with capitals", `"slug":"Hello"`, "/slug"},
		{"slug with traversal", `"slug":"../../etc/passwd"`, "/slug"},
		{"slug with double hyphen", `"slug":"a--b"`, "/slug"},
		{"slug at the edge", `"slug":"-a"`, "/slug"},
		{"slug in wide letters", `"slug":"ｈｅｌｌｏ"`, "/slug"},
		{"slug too long", `"slug":"` + strings.Repeat("a", 101) + `"`, "/slug"},
		{"reserved slug", `"slug":"jobs"`, "/slug"},
		{"empty tag", `"tags":["a"," "]`, "/tags/1"},
		{"long tag", `"tags":["` + strings.Repeat("ä", 61) + `"]`, "/tags/0"},
		{"control character in tag", `"tags":["a\tb"]`, "/tags/0"},
		{"too many tags", `"tags":[` + strings.TrimSuffix(strings.Repeat(`"a",`, 51), ",") + `]`, "/tags"},
		{"locale", `"locale":"en_US"`, "/locale"},
		{"canonical script", `"canonicalUrl":"javascript:alert(1)"`, "/canonicalUrl"},
		{"canonical without host", `"canonicalUrl":"https:///x"`, "/canonicalUrl"},
		{"canonical with user", `"canonicalUrl":"https://a:b@example.com/"`, "/canonicalUrl"},
		{"image script", `"featuredImage":{"url":"javascript:alert(1)"}`, "/featuredImage/url"},
		{"image of another scheme", `"featuredImage":{"url":"data:image/png;base64,AA"}`, "/featuredImage/url"},
		{"image of another host", `"featuredImage":{"url":"//evil.example/x"}`, "/featuredImage/url"},
		{"image with backslash", `"featuredImage":{"url":"/\\evil.example/x"}`, "/featuredImage/url"},
		{"long metadata key", `"metadata":{"` + strings.Repeat("k", 65) + `":"v"}`, "/metadata"},
		{"long metadata value", `"metadata":{"a/b":"` + strings.Repeat("v", 501) + `"}`, "/metadata/a~1b"},
		{"too much metadata", `"metadata":{` + metadata(51) + `}`, "/metadata"},
		{"time in the past", `"publishAt":"2001-01-01T00:00:00Z"`, "/publishAt"},
	} {
		t.Run(row.name, func(t *testing.T) {
			rest := `"title":"t",`
			if strings.HasPrefix(row.members, `"title"`) {
				rest = ""
			}
			if !strings.HasPrefix(row.members, `"content"`) {
				rest += `"content":"c",`
			}
			for name, body := range map[string]string{"posts.create": `{` + rest + row.members + `}`, "posts.update": `{"id":"` + p.ID + `",` + row.members + `}`} {
				_, refusal := optest.Call[api.Post](w, alice, name, body)
				if refusal == nil || refusal.Status != 422 || refusal.Code != api.CodeValidationFailed || refusal.Pointer() != row.pointer {
					t.Errorf("%s: %+v", name, refusal)
				}
			}
		})
	}
	if got := w.get(p.ID); got.Version != 1 {
		t.Errorf("a refused patch changed the post: %+v", got)
	}
}

func metadata(n int) string {
	var b []string
	for i := range n {
		b = append(b, fmt.Sprintf(`"k%d":"v"`, i))
	}
	return strings.Join(b, ",")
}

func TestAllFailuresAtOnce(t *testing.T) {
	w := newWorld(t)
	e := w.Refused(api.CodeValidationFailed, "posts.create", `{"title":"a\nb","content":"x","slug":"A","locale":"?","tags":[""]}`)
	if len(e.Errors) != 4 {
		t.Errorf("%+v", e.Errors)
	}
}

func TestLimitsAreInclusive(t *testing.T) {
	w := newWorld(t)
	w.create(`{"title":"` + strings.Repeat("ä", 300) + `","content":"` + strings.Repeat("x", 1<<20) + `","metadata":{` + metadata(50) + `}}`)
	e := w.Refused(api.CodeHTMLTooLarge, "posts.create", `{"title":"t","content":"`+strings.Repeat("x", 1<<20+1)+`"}`)
	if e.Status != 422 {
		t.Errorf("%+v", e)
	}
}

func TestScopes(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"x","content":"y"}`)
	for _, row := range []struct{ name, body string }{
		{"posts.create", `{"title":"x","content":"y","status":"PUBLISHED"}`},
		{"posts.create", `{"title":"x","content":"y","publishAt":"2099-01-01T00:00:00Z"}`},
		{"posts.update", `{"id":"` + p.ID + `","status":"PUBLISHED"}`},
		{"posts.update", `{"id":"` + p.ID + `","publishAt":"2099-01-01T00:00:00Z"}`},
		{"posts.publish", `{"id":"` + p.ID + `"}`},
		{"posts.unpublish", `{"id":"` + p.ID + `"}`},
	} {
		_, refusal := optest.Call[api.Post](w, without(op.PostsPublish), row.name, row.body)
		if refusal == nil || refusal.Code != api.CodeInsufficientScope || refusal.RequiredScope != "posts:publish" {
			t.Errorf("%s %s: %+v", row.name, row.body, refusal)
		}
	}
	public := w.create(`{"title":"x","content":"y","status":"PUBLISHED"}`)
	if _, refusal := optest.Call[api.Post](w, without(op.PostsPublish), "posts.update", `{"id":"`+public.ID+`","status":"DRAFT"}`); refusal == nil || refusal.Code != api.CodeInsufficientScope {
		t.Errorf("%+v", refusal)
	}
	if _, refusal := optest.Call[api.Post](w, without(op.PostsPublish), "posts.update", `{"id":"`+p.ID+`","title":"z"}`); refusal != nil {
		t.Errorf("%+v", refusal)
	}
}

func TestIdempotentCreate(t *testing.T) {
	w := newWorld(t)
	const body = `{"title":"Once","content":"<p>x</p>"}`
	first, refusal := optest.Keyed[api.Post](w, alice, "posts.create", body, "k1")
	if refusal != nil {
		t.Fatal(refusal)
	}
	again, refusal := optest.Keyed[api.Post](w, alice, "posts.create", body, "k1")
	if refusal != nil || again.ID != first.ID || again.Content != first.Content {
		t.Errorf("%+v %+v", again, refusal)
	}
	if page := optest.Must[api.Page[api.Post]](w, "posts.list", `{}`); len(page.Data) != 1 {
		t.Errorf("%d posts", len(page.Data))
	}
	if _, refusal = optest.Keyed[api.Post](w, alice, "posts.create", `{"title":"Twice","content":"x"}`, "k1"); refusal == nil || refusal.Code != api.CodeIdempotencyKeyReused {
		t.Errorf("%+v", refusal)
	}
}

// A link to a post that was public leads to where it is now.
func TestPublicAddresses(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"A","content":"x","slug":"first","status":"PUBLISHED"}`)
	at := func(slug, now string, gone bool) {
		t.Helper()
		got, isGone, err := w.posts.PublicAddress(t.Context(), "team_a", slug)
		if err != nil || got != now || isGone != gone {
			t.Errorf("%s is now %q, gone %v, %v", slug, got, isGone, err)
		}
	}
	w.patch(p.ID, `"slug":"second"`)
	w.patch(p.ID, `"slug":"third"`)
	at("first", "third", false)
	at("second", "third", false)
	at("never", "", false)
	w.do("unpublish", p.ID)
	at("first", "", false)
	w.patch(p.ID, `"slug":"draft"`)
	w.patch(p.ID, `"slug":"fourth"`)
	w.do("publish", p.ID)
	at("first", "fourth", false)
	at("third", "fourth", false) // left while the post was a draft
	at("draft", "", false)       // never public
	if got, _, err := w.posts.PublicAddress(t.Context(), "team_b", "first"); got != "" || err != nil {
		t.Errorf("another team finds %q, %v", got, err)
	}
	// Whoever takes an address up has it from then on.
	other := w.create(`{"title":"B","content":"x","slug":"first","status":"PUBLISHED"}`)
	w.patch(other.ID, `"slug":"fifth"`)
	at("first", "fifth", false)
	w.do("archive", p.ID)
	at("second", "", true)
	at("fourth", "", true)
	optest.Must[api.Deleted](w, "posts.delete", `{"id":"`+p.ID+`"}`)
	at("second", "", true)
	at("fourth", "", true)
}

func TestFiftyAddressesAreKept(t *testing.T) {
	w := newWorld(t)
	p := w.create(`{"title":"A","content":"x","slug":"s-0","status":"PUBLISHED"}`)
	for i := range 60 {
		w.patch(p.ID, fmt.Sprintf(`"slug":"s-%d"`, i+1))
	}
	for slug, known := range map[string]bool{"s-0": false, "s-9": false, "s-10": true, "s-59": true} {
		if now, _, err := w.posts.PublicAddress(t.Context(), "team_a", slug); err != nil || (now == "s-60") != known {
			t.Errorf("%s leads to %q, %v", slug, now, err)
		}
	}
}

// TestAgentDrawsForItsOwnDrafts: an agent, which strangers steer, has images drawn for
// the drafts that it made, and for no other post.
func TestAgentDrawsForItsOwnDrafts(t *testing.T) {
	w := newWorld(t)
	theirs := w.create(`{"title":"Ours","content":"<p>Text</p>"}`)
	ada := op.Caller{Kind: op.Agent, Credential: "agt_1", Team: "team_a", Actor: api.Actor{Type: "agent", ID: "agt_1"}, Source: "agent", Scopes: op.PostsWrite | op.AIUse}
	bob := ada
	bob.Credential, bob.Actor.ID = "agt_2", "agt_2"
	own, refusal := optest.Call[api.Post](w, ada, "posts.create", `{"title":"Hers","content":"<p>Text</p>","status":"DRAFT"}`)
	if refusal != nil {
		t.Fatal(refusal)
	}
	for _, c := range []struct {
		name string
		who  op.Caller
		id   string
		code api.Code
	}{
		{"a member's draft", ada, theirs.ID, api.CodeNotFound}, {"another agent's", bob, own.ID, api.CodeNotFound}, {"its own", ada, own.ID, ""}, {"a member's own", alice, theirs.ID, ""},
	} {
		_, refusal := optest.Call[api.JobStarted](w, c.who, "posts.image", `{"id":"`+c.id+`","prompt":"a hammer"}`)
		if refusal == nil && c.code != "" || refusal != nil && refusal.Code != c.code {
			t.Errorf("%s: %+v", c.name, refusal)
		}
	}
}
