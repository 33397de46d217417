package helpdesk_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/helpdesk"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// shop is a helpdesk as a small shop has one.
func shop(t testing.TB) *world {
	w := newWorld(t)
	w.article("Shipping times and costs", `<p>We ship to every country in Europe, and to Japan, Canada and the United States.</p>
		<h2>How long does it take?</h2><p>Parcels inside Europe take three days. To Japan it is about a week.</p>
		<h2>What does it cost?</h2><p>Shipping is free for orders over 50 euros; below that it is 4.90 euros.</p>`)
	w.article("Returns and refunds", `<p>You can send anything back within 30 days, as long as it was not worn.</p>
		<h2>When do I get my money back?</h2><p>We refund to the card that you paid with, within five working days of receiving the parcel.</p>`)
	w.article("Reset your password", `<p>Open the sign-in page, choose <em>Forgot password</em> and follow the link that we send you.</p>`)
	w.article("Change your e-mail address", `<p>Go to your profile, enter the new address and confirm the mail.</p>`)
	w.article("Sizes of our shoes", `<p>Our shoes run large. Between two sizes, choose the smaller one.</p>`)
	w.article("Café opening hours", `<p>The café in the shop is open from nine to six.</p>`)
	return w
}

// Whole questions find the article that answers them, in other forms of the words,
// with slips of the pen and in other languages; what has no word of one finds
// nothing.
func TestQuestions(t *testing.T) {
	w := shop(t)
	for _, tt := range []struct{ question, best string }{
		{"do you ship to japan?", "Shipping times and costs"},
		{"How much is shipping?", "Shipping times and costs"},
		{"Hello! Could you please tell me what shipping costs?", "Shipping times and costs"},
		{"do you ship to Brazil?", "Shipping times and costs"},
		{"what is your return policy?", "Returns and refunds"},
		{"refunds", "Returns and refunds"},
		{"refnud", "Returns and refunds"},
		{"returns?", "Returns and refunds"},
		{"when will I be refunded to my card", "Returns and refunds"},
		{"I forgot my pasword", "Reset your password"},
		{"how do I reset my passwrd?", "Reset your password"},
		{"CHANGING EMAIL ADDRESSES", "Change your e-mail address"},
		{"which shoe size should I choose", "Sizes of our shoes"},
		{"cafe hours", "Café opening hours"},
		{"Passwort vergessen", "Reset your password"},
		{"¿Cuánto cuesta el envío?", "Shipping times and costs"},

		{"giraffes", ""},
		{"???", ""},
	} {
		best, _, _ := strings.Cut(w.found(tt.question), " | ")
		if best != tt.best {
			t.Errorf("%q finds %q, want %q", tt.question, best, tt.best)
		}
	}
}

// A hit names the sections that answer, with the anchor of their heading, the words
// that were searched for and a quote.
func TestHitsNameTheirSections(t *testing.T) {
	w := shop(t)
	for question, want := range map[string]struct{ anchor, path, quote, marked string }{
		"which countries do you ship to":    {"", "", "We ship to every country in Europe, and to Japan, Canada and the United States.", "ship"},
		"how long does a parcel take":       {"how-long-does-it-take", "How long does it take?", "Parcels inside Europe take three days. To Japan it is about a week.", "Parcels"},
		"when do I get my money back":       {"when-do-i-get-my-money-back", "When do I get my money back?", "We refund to the card that you paid with, within five working days of receiving the parcel.", ""},
		"is shipping free over fifty euros": {"what-does-it-cost", "What does it cost?", "Shipping is free for orders over 50 euros; below that it is 4.90 euros.", "Shipping"},
	} {
		hits := optest.Must[api.HelpHits](w, "helpdesk.search", `{"q":`+quoted(question)+`}`).Data
		if len(hits) == 0 || len(hits[0].Sections) == 0 {
			t.Errorf("%q finds %+v", question, hits)
			continue
		}
		h := hits[0]
		s := h.Sections[0]
		url := "/help/" + h.Slug
		if h.URL != url || h.Quote != want.quote || h.Score <= 0 || h.Covered <= 0.4 || h.Covered > 1 || h.Excerpt == "" || len(h.Sections) > 2 {
			t.Errorf("%q: %+v", question, h)
		}
		if want.anchor != "" {
			url += "#" + want.anchor
		}
		if s.Anchor != want.anchor || strings.Join(s.Path, " › ") != want.path || s.URL != url || s.Quote != want.quote || s.Snippet == "" {
			t.Errorf("%q: %+v", question, s)
		}
		if want.marked != "" && (len(s.Marks) == 0 || s.Snippet[s.Marks[0][0]:s.Marks[0][1]] != want.marked) {
			t.Errorf("%q marks %v of %q", question, s.Marks, s.Snippet)
		}
	}
}

// Whatever an article holds, a quote is a part of its plain text.
func TestQuotesAreVerbatim(t *testing.T) {
	w := newWorld(t)
	for i, content := range []string{
		"<p>giraffe " + strings.Repeat("long and longer ", 60) + "</p>",
		"<p>giraffe " + strings.Repeat("ab. ", 200) + "</p>",
		"<p>giraffe " + strings.Repeat("日本語", 200) + "</p>",
		"<pre>giraffe\n\n  indented\tcode " + strings.Repeat("x", 700) + "</pre>",
		"<h2>giraffe</h2><h2>giraffe</h2><p>one</p><p></p><h3> giraffe  two </h3><ul><li>three<li>four</ul>",
		"giraffe &amp; &lt;b&gt; \u00a0 <script>giraffe</script><p>tail",
	} {
		a := w.article(fmt.Sprint("Animal ", i), content)
		text := safehtml.Text(content)
		found := w.search("giraffe")
		at := slices.IndexFunc(found, func(r search.Result) bool { return r.ID == a.ID })
		if at < 0 {
			continue // the sixth is beyond the limit
		}
		for _, p := range found[at].Parts {
			if !strings.Contains(text, p.Quote) || len(p.Quote) > 320 || !strings.Contains(text, p.Text) {
				t.Errorf("%q (%d bytes) is not a part of %q", p.Quote, len(p.Quote), text)
			}
		}
	}
	if n := len(w.search("giraffe")); n != 5 {
		t.Errorf("%d articles found, want 5, the limit", n)
	}
}

// A word in the title weighs more than in a heading, and there more than in the
// text.
func TestRanking(t *testing.T) {
	w := newWorld(t)
	filler := strings.Repeat("<p>Nothing of interest stands here at length.</p>", 3)
	w.article("Third", filler+"<p>About invoices.</p>")
	w.article("Second", "<h2>Invoices</h2>"+filler)
	w.article("Invoices", filler)
	if got := w.found("invoice"); got != "Invoices | Second | Third" {
		t.Error(got)
	}
}

// Only published articles are for visitors; members choose the status.
func TestSearchByStatus(t *testing.T) {
	w := newWorld(t)
	a := w.draft("Zebra crossing")
	find := func(status string) int {
		return len(optest.Must[api.HelpHits](w, "helpdesk.search", `{"q":"zebra","status":"`+status+`"}`).Data)
	}
	if w.found("zebra") != "" || find("DRAFT") != 1 || find("PUBLISHED") != 0 {
		t.Error("a draft shows, or not to members")
	}
	w.do("publish", a.ID)
	if w.found("zebra") == "" || find("DRAFT") != 0 {
		t.Error("what was published a moment ago is not found")
	}
	w.patch(a.ID, `"title":"Lion","slug":"lion","content":"<p>Roar</p>"`)
	if w.found("crossing text") != "Lion" || w.found("text") != "" || w.found("roar") == "" {
		t.Error("the search knows the former text, or not the former slug")
	}
	w.do("archive", a.ID)
	if w.found("lion") != "" || find("PUBLISHED") != 0 || find("ARCHIVED") != 1 {
		t.Error("an archived article shows")
	}
	if got := optest.Must[api.HelpHits](w, "helpdesk.search", `{"q":"lion","status":"ARCHIVED"}`).Data; len(got) != 1 || got[0].ArticleID != a.ID || got[0].Quote != "Roar" {
		t.Errorf("%+v", got)
	}
	optest.Must[api.Deleted](w, "helpdesk.articles.delete", `{"id":"`+a.ID+`"}`)
	if got := optest.Must[api.HelpHits](w, "helpdesk.search", `{"q":"lion","status":"ARCHIVED"}`).Data; len(got) != 0 {
		t.Errorf("a deleted article is found: %+v", got)
	}
}

func TestSearchByLocale(t *testing.T) {
	w := newWorld(t)
	for locale, title := range map[string]string{"": "Router setup", "de": "Router einrichten", "de-AT": "Router aufstellen", "ja": "ルーター Router"} {
		optest.Must[api.Article](w, "helpdesk.articles.create", `{"title":`+quoted(title)+`,"content":"<p>Text</p>","status":"PUBLISHED","locale":"`+locale+`"}`)
	}
	for locale, want := range map[string]int{"": 4, "de": 2, "DE": 2, "de-AT": 1, "en": 1, "ja": 1, "fr": 0} {
		if got := optest.Must[api.HelpHits](w, "helpdesk.search", `{"q":"router","locale":"`+locale+`"}`).Data; len(got) != want {
			t.Errorf("%d articles of the locale %q, want %d", len(got), locale, want)
		}
	}
}

func TestSearchKeepsTeamsApart(t *testing.T) {
	w := newWorld(t)
	w.article("Secret recipe", "<p>Of the soup</p>")
	found, err := w.desk.Search(t.Context(), "team_b", search.Query{Text: "secret recipe", Limit: 5})
	if err != nil || len(found.Found) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// A second daemon finds what the first wrote, and no longer what it deleted.
func TestTwoDaemons(t *testing.T) {
	w := newWorld(t)
	other := helpdesk.New(w.Store, w.Log, search.NewMemory(1<<30))
	t.Cleanup(func() { w.check(other.Close()) })
	find := func(q string) int {
		found, err := other.Search(t.Context(), "team_a", search.Query{Text: q, Status: api.ArticlePublished, Limit: 5})
		w.check(err)
		return len(found.Found)
	}
	a := w.article("Walrus", "<p>Tusks</p>")
	if find("walrus") != 1 {
		t.Error("the other daemon does not find it")
	}
	w.patch(a.ID, `"title":"Otter","slug":"otter","content":"<p>Whiskers</p>"`)
	if find("tusks") != 0 || find("otter") != 1 || find("walrus") != 1 {
		t.Error("the other daemon knows the former text, or not the former slug")
	}
	w.do("unpublish", a.ID)
	if find("otter") != 0 {
		t.Error("the other daemon finds a draft")
	}
	optest.Must[api.Deleted](w, "helpdesk.articles.delete", `{"id":"`+a.ID+`"}`)
	found, err := other.Search(t.Context(), "team_a", search.Query{Text: "otter", Limit: 5})
	if err != nil || len(found.Found) != 0 {
		t.Errorf("the other daemon finds what was deleted: %+v, %v", found, err)
	}
}

func TestReindex(t *testing.T) {
	w := newWorld(t)
	w.article("Walrus", "<p>One</p>")
	w.draft("Seal")
	for range 2 {
		if got := optest.Must[api.Reindexed](w, "helpdesk.reindex", `{}`); got.Articles != 2 {
			t.Errorf("%+v", got)
		}
		if w.found("walrus") != "Walrus" {
			t.Error("not found after the index was built again")
		}
	}
}

// Writers, searches and rebuilds run beside each other; what was written is found
// by its writer at once.
func TestSearchBesideWrites(t *testing.T) {
	w := newWorld(t)
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() {
			for n := range 10 {
				word := fmt.Sprintf("walrus%c%c", 'a'+i, 'a'+n)
				_, err := w.desk.Create(t.Context(), alice, api.ArticleCreate{Title: word, Content: "<p>x</p>", Status: api.ArticlePublished})
				if err != nil {
					t.Error(err)
				}
				found, err := w.desk.Search(t.Context(), "team_a", search.Query{Text: word, Limit: 1})
				if err != nil || len(found.Found) != 1 || found.Found[0].Title != word {
					t.Errorf("%s: %+v, %v", word, found, err)
				}
				if n == 5 {
					if _, err := w.desk.Reindex(t.Context(), alice, api.None{}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	clients.Wait()
}

// A store that is closed ends searches with its error.
func TestSearchAfterTheEnd(t *testing.T) {
	w := newWorld(t)
	w.article("Walrus", "<p>One</p>")
	w.check(w.Store.Close())
	if _, err := w.desk.Search(t.Context(), "team_a", search.Query{Text: "walrus", Limit: 1}); !errors.Is(err, kv.ErrClosed) {
		t.Error(err)
	}
}

func (w *world) check(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}
