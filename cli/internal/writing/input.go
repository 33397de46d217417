// Package writing is what posts and help articles have in common on the command
// line: files with front matter, the editor with its merge, the sync of a folder
// and the comparison of texts.
package writing

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/images"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
)

// Fields are the flags that create and patch share.
type Fields struct {
	Title, Content, Description, Slug string
	Status, Locale, canonical         string
	Tags                              []string
	publishAt                         string
	Changed                           func(flag string) bool
}

// Add gives the command the flags.
func (o *Fields) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Title, "title", "", "title")
	f.StringVar(&o.Content, "content", "", "HTML, or @file with HTML or (.md) Markdown, @- for standard input")
	f.StringVar(&o.Description, "description", "", "short description for search engines")
	f.StringVar(&o.Slug, "slug", "", "name in addresses")
	f.StringSliceVar(&o.Tags, "tag", nil, "tags; more than one with commas or again")
	f.StringVar(&o.Locale, "locale", "", "language, such as en or de-AT")
	f.StringVar(&o.canonical, "canonical-url", "", "the original's address")
	f.StringVar(&o.publishAt, "publish-at", "", "publish a draft by itself then: 2d, 3h, 2026-01-31T09:00")
	o.Changed = f.Changed
}

// Any reports whether a flag says anything.
func (o *Fields) Any() bool {
	return slices.ContainsFunc([]string{"title", "content", "description", "slug", "status", "tag", "locale", "canonical-url", "publish-at"}, o.Changed)
}

// Apply puts the flags that were given over what a file says.
func (o *Fields) Apply(f *postfile.File) {
	for _, member := range []struct {
		flag, value string
		text        *string
		pointer     **string
	}{
		{"title", o.Title, &f.Title, nil},
		{"slug", o.Slug, &f.Slug, nil},
		{"publish-at", instant(o.publishAt), &f.PublishAt, nil},
		{"description", o.Description, nil, &f.Description},
		{"locale", o.Locale, nil, &f.Locale},
		{"canonical-url", o.canonical, nil, &f.CanonicalURL},
	} {
		switch {
		case !o.Changed(member.flag):
		case member.text != nil:
			*member.text = member.value
		default:
			value := member.value
			*member.pointer = &value
		}
	}
	if o.Changed("tag") {
		tags := postfile.Tags(o.Tags)
		f.Tags = &tags
	}
	if o.Status != "" {
		f.Status = o.Status
	}
}

// instant writes a span from now, such as 2d, as the time that it is; anything
// else stays as it was written.
func instant(s string) string {
	if at, err := kit.ParseUntil(s); err == nil && at != 0 {
		return at.String()
	}
	return s
}

// File is what the arguments name: a file, standard input, or flags alone; nil
// for nothing at all.
func (o *Fields) File(a *kit.App, args []string) (*postfile.File, string, error) {
	switch {
	case len(args) == 1 && o.Content != "":
		return nil, "", kit.Usage("pass a file or --content, not both")
	case len(args) == 1:
		return ReadFile(a, args[0], false)
	case o.Content != "":
		return o.ContentFile(a)
	}
	return nil, "", nil
}

// ContentFile is what --content names, as a body.
func (o *Fields) ContentFile(a *kit.App) (*postfile.File, string, error) {
	name, isFile := strings.CutPrefix(o.Content, "@")
	if !isFile {
		return &postfile.File{Body: o.Content, HTML: true}, "", nil
	}
	return ReadFile(a, name, true)
}

// Patched is the flags as a file that changes a text, with the HTML of --content
// where it was given.
func (o *Fields) Patched(ctx context.Context, a *kit.App, c *sdk.Client) (f *postfile.File, content *string, err error) {
	f = &postfile.File{}
	if o.Content != "" {
		var dir string
		if f, dir, err = o.ContentFile(a); err != nil {
			return nil, nil, err
		}
		html, err := Content(ctx, a, c, f, dir)
		if err != nil {
			return nil, nil, err
		}
		content = &html
		f.Slug, f.ID = "", "" // the argument names the text
	}
	o.Apply(f)
	if err := f.Check(); err != nil {
		return nil, nil, kit.Usage("%v", err)
	}
	return f, content, nil
}

// ReadFile reads a file with front matter; standard input is Markdown
// unless html says that it is HTML.
func ReadFile(a *kit.App, name string, html bool) (*postfile.File, string, error) {
	b, err := a.ReadInput(name)
	if err != nil {
		return nil, "", err
	}
	as := name
	if name == "-" {
		as = "stdin.md"
		if html {
			as = "stdin.html"
		}
	}
	f, err := postfile.Parse(filepath.ToSlash(as), b)
	if err != nil {
		return nil, "", &kit.Failure{Exit: kit.ExitInvalid, Code: "invalid_file", Message: name + ": " + err.Error(), Topic: "sync"}
	}
	if name == "-" {
		return f, ".", nil
	}
	return f, filepath.Dir(name), nil
}

// Content renders a file's body; images beside the file, which is in dir, are
// uploaded.
func Content(ctx context.Context, a *kit.App, c *sdk.Client, f *postfile.File, dir string) (string, error) {
	paths, _, err := f.Images()
	if err != nil {
		return "", err
	}
	place := func(path string) (string, error) { return path, nil }
	if len(paths) > 0 && dir != "" {
		folder, err := images.Open(dir, nil, uploadWith(ctx, c))
		if err != nil {
			return "", err
		}
		defer folder.Close()
		place = func(path string) (string, error) { return folder.Place(".", path) }
	}
	if f.Image != nil && postfile.Relative(f.Image.URL) {
		if f.Image.URL, err = place(f.Image.URL); err != nil {
			return "", err
		}
	}
	html, omitted, err := f.Render(place)
	NoteOmitted(a, "", omitted)
	return html, err
}

// NoteOmitted tells which HTML of a Markdown text is not in the post.
func NoteOmitted(a *kit.App, path string, elements []string) {
	if len(elements) == 0 {
		return
	}
	if path != "" {
		path = terminal.Line(path) + ": "
	}
	a.IO.Say("note: %s%s in the Markdown was left out; an .html file is taken as it is", path, terminal.Line(strings.Join(elements, ", ")))
}

// uploadWith stores an image and returns its address.
func uploadWith(ctx context.Context, c *sdk.Client) func(name string, body []byte) (string, error) {
	return func(name string, body []byte) (string, error) {
		m, err := c.Media.Upload(ctx, sdk.MediaUpload{Name: name, Body: bytes.NewReader(body)})
		if err != nil {
			return "", err
		}
		return m.URL, nil
	}
}
