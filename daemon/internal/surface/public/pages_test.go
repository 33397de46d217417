package public_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"edgesvc.dev/svc/daemon/internal/surface/public"
	"edgesvc.dev/svc/sdk/api"
)

// blog is a team with a post of every kind; those that nobody may see are named
// "secret".
func blog() *memory {
	m := &memory{teams: []public.Publication{newTeam()}, media: map[string]file{}}
	first := newPost(0, "first", `Fish & <b>"chips"</b>`, `<h1>Part</h1><h4>Deep</h4><script>alert(1)</script><p>Body <a href="/notes/second">next</a> <img src="/media/m1"></p><table><tr><td>1</td></tr></table>`)
	first.Description, first.Tags = "About <fish>", []string{"food", "a/b", "C++"}
	first.FeaturedImage = &api.Image{URL: "/media/m1", Alt: `The "fish"`, Width: 1200, Height: 630}
	second := newPost(1, "second", "Second", "<p>Two</p>")
	second.Locale, second.Excerpt, second.Author, second.Tags = "ar", "Two", nil, []string{"food"}
	draft := newPost(2, "secret-draft", "secret", "secret")
	draft.Status = api.PostDraft
	archived := newPost(3, "secret-archived", "secret", "secret")
	archived.Status = api.PostArchived
	queued := newPost(4, "secret-queued", "secret", "secret")
	queued.Generation, queued.PublishedAt = &api.Generation{JobID: "job_1", State: "queued"}, 0
	running := newPost(5, "secret-running", "secret", "secret")
	running.Generation, running.PublishedAt = &api.Generation{JobID: "job_2", State: "running"}, 0
	generated := newPost(6, "generated", "Generated", "<p>Made</p>")
	generated.Generation = &api.Generation{JobID: "job_3", State: "completed"}
	m.posts = []api.Post{first, second, draft, archived, queued, running, generated}
	return m
}

type answer struct {
	*http.Response
	body string
}

func get(t *testing.T, url string, headers ...string) answer {
	t.Helper()
	return send(t, http.MethodGet, url, headers...)
}

// send makes a request; headers are names and values in turn, Host among them.
func send(t *testing.T, method, url string, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	r.Host = r.Header.Get("Host")
	response, err := client(t).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response, string(body)}
}

func TestAddresses(t *testing.T) {
	m := blog()
	m.media["m1"] = file{"image/png", []byte("png")}
	m.hosts = map[string]string{"blog.example.com": "team_1"}
	m.moved = map[string]string{"old": "first", "/2019/first.html": "first", "/blog/first": "first"}
	base := serve(t, m, public.Options{BaseURL: "https://example.com"})
	tests := []struct {
		path, host string
		status     int
		has        string // in the body, or the Location
	}{
		{"/", "", 302, "/notes/"},
		{"/notes", "", 301, "/notes/"},
		{"/notes/", "", 200, "<h1 dir=\"auto\">Field Notes</h1>"},
		{"/notes/first", "", 200, "<h1 itemprop=\"headline\" dir=\"auto\">Fish &amp; &lt;b&gt;"},
		{"/notes/first/", "", 301, "/notes/first"},
		{"/notes/old", "", 301, "/notes/first"},
		{"/notes/help/old", "", 301, "/notes/help/first"},
		{"/notes/2019/first.html", "", 301, "/notes/first"},
		{"/notes/blog/first", "", 301, "/notes/first"},
		{"/2019/first.html", "blog.example.com", 301, "/first"},
		{"/notes/gone", "", 410, "No longer here"},
		{"/notes/help/gone", "", 410, "No longer here"},
		{"/notes/generated", "", 200, "Made"},
		{"/notes/tag/food", "", 200, "Second"},
		{"/notes/tag/C++", "", 200, "Fish"},
		{"/notes/tag?name=a%2Fb", "", 200, "Fish"},
		{"/notes/tag/none", "", 404, "Page not found"},
		{"/notes/tag", "", 404, "Page not found"},
		{"/notes/blog?q=fish", "", 200, `<h2 dir="auto"><a href="/notes/first">Fish &amp; &lt;b&gt;`},
		{"/notes/blog?q=fish", "", 200, `<meta name="robots" content="noindex, follow">`},
		{"/notes/blog?q=%22%3Cb%3E%ff", "", 200, `value="&#34;&lt;b&gt;"`},
		{"/notes/blog?q=giraffe", "", 200, "No post has that yet"},
		{"/notes/blog?q=+", "", 303, "/notes/"},
		{"/notes/blog", "", 404, "Page not found"},
		{"/blog?q=fish", "blog.example.com", 200, `href="/first"`},
		{"/notes/", "", 200, `<form class="ask" role="search" action="/notes/blog">`},
		{"/notes/tag/food", "", 200, `action="/notes/blog"`},
		{"/", "blog.example.com", 200, `action="/blog"`},
		{"/notes/feed.xml", "", 200, "<feed"},
		{"/notes/sitemap.xml", "", 200, "<urlset"},
		{"/robots.txt", "", 200, "Disallow: /svc-api/"},
		{"/media/m1", "", 200, "png"},
		{"/media/m1.png", "", 200, "png"},
		{"/media/m2", "", 404, "Page not found"},
		{"/assets/none.css", "", 404, "Page not found"},
		{"/other/", "", 404, "Page not found"},
		{"/other", "", 404, "Page not found"},
		{"/notes/none", "", 404, "Go to all posts"},
		{"/notes/first/more/still", "", 404, "Go to all posts"},
		{"/notes/?before=rubbish", "", 404, "Page not found"},
		{"/notes/secret-draft", "", 404, "Page not found"},
		{"/notes/secret-archived", "", 404, "Page not found"},
		{"/notes/secret-queued", "", 404, "Page not found"},
		{"/notes/secret-running", "", 404, "Page not found"},
		{"/", "blog.example.com", 200, "Field Notes"},
		{"/first", "Blog.Example.com:8080", 200, "Fish &amp;"},
		{"/tag/food", "blog.example.com", 200, "Second"},
		{"/feed.xml", "blog.example.com", 200, "https://blog.example.com/first"},
		{"/sitemap.xml", "blog.example.com", 200, "https://blog.example.com/first"},
		{"/robots.txt", "blog.example.com", 200, "Sitemap: https://blog.example.com/sitemap.xml"},
		{"/feed.xml", "blog.example.com:1337", 200, "https://blog.example.com/feed.xml"},
		{"/first", "blog.example.com.:1337", 200, "\"https://blog.example.com/first\""},
		{"/media/m1", "blog.example.com", 200, "png"},
		{"/notes/first", "blog.example.com", 404, "Page not found"},
		{"/secret-draft", "blog.example.com", 404, "Page not found"},
	}
	for _, tt := range tests {
		t.Run(tt.host+tt.path, func(t *testing.T) {
			got := get(t, base+tt.path, "Host", tt.host)
			if got.StatusCode != tt.status || !strings.Contains(got.body+got.Header.Get("Location"), tt.has) {
				t.Errorf("got %d %s %s, want %d with %q", got.StatusCode, got.Header, got.body, tt.status, tt.has)
			}
			if strings.Contains(got.body, "1337") {
				t.Errorf("shows the port of the request: %s", got.body)
			}
			if strings.Contains(got.body, "secret") {
				t.Errorf("shows what is not published: %s", got.body)
			}
		})
	}
}

// TestPortOfASite: a team's host has the port of the daemon, whatever the client
// says.
func TestPortOfASite(t *testing.T) {
	m := blog()
	m.hosts = map[string]string{"blog.example.com": "team_1"}
	base := serve(t, m, public.Options{BaseURL: "http://example.com:8080"})
	for _, host := range []string{"blog.example.com", "blog.example.com:8080", "blog.example.com:1337"} {
		if got := get(t, base+"/feed.xml", "Host", host); !strings.Contains(got.body, "http://blog.example.com:8080/feed.xml") || strings.Contains(got.body, "1337") {
			t.Errorf("%s: %s", host, got.body)
		}
	}
}

func TestSafetyHeaders(t *testing.T) {
	base := serve(t, blog(), public.Options{})
	for _, path := range []string{"/notes/", "/notes/first", "/notes/none", "/notes/feed.xml", "/robots.txt"} {
		got := get(t, base+path)
		if csp := got.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; style-src 'self';") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "script") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if got.Header.Get("X-Content-Type-Options") != "nosniff" || got.Header.Get("Referrer-Policy") == "" {
			t.Errorf("%s: headers %v", path, got.Header)
		}
		if page := strings.ReplaceAll(got.body, `<script type="application/ld+json">`, ""); strings.Contains(page, "<script") || strings.Contains(page, "style=") {
			t.Errorf("%s: a script or inline style in %s", path, got.body)
		}
	}
}

func TestMethods(t *testing.T) {
	base := serve(t, blog(), public.Options{})
	head := send(t, http.MethodHead, base+"/notes/first")
	full := get(t, base+"/notes/first")
	if head.StatusCode != 200 || head.body != "" || head.ContentLength != int64(len(full.body)) || head.Header.Get("ETag") != full.Header.Get("ETag") {
		t.Errorf("HEAD: %d, length %d, %v", head.StatusCode, head.ContentLength, head.Header)
	}
	post := send(t, http.MethodPost, base+"/notes/first")
	if post.StatusCode != 405 || post.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d, %v", post.StatusCode, post.Header)
	}
}

// Every page is one document without parse surprises: what the parser makes of
// it has one h1, no gap between heading levels, and each image an alt.
func TestStructure(t *testing.T) {
	base := serve(t, blog(), public.Options{})
	for _, path := range []string{"/notes/", "/notes/first", "/notes/second", "/notes/tag/food", "/notes/none"} {
		doc, err := html.Parse(strings.NewReader(get(t, base+path).body))
		if err != nil {
			t.Fatal(err)
		}
		level, main := 0, 0
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if len(n.Data) == 2 && n.Data[0] == 'h' && '1' <= n.Data[1] && n.Data[1] <= '6' {
				next := int(n.Data[1] - '0')
				if next > level+1 || next == 1 && level > 0 {
					t.Errorf("%s: h%d after h%d", path, next, level)
				}
				level = next
			}
			if n.Data == "main" {
				main++
			}
			if n.Data == "img" && !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "alt" }) {
				t.Errorf("%s: an image without alt", path)
			}
		}
		if level == 0 || main != 1 {
			t.Errorf("%s: no heading or %d main landmarks", path, main)
		}
	}
}

func TestPostHead(t *testing.T) {
	m := blog()
	m.posts[1].CanonicalURL = "https://elsewhere.example/original"
	m.posts[6].CanonicalURL = "javascript:alert(1)"
	base := serve(t, m, public.Options{BaseURL: "https://example.com/"})
	first := get(t, base+"/notes/first").body
	for _, want := range []string{
		`<html lang="en">`, `<title>Fish &amp; &lt;b&gt;&#34;chips&#34;&lt;/b&gt; · Field Notes</title>`,
		`<meta name="description" content="About &lt;fish&gt;">`,
		`<link rel="canonical" href="https://example.com/notes/first">`,
		`<meta property="og:type" content="article">`, `<meta property="og:image" content="https://example.com/media/m1">`,
		`<meta name="twitter:card" content="summary_large_image">`,
		`alt="The &#34;fish&#34;" width="1200" height="630"`, `<a href="/notes/tag?name=a%2Fb" rel="tag" dir="auto">a/b</a>`,
		`<h2 id="part">Part <a class="anchor" href="#part" aria-label="Link to this section">#</a></h2><h3 id="deep">Deep `, `role="region" aria-label="Table" tabindex="0"><table>`, `Ada Byron`,
		`<a rel="prev" href="/notes/second">`,
	} {
		if !strings.Contains(first, want) {
			t.Errorf("%s is not in %s", want, first)
		}
	}
	second := get(t, base+"/notes/second").body
	for _, want := range []string{`<html lang="ar">`, `dir="rtl"`, `href="https://elsewhere.example/original"`, `<meta name="twitter:card" content="summary">`} {
		if !strings.Contains(second, want) {
			t.Errorf("%s is not in %s", want, second)
		}
	}
	if third := get(t, base+"/notes/generated").body; strings.Contains(third, "javascript:") {
		t.Errorf("a script's address in %s", third)
	}
}

func TestIndexPages(t *testing.T) {
	m := &memory{teams: []public.Publication{newTeam()}}
	for i := range 30 {
		p := newPost(i, "p"+string(rune('a'+i)), "Post", "")
		p.Tags = []string{[]string{"even", "odd"}[i%2]}
		m.posts = append(m.posts, p)
	}
	base := serve(t, m, public.Options{})
	for _, start := range []string{"/notes/", "/notes/tag/odd"} {
		seen := map[string]bool{}
		for next := start; next != ""; {
			page := get(t, base+next)
			if page.StatusCode != 200 {
				t.Fatalf("%s: %d", next, page.StatusCode)
			}
			next = ""
			doc, err := html.Parse(strings.NewReader(page.body))
			if err != nil {
				t.Fatal(err)
			}
			for n := range doc.Descendants() {
				href, rel := attribute(n, "href"), attribute(n, "rel")
				if rel == "next" {
					next = href
				}
				if n.Parent != nil && n.Parent.Data == "h2" && href != "" {
					if seen[href] {
						t.Errorf("%s twice", href)
					}
					seen[href] = true
				}
			}
		}
		if want := map[string]int{"/notes/": 30, "/notes/tag/odd": 15}[start]; len(seen) != want {
			t.Errorf("%s leads to %d posts, want %d", start, len(seen), want)
		}
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func TestEmptyAndWelcome(t *testing.T) {
	empty := serve(t, &memory{teams: []public.Publication{newTeam()}}, public.Options{})
	if got := get(t, empty+"/notes/"); got.StatusCode != 200 || !strings.Contains(got.body, "Nothing published yet") {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
	two := serve(t, &memory{teams: []public.Publication{newTeam(), {Team: api.Team{ID: "team_2", Name: "Hidden", Slug: "hidden"}}}}, public.Options{})
	got := get(t, two+"/")
	if got.StatusCode != 200 || !strings.Contains(got.body, "Welcome") || strings.Contains(got.body, "Hidden") || strings.Contains(got.body, "Notes") {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
}

func TestFailingSource(t *testing.T) {
	m := blog()
	m.err = io.ErrUnexpectedEOF
	base := serve(t, m, public.Options{Log: quiet})
	for _, path := range []string{"/", "/notes/", "/notes/first", "/media/m1"} {
		got := get(t, base+path)
		if got.StatusCode != 500 || strings.Contains(got.body, "EOF") || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v %s", path, got.StatusCode, got.Header, got.body)
		}
	}
}

// TestLede shows the description under the title, unless it repeats it.
func TestLede(t *testing.T) {
	for description, shown := range map[string]bool{"Two of a kind.": true, "Second": false, "second.": false, " SECOND! ": false, "": false} {
		m := blog()
		m.posts[1].Description = description
		page := get(t, serve(t, m, public.Options{})+"/notes/second").body
		if got := strings.Contains(page, `class="lede"`); got != shown {
			t.Errorf("%q shown: %v", description, got)
		}
	}
}
