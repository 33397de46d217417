package public_test

import (
	"compress/gzip"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/surface/public"
	"edgesvc.dev/svc/sdk/api"
)

var quiet = slog.New(slog.DiscardHandler)

func TestConditionalGet(t *testing.T) {
	m := blog()
	base := serve(t, m, public.Options{})
	for _, path := range []string{"/notes/", "/notes/first", "/notes/tag/food", "/notes/feed.xml", "/notes/sitemap.xml"} {
		first := get(t, base+path)
		etag, modified := first.Header.Get("ETag"), first.Header.Get("Last-Modified")
		for _, headers := range [][]string{
			{"If-None-Match", etag}, {"If-None-Match", `"other", ` + etag}, {"If-None-Match", "*"}, {"If-Modified-Since", modified},
		} {
			if got := get(t, base+path, headers...); got.StatusCode != 304 || got.body != "" || got.Header.Get("ETag") != etag {
				t.Errorf("%s with %v: %d %v", path, headers, got.StatusCode, got.Header)
			}
		}
		if got := get(t, base+path, "If-None-Match", `W/"other"`, "If-Modified-Since", modified); got.StatusCode != 200 {
			t.Errorf("%s with another tag: %d", path, got.StatusCode)
		}
	}
}

// The cache must not outlive a change of anything that a page shows.
func TestChangesShowAtOnce(t *testing.T) {
	paths := []string{"/notes/", "/notes/first", "/notes/tag/food", "/notes/feed.xml", "/notes/sitemap.xml"}
	changes := map[string]struct {
		change func(*memory)
		paths  []string
	}{
		"post":      {func(m *memory) { m.posts[0].Title, m.posts[0].Slug, m.posts[0].Version = "New", "first", 2 }, paths},
		"author":    {func(m *memory) { m.posts[0].Author = &api.Author{Name: "Grace"} }, []string{"/notes/first", "/notes/feed.xml"}},
		"team":      {func(m *memory) { m.teams[0].Name, m.teams[0].Version = "Renamed", 2 }, paths},
		"neighbour": {func(m *memory) { m.posts[1].Status = api.PostDraft }, paths},
	}
	for name, tt := range changes {
		t.Run(name, func(t *testing.T) {
			m := blog()
			base := serve(t, m, public.Options{})
			before := map[string]string{}
			for _, path := range paths {
				before[path] = get(t, base+path).Header.Get("ETag")
			}
			tt.change(m)
			for _, path := range tt.paths {
				if got := get(t, base+path, "If-None-Match", before[path]); got.StatusCode != 200 {
					t.Errorf("%s: %d after the change", path, got.StatusCode)
				}
			}
		})
	}
}

func TestGzip(t *testing.T) {
	base := serve(t, blog(), public.Options{})
	plain := get(t, base+"/notes/first")
	packed := get(t, base+"/notes/first", "Accept-Encoding", "gzip")
	if plain.Header.Get("Content-Encoding") != "" || packed.Header.Get("Content-Encoding") != "gzip" || packed.Header.Get("Vary") != "Accept-Encoding" {
		t.Fatalf("headers %v and %v", plain.Header, packed.Header)
	}
	r, err := gzip.NewReader(strings.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	if unpacked, err := io.ReadAll(r); err != nil || string(unpacked) != plain.body {
		t.Errorf("%v: %s", err, unpacked)
	}
}

func TestAssets(t *testing.T) {
	base := serve(t, blog(), public.Options{})
	page := get(t, base+"/notes/").body
	for _, ext := range []string{"css", "svg"} {
		path := regexp.MustCompile(`/assets/[a-z]+\.[0-9a-f]{12}\.` + ext).FindString(page)
		got := get(t, base+path)
		if got.StatusCode != 200 || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") || !strings.Contains(got.Header.Get("Content-Type"), ext) {
			t.Errorf("%q: %d %v", path, got.StatusCode, got.Header)
		}
	}
}

func TestMedia(t *testing.T) {
	m := blog()
	m.media = map[string]file{"a": {"image/png", []byte("png")}, "b": {"image/svg+xml", []byte("<svg/>")}, "c": {"text/html", []byte("<script>")}}
	base := serve(t, m, public.Options{})
	for id, disposition := range map[string]string{"a": "", "b": "attachment", "c": "attachment"} {
		got := get(t, base+"/media/"+id)
		h := got.Header
		if got.StatusCode != 200 || h.Get("Content-Type") != m.media[id].mime || h.Get("Content-Disposition") != disposition ||
			!strings.Contains(h.Get("Cache-Control"), "immutable") || h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %d %v", id, got.StatusCode, h)
		}
		if again := get(t, base+"/media/"+id, "If-None-Match", h.Get("ETag")); again.StatusCode != 304 {
			t.Errorf("%s again: %d", id, again.StatusCode)
		}
	}
}

func TestMediaRanges(t *testing.T) {
	m := blog()
	m.media = map[string]file{"a": {"image/png", []byte("0123456789")}}
	base := serve(t, m, public.Options{})
	for _, row := range []struct {
		asked, version string
		status         int
		body, says     string
	}{
		{"", "", 200, "0123456789", ""},
		{"bytes=2-4", "", 206, "234", "bytes 2-4/10"},
		{"bytes=7-", "", 206, "789", "bytes 7-9/10"},
		{"bytes=-2", "", 206, "89", "bytes 8-9/10"},
		{"bytes=5-99", "", 206, "56789", "bytes 5-9/10"},
		{"bytes=0-0", `"a"`, 206, "0", "bytes 0-0/10"},
		{"bytes=0-0", `"older"`, 200, "0123456789", ""},
		{"bytes=0-1,4-5", "", 200, "0123456789", ""}, // a server may send all
		{"lines=1-2", "", 200, "0123456789", ""},
		{"bytes=10-", "", 416, "", "bytes */10"},
	} {
		got := get(t, base+"/media/a", "Range", row.asked, "If-Range", row.version)
		if got.StatusCode != row.status || got.body != row.body || got.Header.Get("Content-Range") != row.says || got.Header.Get("Accept-Ranges") != "bytes" {
			t.Errorf("%q %q: %d %q %v", row.asked, row.version, got.StatusCode, got.body, got.Header)
		}
	}
	if got := send(t, "HEAD", base+"/media/a"); got.StatusCode != 200 || got.ContentLength != 10 || got.body != "" {
		t.Errorf("HEAD: %d %d %q", got.StatusCode, got.ContentLength, got.body)
	}
}

// Contrast of text on its background, by WCAG 2.2: at least 4.5 in both schemes.
func TestContrast(t *testing.T) {
	css, err := os.ReadFile("assets/style.css")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\n *\}`).FindAllString(string(css), -1)
	if len(blocks) != 3 {
		t.Fatalf("%d palettes, want light, dark and paper", len(blocks))
	}
	for i, block := range blocks {
		colour := func(name string) float64 {
			found := regexp.MustCompile(`--` + name + `: #([0-9a-f]{6});`).FindStringSubmatch(block)
			if found == nil {
				t.Fatalf("palette %d has no %s", i, name)
			}
			return luminance(t, found[1])
		}
		pairs := [][2]string{{"ink", "paper"}, {"quiet", "paper"}, {"accent", "paper"}, {"ink", "wash"}, {"quiet", "wash"}, {"accent", "wash"}, {"ink", "mark"}}
		for _, code := range []string{"keyword", "string", "number", "name", "attribute", "comment"} {
			pairs = append(pairs, [2]string{"hl-" + code, "wash"})
		}
		for _, pair := range pairs {
			a, b := colour(pair[0]), colour(pair[1])
			if contrast := (max(a, b) + 0.05) / (min(a, b) + 0.05); contrast < 4.5 {
				t.Errorf("palette %d: %s on %s has contrast %.2f", i, pair[0], pair[1], contrast)
			}
		}
	}
}
