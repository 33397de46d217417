package public_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/safehtml/xsstest"
	"edgesvc.dev/svc/daemon/internal/surface/public"
	"edgesvc.dev/svc/sdk/api"
)

// Each attack is in every field that a page shows. The pages have to be
// inert without their content policy too.
func TestCorpusIsInertOnPages(t *testing.T) {
	const sample = 8 // a page for each would take a minute
	m := &memory{teams: []public.Publication{newTeam()}}
	for i, payload := range xsstest.Corpus(t) {
		if i%sample != 0 {
			continue
		}
		p := newPost(i, fmt.Sprintf("p%d", i), payload, payload)
		p.Description, p.Excerpt, p.Tags, p.Locale, p.CanonicalURL = payload, payload, []string{payload}, payload, payload
		p.Author = &api.Author{Name: payload}
		p.FeaturedImage = &api.Image{URL: payload, Alt: payload}
		if i%(2*sample) == 0 {
			p.FeaturedImage.URL = "/media/m1"
		}
		m.posts = append(m.posts, p)
	}
	m.teams[0].Name, m.teams[0].Brand.Description, m.teams[0].Brand.LogoURL = m.posts[0].Title, m.posts[1].Title, m.posts[2].Title
	base := serve(t, m, public.Options{Log: quiet})
	var addresses []string
	for _, p := range m.posts {
		addresses = append(addresses, base+"/notes/"+p.Slug)
	}
	for at := 0; at < len(m.posts); at += 12 {
		addresses = append(addresses, fmt.Sprintf("%s/notes/?before=%d", base, at))
	}
	addresses = append(addresses, base+"/notes/blog?q="+url.QueryEscape(m.posts[5].Title))
	browser := xsstest.Browser(t)
	got := xsstest.Open(t, browser, base+"/notes/", addresses, time.Minute)
	if active := strange(got.Active); len(got.Fired) > 0 || len(active) > 0 || got.Loaded != len(addresses) {
		t.Errorf("%d of %d loaded, fired %q, active %q", got.Loaded, len(addresses), got.Fired, active)
	}
	if forms := 3 * (len(addresses) - len(m.posts)); len(got.Active) != forms {
		t.Errorf("%d elements of our own, want %d", len(got.Active), forms)
	}
}

// The cases R58, R60 and R62 of the list of bad input.
func TestStoredScripts(t *testing.T) {
	m := &memory{teams: []public.Publication{newTeam()}}
	for i, content := range []string{
		`<script>alert(1)</script><p>ok</p>`,
		`<a href="jav&#x09;ascript:alert(1)">x</a>`,
		`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
	} {
		m.posts = append(m.posts, newPost(i, fmt.Sprintf("p%d", i), "x", content))
	}
	base := serve(t, m, public.Options{})
	for _, p := range m.posts {
		page := get(t, base+"/notes/"+p.Slug).body
		_, content, _ := strings.Cut(page, `<div class="prose" itemprop="articleBody">`)
		content, _, _ = strings.Cut(content, "<footer>")
		if active := xsstest.Active(t, content); len(active) > 0 {
			t.Errorf("%q in the page of %q", active, p.Content)
		}
	}
}
