package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"edgesvc.dev/svc/cli/internal/images"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"github.com/spf13/cobra"
)

// postFields are the flags that create and patch share.
type postFields struct {
	title, content, description, slug string
	status, locale, canonical         string
	tags                              []string
	publishAt                         string
	changed                           func(flag string) bool
}

func (o *postFields) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.title, "title", "", "title")
	f.StringVar(&o.content, "content", "", "HTML, or @file with HTML or (.md) Markdown, @- for standard input")
	f.StringVar(&o.description, "description", "", "short description for search engines")
	f.StringVar(&o.slug, "slug", "", "name in addresses")
	f.StringSliceVar(&o.tags, "tag", nil, "tags; more than one with commas or again")
	f.StringVar(&o.locale, "locale", "", "language, such as en or de-AT")
	f.StringVar(&o.canonical, "canonical-url", "", "the original's address")
	f.StringVar(&o.publishAt, "publish-at", "", "publish a draft by itself at this time")
	o.changed = f.Changed
}

// any reports whether a flag says anything.
func (o *postFields) any() bool {
	return slices.ContainsFunc([]string{"title", "content", "description", "slug", "status", "tag", "locale", "canonical-url", "publish-at"}, o.changed)
}

// apply puts the flags that were given over what a file says.
func (o *postFields) apply(f *postfile.File) {
	for _, member := range []struct {
		flag, value string
		text        *string
		pointer     **string
	}{
		{"title", o.title, &f.Title, nil},
		{"slug", o.slug, &f.Slug, nil},
		{"publish-at", o.publishAt, &f.PublishAt, nil},
		{"description", o.description, nil, &f.Description},
		{"locale", o.locale, nil, &f.Locale},
		{"canonical-url", o.canonical, nil, &f.CanonicalURL},
	} {
		switch {
		case !o.changed(member.flag):
		case member.text != nil:
			*member.text = member.value
		default:
			value := member.value
			*member.pointer = &value
		}
	}
	if o.changed("tag") {
		tags := postfile.Tags(o.tags)
		f.Tags = &tags
	}
	if o.status != "" {
		f.Status = o.status
	}
}

// file is what the arguments name: a file, standard input, or flags alone; nil
// for nothing at all.
func (o *postFields) file(a *app, args []string) (*postfile.File, string, error) {
	switch {
	case len(args) == 1 && o.content != "":
		return nil, "", usage("pass a file or --content, not both")
	case len(args) == 1:
		return a.readPostFile(args[0], false)
	case o.content != "":
		return o.contentFile(a)
	}
	return nil, "", nil
}

// contentFile is what --content names, as a body.
func (o *postFields) contentFile(a *app) (*postfile.File, string, error) {
	name, isFile := strings.CutPrefix(o.content, "@")
	if !isFile {
		return &postfile.File{Body: o.content, HTML: true}, "", nil
	}
	return a.readPostFile(name, true)
}

// readPostFile reads a file with front matter; standard input is Markdown
// unless html says that it is HTML.
func (a *app) readPostFile(name string, html bool) (*postfile.File, string, error) {
	b, err := a.readInput(name)
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
		return nil, "", &failure{Exit: exitInvalid, Code: "invalid_file", Message: name + ": " + err.Error(), Topic: "sync"}
	}
	if name == "-" {
		return f, ".", nil
	}
	return f, filepath.Dir(name), nil
}

// content renders a file's body; images beside the file, which is in dir, are
// uploaded.
func (a *app) content(ctx context.Context, c *sdk.Client, f *postfile.File, dir string) (string, error) {
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
	a.noteOmitted("", omitted)
	return html, err
}

// noteOmitted tells which HTML of a Markdown text is not in the post.
func (a *app) noteOmitted(path string, elements []string) {
	if len(elements) == 0 {
		return
	}
	if path != "" {
		path = terminal.Line(path) + ": "
	}
	a.io.Say("note: %s<%s> in the Markdown was left out; an .html file is taken as it is", path, strings.Join(elements, ">, <"))
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
