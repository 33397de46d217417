package public_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"edgesvc.dev/svc/daemon/internal/safehtml/xsstest"
	"edgesvc.dev/svc/daemon/internal/surface/public"
	"edgesvc.dev/svc/sdk/api"
)

func newArticle(slug, title, content, category string) api.Article {
	at := api.TimeOf(published)
	return api.Article{
		ID: "art_" + slug, Slug: slug, Title: title, Content: content, Excerpt: "How " + strings.ToLower(title) + " works, in short.", CategoryID: category,
		Status: api.ArticlePublished, Version: 1, PublishedAt: at, CreatedAt: at, UpdatedAt: at,
	}
}

// desk is a team with help articles of every kind; those that nobody may see are
// named "secret".
func desk() *memory {
	m := blog()
	m.rated = map[string]int{}
	m.categories = []api.Category{
		{Head: api.Head{ID: "cat_1"}, Name: "Shipping", Slug: "shipping"}, {Head: api.Head{ID: "cat_2"}, Name: "secret", Slug: "secret"},
		{Head: api.Head{ID: "cat_3"}, Name: "Paying", Slug: "paying"},
	}
	draft := newArticle("secret-draft", "secret", "secret", "cat_1")
	draft.Status = api.ArticleDraft
	inSecret := newArticle("secret-archived", "secret", "secret", "cat_2")
	inSecret.Status = api.ArticleArchived
	m.articles = []api.Article{
		newArticle("times", "Delivery times", `<h1>Europe</h1><p>Three days.</p><script>alert(1)</script>`, "cat_1"),
		newArticle("cards", "Cards & <b>cash</b>", "<p>Both.</p>", "cat_3"),
		newArticle("other", "Anything else", "<p>Ask us.</p>", ""),
		newArticle("lost", "Lost parcels", "<p>Write to us.</p>", "cat_gone"),
		draft, inSecret,
	}
	for i := range 8 {
		m.articles = append(m.articles, newArticle(fmt.Sprint("zone-", i), fmt.Sprint("Zone ", i), "<p>x</p>", "cat_1"))
	}
	return m
}

func TestHelpPages(t *testing.T) {
	base := serve(t, desk(), public.Options{BaseURL: "https://example.com"})
	for _, tt := range []struct {
		path   string
		status int
		has    []string
	}{
		{"/notes/help", 200, []string{"How can we help?", `href="/notes/help/category/shipping">Shipping`, "Delivery times", "All 9 articles", "More answers", "Anything else", "Lost parcels",
			`<link rel="canonical" href="https://example.com/notes/help">`, `name="q"`}},
		{"/notes/help/", 301, []string{"/notes/help"}},
		{"/notes/help/category/shipping", 200, []string{"Zone 7", `<link rel="canonical" href="https://example.com/notes/help/category/shipping">`}},
		{"/notes/help/category/secret", 404, nil}, // has nothing public
		{"/notes/help/category/none", 404, nil},
		{"/notes/help/times", 200, []string{"Delivery times", `<h2 id="europe">Europe <a class="anchor" href="#europe" `, "Was this helpful?", `action="/notes/help/times/feedback"`, "More about", "Zone 0",
			`<meta property="og:type" content="article">`, `<meta name="description" content="How delivery times works, in short.">`,
			`"@type":"TechArticle"`, `<link rel="canonical" href="https://example.com/notes/help/times">`}},
		{"/notes/help/cards", 200, []string{`Cards &amp; &lt;b&gt;cash`, `"headline":"Cards \u0026 \u003cb\u003ecash\u003c/b\u003e"`}},
		{"/notes/help/times?thanks", 200, []string{"Thank you for telling us", "noindex"}},
		{"/notes/help/times/feedback", 301, []string{"/notes/help/times"}},
		{"/notes/help/secret-draft", 404, nil},
		{"/notes/help/secret-archived", 404, nil},
		{"/notes/help/none", 404, nil},
		{"/notes/help/a/b", 404, nil},
		{"/other/help", 404, nil},
		{"/notes/help?q=delivery", 200, []string{"Delivery times", `value="delivery"`, "noindex", `href="/notes/help/times"`,
			`<a href="/notes/help/times#to-japan">To &lt;Japan&gt;</a>`, `😀 <mark>A week</mark> &amp; <mark>&lt;more&gt;</mark>`}},
		{"/notes/help?q=%3Cscript%3E%22", 200, []string{"Nothing answers that yet", `value="&lt;script&gt;&#34;"`}},
		{"/notes/help?q=%20", 200, []string{"How can we help?"}},
		{"/notes/sitemap.xml", 200, []string{"https://example.com/notes/help</loc>", "https://example.com/notes/help/category/paying<", "https://example.com/notes/help/times<"}},
	} {
		got := get(t, base+tt.path)
		if got.StatusCode != tt.status || strings.Contains(got.body, "secret") {
			t.Errorf("%s: %d %s", tt.path, got.StatusCode, got.body)
		}
		for _, want := range tt.has {
			if !strings.Contains(got.body+got.Header.Get("Location"), want) {
				t.Errorf("%s: no %s in %s", tt.path, want, got.body)
			}
		}
		csp := got.Header.Get("Content-Security-Policy")
		if !strings.HasPrefix(csp, "default-src 'none'; style-src 'self';") || strings.Contains(csp, "script") {
			t.Errorf("%s: policy %q", tt.path, csp)
		}
	}
	if got := get(t, serve(t, blog(), public.Options{})+"/notes/help"); got.StatusCode != 200 || !strings.Contains(got.body, "Nothing published yet") {
		t.Errorf("without articles: %d %s", got.StatusCode, got.body)
	}
}

// The cache must not outlive a change of anything that a help page shows.
func TestHelpChangesShowAtOnce(t *testing.T) {
	paths := []string{"/notes/help", "/notes/help/category/shipping", "/notes/help/times", "/notes/sitemap.xml"}
	for name, change := range map[string]func(*memory){
		"article":   func(m *memory) { m.articles[0].Version = 2 },
		"taken off": func(m *memory) { m.articles[6].Status = api.ArticleDraft },
		"category":  func(m *memory) { m.categories[0].Name, m.categories[0].Slug = "Parcels", "shipping-2" },
		"team":      func(m *memory) { m.teams[0].Version = 2 },
	} {
		m := desk()
		base := serve(t, m, public.Options{})
		before := map[string]string{}
		for _, path := range paths {
			before[path] = get(t, base+path).Header.Get("ETag")
			if again := get(t, base+path, "If-None-Match", before[path]); again.StatusCode != 304 {
				t.Errorf("%s: %d without a change", path, again.StatusCode)
			}
		}
		change(m)
		for _, path := range paths {
			if got := get(t, base+path, "If-None-Match", before[path]); got.StatusCode == 304 {
				t.Errorf("%s is kept after the change of the %s", path, name)
			}
		}
	}
}

// vote sends the form as a browser does.
func vote(t *testing.T, address, helpful string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/feedback", strings.NewReader(url.Values{"helpful": {helpful}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	response, err := client(t).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response
}

func TestHelpful(t *testing.T) {
	m := desk()
	base := serve(t, m, public.Options{})
	page := base + "/notes/help/times"
	same := []string{"Sec-Fetch-Site", "same-origin"}
	first := vote(t, page, "yes", same...)
	if first.StatusCode != 303 || first.Header.Get("Location") != "/notes/help/times?thanks#svc-helpful" || first.Header.Get("Set-Cookie") != "" || m.rated["art_times"] != 1 {
		t.Errorf("%d %v, %v", first.StatusCode, first.Header, m.rated)
	}
	if again := vote(t, page, "yes", "Origin", base); again.StatusCode != 303 || m.rated["art_times"] != 1 {
		t.Errorf("a second answer: %d, %v", again.StatusCode, m.rated)
	}
	for _, headers := range [][]string{nil, {"Origin", "https://evil.example"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site", "Origin", base}, {"Sec-Fetch-Site", "none"}} {
		if got := vote(t, base+"/notes/help/cards", "no", headers...); got.StatusCode != 403 {
			t.Errorf("%v: %d", headers, got.StatusCode)
		}
	}
	for path, want := range map[string]int{"/notes/help/none": 404, "/notes/help/secret-draft": 404, "/notes/help": 404, "/notes/first": 404} {
		if got := vote(t, base+path, "yes", same...); got.StatusCode != want {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	if got := vote(t, base+"/notes/help/cards", "maybe", same...); got.StatusCode != 404 {
		t.Errorf("an answer that is none: %d", got.StatusCode)
	}
	if len(m.rated) != 1 {
		t.Errorf("%v", m.rated)
	}
}

// An address answers for 20 articles an hour.
func TestHelpfulIsLimited(t *testing.T) {
	m := desk()
	for i := range 30 {
		m.articles = append(m.articles, newArticle(fmt.Sprint("more-", i), "More", "<p>x</p>", ""))
	}
	base := serve(t, m, public.Options{})
	refused := 0
	for i := range 30 {
		if vote(t, fmt.Sprint(base, "/notes/help/more-", i), "no", "Origin", base).StatusCode == 429 {
			refused++
		}
	}
	if refused != 10 || len(m.rated) != 20 {
		t.Errorf("%d refused, %d counted", refused, len(m.rated))
	}
}

// Each attack is in every field that the help pages show; what acts in them
// is their own forms.
func TestCorpusIsInertOnHelpPages(t *testing.T) {
	const sample = 16
	m := &memory{teams: []public.Publication{newTeam()}}
	for i, payload := range xsstest.Corpus(t) {
		if i%sample != 0 {
			continue
		}
		a := newArticle(fmt.Sprint("a", i), payload, payload, "cat_1")
		a.Excerpt, a.Locale, a.Tags = payload, payload, []string{payload}
		m.articles = append(m.articles, a)
	}
	m.categories = []api.Category{{Head: api.Head{ID: "cat_1"}, Name: m.articles[3].Title, Slug: "c"}}
	base := serve(t, m, public.Options{Log: quiet})
	addresses := []string{base + "/notes/help", base + "/notes/help/category/c", base + "/notes/help?q=" + url.QueryEscape(m.articles[5].Title)}
	for _, a := range m.articles {
		addresses = append(addresses, base+"/notes/help/"+a.Slug)
	}
	got := xsstest.Open(t, xsstest.Browser(t), base+"/notes/", addresses, time.Minute)
	active := strange(got.Active)
	if len(got.Fired) > 0 || len(active) > 0 || got.Loaded != len(addresses) {
		t.Errorf("%d of %d loaded, fired %q, active %q", got.Loaded, len(addresses), got.Fired, active)
	}
	if forms := 3*3 + len(m.articles)*3; len(got.Active) < forms {
		t.Errorf("%d elements of our own, want %d", len(got.Active), forms)
	}
}

var ownForms = regexp.MustCompile(`<(form|input|button)>$`)

// strange are the active elements of pages that are not those of their own forms.
func strange(active []string) []string {
	return slices.DeleteFunc(slices.Clone(active), func(what string) bool { return ownForms.MatchString(what) })
}

// A reader without scripts searches, reads and answers; nothing is wider than a
// phone.
func TestHelpInBrowser(t *testing.T) {
	m := desk()
	wide := strings.Repeat("unbreakable", 30)
	m.articles = append(m.articles, newArticle("wide", wide, "<p>"+wide+"</p>", "cat_1"))
	base := serve(t, m, public.Options{})
	browser := xsstest.Browser(t)
	for _, path := range []string{"/notes/help", "/notes/help/category/shipping", "/notes/help/wide", "/notes/help?q=" + wide} {
		if err := chromedp.Do(browser, chromedp.EmulateViewport(320, 640), chromedp.Navigate(base+path)); err != nil {
			t.Fatal(err)
		}
		if width, err := chromedp.Run(browser, chromedp.Evaluate[int](`document.documentElement.scrollWidth`)); err != nil || width > 320 {
			t.Errorf("%s is %d px wide, %v", path, width, err)
		}
	}
	err := chromedp.Do(browser,
		chromedp.Navigate(base+"/notes/help"), chromedp.SendKeys("#svc-q", "delivery\r"), chromedp.WaitVisible(".hits a"),
		chromedp.Click(".hits a"), chromedp.WaitVisible(".helpful button"),
		chromedp.Click(".helpful button[value=no]"), chromedp.WaitVisible(".helpful [role=status]"))
	if err != nil || m.rated["art_times"] != -1 {
		t.Errorf("%v, %v", err, m.rated)
	}
}
