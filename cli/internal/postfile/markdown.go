package postfile

import (
	"fmt"
	stdhtml "html"
	"net/url"
	"regexp"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"

	"edgesvc.dev/svc/cli/internal/markup"
)

// Page is the body as HTML whose links and images are as they stand in the file:
// see Finish.
func (f *File) Page() (*markup.Page, error) {
	if f.page != nil {
		return f.page, nil
	}
	if f.HTML {
		page, err := markup.FromHTML(markup.Text{Body: f.Body, Vars: f.vars()})
		f.page = page
		return page, err
	}
	page, err := markup.Render(markup.Text{Body: f.Body, MDX: f.MDX, Vars: f.vars()})
	if err != nil {
		return nil, err
	}
	f.page, f.Intro = page, page.Intro
	if f.Description == nil && page.Intro != "" {
		if err := f.introduce(); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// introduce makes a description of what is above <!--more-->.
func (f *File) introduce() error {
	page, err := markup.Render(markup.Text{Body: f.Intro, MDX: f.MDX})
	if err != nil {
		return err
	}
	about := cut(strings.Join(strings.Fields(stdhtml.UnescapeString(tags.ReplaceAllString(page.HTML, " "))), " "), maxDescription)
	if about != "" {
		f.Description = &about
	}
	return nil
}

var tags = regexp.MustCompile(`(?s)<!--.*?-->|<(?:script|style)\b.*?</(?:script|style)>|</?[A-Za-z][^>]*>`)

// vars are what marks such as {{ page.title }} say.
func (f *File) vars() map[string]string {
	vars := map[string]string{"title": f.Title, "page.title": f.Title, "post.title": f.Title}
	if f.Description != nil {
		vars["description"], vars["page.description"] = *f.Description, *f.Description
	}
	if f.Doc == nil {
		return vars
	}
	for _, m := range f.Doc.Members {
		if s, ok := text(m.Value); ok {
			vars["page."+strings.ToLower(m.Key)] = s
		}
	}
	return vars
}

// Finish is the body as HTML with the addresses that r gives, and what readers
// will miss.
func (f *File) Finish(r markup.Resolver) (html string, notes []markup.Note, err error) {
	page, err := f.Page()
	if err != nil {
		return "", nil, err
	}
	html, notes, err = markup.Finish(page.HTML, r, f.HTML)
	return strings.TrimRight(html, "\n"), append(notes, page.Notes...), err
}

// Render is Finish where links stay as they are and each relative image goes
// through place, which returns its address. omitted names the elements that were
// left out.
func (f *File) Render(place func(path string) (string, error)) (html string, omitted []string, err error) {
	html, notes, err := f.Finish(markup.Resolver{
		Link: func(dest string) markup.Place {
			if _, _, raw, wiki, ok := markup.Name(dest); ok {
				if wiki {
					raw = "[[" + raw + "]]"
				}
				return markup.Place{Drop: true, Text: raw}
			}
			return markup.Place{Address: dest}
		},
		Image: func(src string) (markup.Place, error) {
			if !Relative(src) {
				return markup.Place{Address: src}, nil
			}
			address, err := place(src)
			return markup.Place{Address: address}, err
		},
	})
	for _, n := range notes {
		omitted = append(omitted, n.What)
	}
	return html, omitted, err
}

// Relative reports whether an image's destination is a path beside the file.
func Relative(destination string) bool {
	u, err := url.Parse(destination)
	return err == nil && u.Scheme == "" && u.Host == "" && u.Path != "" && !strings.HasPrefix(u.Path, "/")
}

// Images lists the relative images of the body and of the front matter, and
// what rendering leaves out.
func (f *File) Images() (paths, omitted []string, err error) {
	if f.Image != nil && Relative(f.Image.URL) {
		paths = append(paths, f.Image.URL)
	}
	_, omitted, err = f.Render(func(path string) (string, error) {
		paths = append(paths, path)
		return path, nil
	})
	return paths, omitted, err
}

// Markdown is HTML as Markdown. What Markdown cannot say is lost: see Lossy.
func Markdown(html string) (string, error) {
	conv := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithListEndComment(false)), table.NewTablePlugin(), strikethrough.NewStrikethroughPlugin()))
	md, err := conv.ConvertString(html)
	if err != nil {
		return "", fmt.Errorf("turn HTML into Markdown: %w", err)
	}
	return strings.TrimSpace(md) + "\n", nil
}

// lossyTags are elements whose meaning Markdown cannot carry.
var lossyTags = []string{"<iframe", "<video", "<audio", "<form", "<svg", "<object", "<embed", "<style", "<figure", "<details", "<div", "<span", "<kbd", "<sub", "<sup", "<mark", "<abbr", "<ruby", "<dl"}

// Lossy reports whether html has elements that Markdown would drop.
func Lossy(html string) bool {
	lower := strings.ToLower(html)
	for _, tag := range lossyTags {
		if strings.Contains(lower, tag) {
			return true
		}
	}
	return false
}
