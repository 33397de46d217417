package public_test

import (
	"encoding/xml"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/surface/public"
)

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func TestFeed(t *testing.T) {
	m := blog()
	m.posts[0].Title += "\x01"
	base := serve(t, m, public.Options{BaseURL: "https://example.com"})
	got := get(t, base+"/notes/feed.xml")
	if ct := got.Header.Get("Content-Type"); ct != "application/atom+xml; charset=utf-8" {
		t.Errorf("type %q", ct)
	}
	type link struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	}
	var feed struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string   `xml:"id"`
		Title   string   `xml:"title"`
		Updated string   `xml:"updated"`
		Author  struct {
			Name string `xml:"name"`
		} `xml:"author"`
		Links   []link `xml:"link"`
		Entries []struct {
			ID         string `xml:"id"`
			Title      string `xml:"title"`
			Updated    string `xml:"updated"`
			Published  string `xml:"published"`
			Link       link   `xml:"link"`
			Categories []struct {
				Term string `xml:"term,attr"`
			} `xml:"category"`
			Content struct {
				Type string `xml:"type,attr"`
				Text string `xml:",chardata"`
			} `xml:"content"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(got.body), &feed); err != nil {
		t.Fatalf("%v in %s", err, got.body)
	}
	if feed.ID != "tag:example.com,2025-05-04:team_1" || feed.Title != "Field Notes" || feed.Author.Name != "Field Notes" ||
		!slices.Contains(feed.Links, link{"self", "https://example.com/notes/feed.xml"}) || !slices.Contains(feed.Links, link{"alternate", "https://example.com/notes/"}) {
		t.Errorf("feed %+v", feed)
	}
	if len(feed.Entries) != 3 {
		t.Fatalf("%d entries, want the three published posts", len(feed.Entries))
	}
	e := feed.Entries[0]
	if e.ID != "tag:example.com,2026-05-04:post_first" || e.Title != "Fish & <b>\"chips\"</b>\uFFFD" || e.Link.Href != "https://example.com/notes/first" || len(e.Categories) != 3 {
		t.Errorf("entry %+v", e)
	}
	if e.Content.Type != "html" || !strings.Contains(e.Content.Text, `href="https://example.com/notes/second"`) ||
		!strings.Contains(e.Content.Text, `src="https://example.com/media/m1"`) || strings.Contains(e.Content.Text, "script") {
		t.Errorf("content %+v", e.Content)
	}
	for _, s := range []string{feed.Updated, e.Updated, e.Published} {
		if at, err := time.Parse(time.RFC3339, s); err != nil || !at.Equal(published) {
			t.Errorf("time %q: %v", s, err)
		}
	}
}

func TestSitemap(t *testing.T) {
	m := blog()
	for i := range 250 {
		m.posts = append(m.posts, newPost(100+i, "old"+strconv.Itoa(i), "Old", ""))
	}
	base := serve(t, m, public.Options{BaseURL: "https://example.com"})
	var set struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []struct {
			Loc     string `xml:"loc"`
			LastMod string `xml:"lastmod"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal([]byte(get(t, base+"/notes/sitemap.xml").body), &set); err != nil {
		t.Fatal(err)
	}
	if len(set.URLs) != 1+3+250 || set.URLs[0].Loc != "https://example.com/notes/" || set.URLs[1].Loc != "https://example.com/notes/first" || set.URLs[1].LastMod != "2026-05-04T09:30:00Z" {
		t.Errorf("%d addresses, %+v", len(set.URLs), set.URLs[:2])
	}
}
