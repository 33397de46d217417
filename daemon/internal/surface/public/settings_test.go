package public_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"edgesvc.dev/svc/daemon/internal/safehtml/xsstest"
	"edgesvc.dev/svc/daemon/internal/surface/public"
	"edgesvc.dev/svc/sdk/api"
)

// dressed is a team that has set everything.
func dressed() *memory {
	m := desk()
	m.teams[0].Site = api.PublicSite{
		Title: "The Notes", Tagline: "Read slowly.", LogoURL: "/media/logo.png", IconURL: "https://x.example/i.png", AccentColor: "#FACC15",
		Navigation: []api.NavLink{{Label: "Start", URL: "/"}, {Label: "Docs <b>", URL: "https://docs.example/"}},
		Chat:       api.ChatHelp, ChatSiteID: "site_1",
	}
	m.posts[0].Content += "<pre><code class=\"language-go\">func f() string { return \"&lt;b&gt;\" } // done\n</code></pre>"
	return m
}

func TestSettingsShow(t *testing.T) {
	base := serve(t, dressed(), public.Options{BaseURL: "https://example.com"})
	index := get(t, base+"/notes/").body
	for _, want := range []string{
		"<title>The Notes</title>", `<h1 dir="auto">The Notes</h1>`, "Read slowly.", `<img src="/media/logo.png"`, `<link rel="icon" href="https://x.example/i.png">`,
		`<a href="/notes/" aria-current="page" dir="auto">Start</a>`, `<a href="https://docs.example/" rel="noopener" dir="auto">Docs &lt;b&gt;</a>`,
		`<a href="/notes/help">Help</a>`,
	} {
		if !strings.Contains(index, want) {
			t.Errorf("%s is not in %s", want, index)
		}
	}
	tint := regexp.MustCompile(`/assets/tint-facc15\.[0-9a-f]+\.css`).FindString(index)
	css := get(t, base+tint)
	if tint == "" || css.StatusCode != 200 || css.Header.Get("Content-Type") != "text/css; charset=utf-8" || !strings.Contains(css.Header.Get("Cache-Control"), "immutable") ||
		!strings.Contains(css.body, "prefers-color-scheme:dark") || !strings.Contains(css.body, "--accent:#facc15}}") {
		t.Errorf("%q: %d %v %s", tint, css.StatusCode, css.Header, css.body)
	}
	for _, name := range []string{"tint-facc15.css", "tint-;}.x.css", strings.Replace(tint, "facc15", "zzzzzz", 1)[len("/assets/"):]} {
		if got := get(t, base+"/assets/"+name); got.StatusCode != 404 {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
}

// The chat is where the team wants it, and only there may the policy run its
// script.
func TestChatOnPages(t *testing.T) {
	m := dressed()
	base := serve(t, m, public.Options{})
	const script = `<script async src="/widget.js" data-site="site_1"></script>`
	for _, row := range []struct {
		chat, path string
		there      bool
	}{
		{api.ChatHelp, "/notes/help", true}, {api.ChatHelp, "/notes/help/times", true}, {api.ChatHelp, "/notes/first", false}, {api.ChatHelp, "/notes/help/none", false},
		{api.ChatAll, "/notes/first", true}, {api.ChatAll, "/notes/", true}, {api.ChatOff, "/notes/help", false},
	} {
		m.teams[0].Site.Chat = row.chat
		got := get(t, base+row.path)
		policy := got.Header.Get("Content-Security-Policy")
		if there := strings.Contains(got.body, script); there != row.there || strings.Contains(policy, "script-src 'self'; connect-src 'self'") != row.there || strings.Contains(policy, "unsafe") {
			t.Errorf("%s %s: %v, %s", row.chat, row.path, there, policy)
		}
	}
}

func TestHighlight(t *testing.T) {
	page := get(t, serve(t, dressed(), public.Options{})+"/notes/first").body
	const want = `<pre tabindex="0"><code class="language-go"><span class="hl-k">func</span> <span class="hl-f">f</span>() <span class="hl-k">string</span> { <span class="hl-k">return</span> <span class="hl-s">&#34;&lt;b&gt;&#34;</span> } <span class="hl-c">// done`
	if !strings.Contains(page, want) {
		t.Errorf("%s is not in %s", want, page)
	}
}

// Code is the same text with its colours as without, whatever is in it; markup of
// the author's in it and unknown languages stay as they are.
func TestHighlightKeepsText(t *testing.T) {
	m := blog()
	m.posts[0].Content = ""
	for _, block := range []string{
		`<code class="language-html">&lt;script&gt;alert("1")&lt;/script&gt;</code>`, `<code class="language-nonsense">a &lt; b</code>`,
		`<code class="language-go">a <b>bold</b> c</code>`, `<code>plain &amp; simple</code>`, `<code class="language-diff">- a` + "\n" + `+ b</code>`,
		`<code class="language-sh">echo '` + strings.Repeat("x", 100_000) + `'</code>`, `<code class="language-json">{"unfinished": [1,</code>`, `<code class="language-go"></code>`,
	} {
		m.posts[0].Content += "<pre>" + block + "</pre>"
	}
	_, shown, _ := strings.Cut(get(t, serve(t, m, public.Options{})+"/notes/first").body, `<div class="prose" itemprop="articleBody">`)
	shown, _, _ = strings.Cut(shown, "</div>")
	plain := regexp.MustCompile(`</?span[^>]*>`).ReplaceAllString(shown, "")
	plain = strings.ReplaceAll(strings.ReplaceAll(plain, ` tabindex="0"`, ""), "&#34;", `"`)
	want := strings.ReplaceAll(m.posts[0].Content, "'", "&#39;")
	if got := strings.TrimSpace(plain); got != want {
		t.Errorf("got %.3000s\nwant %.3000s", got, want)
	}
}

// What search engines read is JSON, whatever the texts hold.
func TestStructuredData(t *testing.T) {
	m := dressed()
	m.posts[0].Title = `</script><script>alert(1)</script>`
	base := serve(t, m, public.Options{BaseURL: "https://example.com"})
	for path, kinds := range map[string]string{
		"/notes/": "Blog", "/notes/tag/food": "Blog BreadcrumbList", "/notes/first": "BlogPosting BreadcrumbList",
		"/notes/help": "CollectionPage", "/notes/help/category/shipping": "CollectionPage BreadcrumbList", "/notes/help/times": "TechArticle BreadcrumbList",
	} {
		_, data, _ := strings.Cut(get(t, base+path).body, `<script type="application/ld+json">`)
		data, _, _ = strings.Cut(data, "</script>")
		var doc struct {
			Context string `json:"@context"`
			Graph   []struct {
				Type     string `json:"@type"`
				Headline string
			} `json:"@graph"`
		}
		if err := json.Unmarshal([]byte(data), &doc); err != nil {
			t.Errorf("%s: %v in %s", path, err, data)
		}
		var got []string
		for _, node := range doc.Graph {
			got = append(got, node.Type)
		}
		if strings.Join(got, " ") != kinds || doc.Context != "https://schema.org" {
			t.Errorf("%s: %q, want %s", path, got, kinds)
		}
		if path == "/notes/first" && doc.Graph[0].Headline != m.posts[0].Title {
			t.Errorf("headline %q", doc.Graph[0].Headline)
		}
	}
}

// From any page of the list the reader comes to the one before it.
func TestNewerPages(t *testing.T) {
	m := &memory{teams: []public.Publication{newTeam()}}
	for i := range 40 {
		m.posts = append(m.posts, newPost(i, "p"+string(rune('a'+i%26))+string(rune('a'+i/26)), "Post", ""))
	}
	base := serve(t, m, public.Options{})
	follow := func(path, rel string) string {
		t.Helper()
		found := regexp.MustCompile(`href="([^"]+)" rel="` + rel + `"`).FindStringSubmatch(get(t, base+path).body)
		if found == nil {
			found = []string{"", ""}
		}
		return strings.ReplaceAll(found[1], "&amp;", "&")
	}
	second := follow("/notes/", "next")
	third := follow(second, "next")
	if follow("/notes/", "prev") != "" || second == "" || third == "" {
		t.Fatal(second, third)
	}
	back := follow(third, "prev")
	if got, want := get(t, base+back).body, get(t, base+second).body; links(got) != links(want) {
		t.Errorf("the page before the third has %s, want %s", links(got), links(want))
	}
	if first := get(t, base+follow(second, "prev")); first.StatusCode != 303 || first.Header.Get("Location") != "/notes/" {
		t.Errorf("%d %v", first.StatusCode, first.Header)
	}
}

// links are the posts that a page of the list shows.
func links(page string) string {
	return strings.Join(regexp.MustCompile(`<h2 dir="auto"><a href="[^"]+"`).FindAllString(page, -1), " ")
}

// axe-core finds nothing against WCAG 2.2 AA on any kind of page, in both schemes
// and at both widths.
func TestAccessible(t *testing.T) {
	code, err := os.ReadFile(filepath.Join(os.Getenv("SVC_TEST_CONFORMANCE"), "node_modules", "axe-core", "axe.min.js"))
	if err != nil && os.Getenv("CI") != "" {
		t.Fatalf("no axe-core: run make test (%v)", err)
	}
	if err != nil {
		t.Skipf("no axe-core: run .ci/test, or set SVC_TEST_CONFORMANCE (%v)", err)
	}
	m := dressed()
	m.teams[0].Site.Chat = api.ChatOff // its own tests look at it
	base := serve(t, m, public.Options{})
	browser := xsstest.Browser(t)
	for _, path := range strings.Fields("/notes/ /notes/first /notes/second /notes/tag/food /notes/help /notes/help/times /notes/help?q=delivery /notes/none /none") {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 390} {
				err := chromedp.Do(browser, chromedp.EmulateViewport(width, 800), chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
					if _, err := chromedp.Call(ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}); err != nil {
						return err
					}
					_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
					return err
				}), chromedp.Navigate(base+path))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := chromedp.Run(browser, chromedp.Evaluate[bool](string(code)+";true")); err != nil {
					t.Fatal(err)
				}
				found, err := chromedp.Run(browser, chromedp.Evaluate[[]string](`(async () => {
					const r = await axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']});
					if (r.passes.length < 5) throw new Error('axe looked at nothing');
					return r.violations.flatMap(v => v.nodes.map(n => v.id + ': ' + n.html));
				})()`, chromedp.EvalAwaitPromise))
				if err != nil || len(found) > 0 {
					t.Errorf("%s %s %d: %q, %v", path, scheme, width, found, err)
				}
			}
		}
	}
}
