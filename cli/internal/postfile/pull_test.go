package postfile_test

import (
	"strings"
	"testing"

	"edgesvc.dev/svc/cli/internal/markup"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/sdk/api"
)

// asPost is what a daemon has of a file.
func asPost(t *testing.T, name, text string) *api.Post {
	t.Helper()
	f, err := postfile.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	in, err := f.Create(render(t, f))
	if err != nil {
		t.Fatal(err)
	}
	p := &api.Post{
		ID: "post_1", Title: in.Title, Slug: in.Slug, Content: in.Content, Description: in.Description, Tags: in.Tags, Status: in.Status,
		Locale: in.Locale, CanonicalURL: in.CanonicalURL, Date: in.PublishedAt, Aliases: in.Aliases, Metadata: in.Metadata, FeaturedImage: in.FeaturedImage,
	}
	if in.Author != "" {
		p.Author = &api.Author{Name: in.Author}
	}
	return p
}

func pull(t *testing.T, name, text string, p *api.Post) string {
	t.Helper()
	f, err := postfile.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	address := func(dest string) string {
		if postfile.Relative(dest) && strings.HasSuffix(dest, ".png") {
			return "/up/" + dest
		}
		return dest
	}
	b, left, err := (&postfile.Pull{
		Name: name, File: f, Post: p, Ready: func(*postfile.File) {},
		Content: func(f *postfile.File) (string, error) {
			html, _, err := f.Render(func(path string) (string, error) { return address(path), nil })
			return html, err
		},
		Differ: func(f *postfile.File, content string) ([]postfile.Change, error) {
			_, changes, err := f.Patch(p, &content)
			return changes, err
		},
		Own: func(html string) (string, error) {
			there := func(a string) markup.Place { return markup.Place{Address: strings.TrimPrefix(a, "/up/")} }
			out, _, err := markup.Finish(html, markup.Resolver{Link: there, Image: func(a string) (markup.Place, error) { return there(a), nil }}, true)
			return out, err
		},
	}).Bytes()
	if err != nil || len(left) > 0 {
		t.Errorf("left %+v, error %v", left, err)
	}
	return string(b)
}

const body = "\n\n\nFirst *paragraph*,\nwrapped ![x](a.png) with [one][1].\n\n* a list\n* of two\n\n{% note %}\nInside.\n{% endnote %}\n\n1. and\n1. numbers\n\nLast one. <!-- kept -->\n\n[1]: other.md\n"

// TestPullChangesOnlyWhatDiffers: in every form of front matter, with every kind
// of line end, a pull changes the lines of what the server changed.
func TestPullChangesOnlyWhatDiffers(t *testing.T) {
	yaml := "---\n# head\ntitle: \"Old title\"   # c\nlayout:   wide\ndraft: true\ndate: 2019-03-04 10:00:00 +0200\ntags:\n- a\n- b\n\ncategories: [ 'c' ]\nextra:\n    deep: {z: 1,  y: 2}\nauthor:\n  name: Ann\n  url: u\nsummary: 'What it is'\n---" + body
	toml := "+++\n# head\ntitle = \"Old title\" # c\nlayout   = 'wide'\ndraft = true\ndate = 2019-03-04T10:00:00+02:00\nsummary = 'What it is'\n\n[taxonomies]\n  tags = [\"a\", \"b\", \"c\"]\n[extra]\nauthor = 'Ann'\n+++" + body
	json := "{\n   \"title\": \"Old title\",\n   \"layout\":\"wide\", \"draft\": true,\n   \"date\": \"2019-03-04T08:00:00Z\",\n   \"tags\": [\"a\", \"b\", \"c\"],\n   \"author\": \"Ann\",\n   \"summary\": \"What it is\"\n}" + body
	bare := "# Old title" + body
	for form, text := range map[string]string{"YAML": yaml, "TOML": toml, "JSON": json, "none": bare} {
		for ends, text := range map[string]string{"LF": text, "CR LF": strings.ReplaceAll(text, "\n", "\r\n"), "mark": "\ufeff" + text, "both": strings.Replace(text, "\n", "\r\n", 3)} {
			for name, c := range map[string]struct {
				change   func(*api.Post)
				old, new string
			}{
				"nothing": {func(*api.Post) {}, "", ""},
				"title":   {func(p *api.Post) { p.Title = "New title" }, "Old title", "New title"},
				"summary": {func(p *api.Post) { p.Description = "What it was" }, "What it is", "What it was"},
				"author":  {func(p *api.Post) { p.Author = &api.Author{Name: "Bea"} }, "Ann", "Bea"},
				"a word":  {func(p *api.Post) { p.Content = strings.Replace(p.Content, "wrapped", "broken", 1) }, "wrapped", "broken"},
				"an item": {func(p *api.Post) { p.Content = strings.Replace(p.Content, "of two", "of <em>two</em>", 1) }, "* of two", "* of *two*"},
			} {
				if form == "none" && (name == "summary" || name == "author") {
					continue // there is no such member
				}
				t.Run(form+"/"+ends+"/"+name, func(t *testing.T) {
					p := asPost(t, "post.md", text)
					c.change(p)
					want := text
					if name == "an item" { // a list of one kind of mark
						if got := pull(t, "post.md", text, p); changedLines(text, got) > 3 {
							t.Errorf("%d lines changed:\n%s", changedLines(text, got), got)
						}
						return
					}
					if c.old != "" {
						want = strings.Replace(text, c.old, c.new, 1)
					}
					if got := pull(t, "post.md", text, p); got != want {
						t.Errorf("pulled:\n%q\nwant:\n%q", got, want)
					}
				})
			}
		}
	}
}

func changedLines(a, b string) int {
	have := map[string]int{}
	for line := range strings.Lines(a) {
		have[line]++
	}
	n := 0
	for line := range strings.Lines(b) {
		if have[line]--; have[line] < 0 {
			n++
		}
	}
	return n
}

// TestPullNeverTakesTheAuthorsOwn: members that the post does not know stay.
func TestPullNeverTakesTheAuthorsOwn(t *testing.T) {
	text := "---\ntitle: A\nlayout: wide\ndate: 2019-03-04\n---\nText\n"
	f := parse(t, text)
	p := asPost(t, "post.md", text)
	p.Metadata, p.Date = nil, 0
	b, left, err := (&postfile.Pull{
		Name: "post.md", File: f, Post: p, Ready: func(*postfile.File) {}, Own: func(s string) (string, error) { return s, nil },
		Content: func(f *postfile.File) (string, error) { return render(t, f), nil },
		Differ: func(f *postfile.File, content string) ([]postfile.Change, error) {
			_, changes, err := f.Patch(p, &content)
			return changes, err
		},
	}).Bytes()
	if err != nil || string(b) != text || len(left) != 2 {
		t.Errorf("%s left %+v %v", b, left, err)
	}
}
