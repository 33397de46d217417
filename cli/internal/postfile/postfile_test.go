package postfile_test

import (
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/sdk/api"
)

func parse(t *testing.T, text string) *postfile.File {
	t.Helper()
	f, err := postfile.Parse("post.md", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func render(t *testing.T, f *postfile.File) string {
	t.Helper()
	html, _, err := f.Render(func(path string) (string, error) { return "/up/" + path, nil })
	if err != nil {
		t.Fatal(err)
	}
	return html
}

func TestParse(t *testing.T) {
	f := parse(t, "\xef\xbb\xbf---\r\ntitle: A\r\ntags: go, edge ,\r\ndraft: false\r\nlayout: x\r\nimage: a.png\r\n---\r\n\r\nText\r\n")
	if f.Title != "A" || !slices.Equal(*f.Tags, []string{"go", "edge"}) || f.Status != api.PostPublished || f.Image.URL != "a.png" || f.Body != "Text\n" {
		t.Errorf("parsed %+v %v", f, *f.Tags)
	}
	if f.Description != nil {
		t.Error("an absent description says something")
	}
	if f := parse(t, "# A title #\n\nText"); f.Title != "A title" || f.Body != "Text" {
		t.Errorf("heading: %+v", f)
	}
	if f := parse(t, "---\nnot closed\n"); f.Body != "---\nnot closed\n" {
		t.Errorf("a rule was taken for front matter: %+v", f)
	}
	if f := parse(t, "---\nimage: {url: b.png, alt: A dot}\ntags: [a, b]\n---"); f.Image.Alt != "A dot" || len(*f.Tags) != 2 || f.Body != "" {
		t.Errorf("long forms: %+v", f)
	}
	for _, bad := range []string{"---\ntitle: [\n---\n", "---\npublishAt: soon\n---\n", "---\ntitle: open\n\nText\n", "+++\ntitle = TOML\n+++\n"} {
		if _, err := postfile.Parse("post.md", []byte(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// TestIntroduction: what is above <!--more--> describes the text, unless the front
// matter does.
func TestIntroduction(t *testing.T) {
	for in, want := range map[string]string{
		"An *intro* with [a link](x) & more.\n\n<!--more-->\n\nRest.": "An intro with a link & more.",
		"---\ndescription: Mine\n---\nIntro.\n<!-- more -->\nRest.":   "Mine",
		"Intro.\n\n{/* truncate */}\n\nRest.":                         "Intro.",
	} {
		f := parse(t, in)
		if html := render(t, f); f.Description == nil || *f.Description != want || !strings.Contains(html, "Rest") {
			t.Errorf("%q: %v %s", in, f.Description, html)
		}
	}
	if f := parse(t, "Text alone."); render(t, f) == "" || f.Description != nil {
		t.Error("a text without the mark is described")
	}
}

// TestTableAlignment: columns keep their sides, there and back.
func TestTableAlignment(t *testing.T) {
	html := render(t, parse(t, "| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |\n"))
	for _, want := range []string{`<th align="left">a`, `<th align="center">b`, `<td align="right">3`} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in %s", want, html)
		}
	}
	md, err := postfile.Markdown(html)
	if err != nil || render(t, parse(t, md)) != html {
		t.Errorf("back it is %s %v", md, err)
	}
}

func TestRender(t *testing.T) {
	for in, want := range map[string]string{
		"~~a~~ | b":                        "<p><del>a</del> | b</p>",
		"![x](img/a.png)":                  `<p><img src="/up/img/a.png" alt="x"></p>`,
		"![x](https://x.io/a.png)":         `<p><img src="https://x.io/a.png" alt="x"></p>`,
		"![x](/a.png)":                     `<p><img src="/a.png" alt="x"></p>`,
		"a <script>x</script> b":           "<p>a  b</p>",
		"<kbd>K</kbd> H<sub>2</sub>O<br/>": "<p><kbd>K</kbd> H<sub>2</sub>O<br></p>",
		"<div class=\"x\" onclick=\"y()\">\n<script>z()</script>a &amp; b\n</div>": "<div>\na &amp; b\n</div>",
		"<a href=\"java&#10;script:x\">y</a> <a href=\"/ok\">z</a>":                "<p><a>y</a> <a href=\"/ok\">z</a></p>",
		"<img src=\"b.png\" width=\"20\">":                                         `<img src="/up/b.png" width="20">`,
		"<!-- more -->\n\ntext":                                                    "<p>text</p>",
		"<iframe src=\"https://x.io\"></iframe>\n\ntext":                           "<a href=\"https://x.io\">x.io</a>\n<p>text</p>",
		"[x](javascript:alert)":                                                    `<p><a>x</a></p>`,
	} {
		if got := render(t, &postfile.File{Body: in}); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	html := &postfile.File{Body: "<b>as it is</b>\n", HTML: true}
	if got := render(t, html); got != "<b>as it is</b>" {
		t.Errorf("HTML became %q", got)
	}
}

// TestRenderNamesWhatItLeavesOut: the author is told what readers will miss.
func TestRenderNamesWhatItLeavesOut(t *testing.T) {
	f := &postfile.File{Body: "<kbd>a</kbd> <script>b</script>\n\n<iframe src=x></iframe>\n\n<iframe src=y></iframe>\n"}
	_, omitted, err := f.Render(nil)
	if err != nil || !slices.Equal(omitted, []string{"<script>", "<iframe> (a link)"}) {
		t.Errorf("left out %v, error %v", omitted, err)
	}
}

// TestRoundTrip: what svcctl writes it reads again, and the text stays.
func TestRoundTrip(t *testing.T) {
	body := "## Head\n\nSome *text* with `code`, [a link](https://x.io) and ~~more~~.\n\n- one\n- two\n\n1. first\n\n> quote\n\n```go\nfunc main() {}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
	post := &api.Post{
		ID: "post_1", Title: "A: \"title\" # not a comment", Slug: "a", Status: api.PostDraft, Description: "one line", Tags: []string{"yes", "1.0", "a: b"},
		Content: render(t, &postfile.File{Body: body}), FeaturedImage: &api.Image{URL: "/m.png", Alt: "x"}, Metadata: map[string]string{"k": "v"}, Locale: "en",
	}
	for _, html := range []bool{false, true} {
		f, err := postfile.FromPost(post, html)
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		name := "post.md"
		if html {
			name = "post.html"
		}
		again, err := postfile.Parse(name, b)
		if err != nil {
			t.Fatalf("%v in %s", err, b)
		}
		content := render(t, again)
		_, changes, err := again.Patch(post, &content)
		if err != nil || len(changes) > 0 {
			t.Errorf("changes %+v, error %v in\n%s", changes, err, b)
		}
	}
}

func TestPatchSendsOnlyWhatDiffers(t *testing.T) {
	post := &api.Post{ID: "post_1", Title: "Old", Slug: "a", Description: "d", Status: api.PostDraft, Tags: []string{"x"}, FeaturedImage: &api.Image{URL: "/m.png"}, Version: 3}
	f := parse(t, "---\ntitle: New\ntags: []\ndescription: d\nimage: \"\"\nstatus: published\n---\nText")
	patch, changes, err := f.Patch(post, nil)
	if err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, c := range changes {
		fields = append(fields, c.Field)
	}
	if !slices.Equal(fields, []string{"title", "status", "tags", "image"}) {
		t.Errorf("changes %v", fields)
	}
	if patch.ID != "post_1" || patch.Title.Value != "New" || patch.Description.Set || !patch.FeaturedImage.Null || patch.Content.Set || patch.Slug.Set {
		t.Errorf("patch %+v", patch)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("---\ntitle: A\ntags: [a]\n---\n# B\n![x](y)")
	f.Add("---\n---\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := postfile.Parse("post.md", []byte(text))
		if err != nil {
			return
		}
		html, _, err := file.Render(func(path string) (string, error) { return path, nil })
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToLower(html), "<script") {
			t.Errorf("a script came through: %q", html)
		}
	})
}
