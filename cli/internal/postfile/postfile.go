// Package postfile is a post as a text file: front matter in YAML, TOML or JSON
// and a body of Markdown, or of HTML where the name ends in .html. It turns files
// into what the API takes, posts into files, and knows neither folders nor the
// network.
package postfile

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"edgesvc.dev/svc/cli/internal/frontmatter"
	"edgesvc.dev/svc/cli/internal/markup"
	"edgesvc.dev/svc/sdk/api"
)

// File is one post. A member of the front matter that is absent says nothing
// about the post: the post keeps what it has.
type File struct {
	Front
	Body string
	HTML bool // the body is HTML
	MDX  bool // the body is Markdown with components

	Doc       *frontmatter.Doc // as it was read, nil for a file that was not
	Names     []string         // other names by which texts may link to it
	Elsewhere string           // where the file says that its text is now: it is a redirect, no text
	Unused    []string         // members of the front matter that mean nothing to svc; they are kept in the metadata where they fit
	Lost      []string         // members of the front matter that are not kept
	Intro     string           // the Markdown above <!--more-->, after Render

	extra    map[string]string // metadata made of the members that svc has no place for
	page     *markup.Page      // the body as HTML, once it was rendered
	category string            // the one word of the member category
	never    bool              // a draft that no date publishes

	// The text of the file is head, the body and tail: the heading that is the title,
	// with what is above it in lead, or what is around the body of a document.
	head, lead, tail string
}

// Front is what front matter can say about a post, in svc's own words.
type Front struct {
	ID           string             `yaml:"id,omitempty"`
	Title        string             `yaml:"title,omitempty"`
	Slug         string             `yaml:"slug,omitempty"`
	Description  *string            `yaml:"description,omitempty"`
	Tags         *Tags              `yaml:"tags,omitempty"`
	Status       string             `yaml:"status,omitempty"`
	Author       *string            `yaml:"author,omitempty"`
	Date         string             `yaml:"date,omitempty"`
	PublishAt    string             `yaml:"publishAt,omitempty"`
	Locale       *string            `yaml:"locale,omitempty"`
	CanonicalURL *string            `yaml:"canonicalUrl,omitempty"`
	Aliases      *[]string          `yaml:"aliases,omitempty"`
	Image        *Image             `yaml:"image,omitempty"`
	Metadata     *map[string]string `yaml:"metadata,omitempty"`
}

// Tags are words to find a post by.
type Tags []string

// Image is the featured image: an address or a relative path, alone or with
// its alternative text.
type Image struct {
	URL string `yaml:"url"`
	Alt string `yaml:"alt,omitempty"`
}

// Parse reads the file of the given name. A Markdown file without a title in
// its front matter takes it from a first heading, which leaves the body.
func Parse(name string, b []byte) (*File, error) {
	doc, err := frontmatter.Parse(b)
	if err != nil {
		return nil, err
	}
	ext := strings.ToLower(path.Ext(name))
	f := &File{Doc: doc, Body: doc.Body, HTML: ext == ".html" || ext == ".htm", MDX: ext == ".mdx"}
	r := reader{file: f, name: path.Base(name)}
	if err := r.all(doc.Members); err != nil {
		return nil, err
	}
	switch {
	case f.HTML:
		f.takeDocument()
	default:
		f.takeHeading()
	}
	return f, f.Check()
}

var (
	atxHeading    = regexp.MustCompile(`^ {0,3}#[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	setextHeading = regexp.MustCompile(`^={2,}[ \t]*$`)
	ownLine       = regexp.MustCompile(`^(?:import\s.*|export\s.*|<!--.*-->|\{/\*.*\*/\}|\{%.*%\}|<[A-Za-z/][^>]*>)?\s*$`)
	headingMark   = regexp.MustCompile(`\s*\\?\{[:#.][^}]*\}\s*$`)
)

// takeHeading takes the title from a first heading. One that repeats the title of
// the front matter leaves the body too.
func (f *File) takeHeading() {
	lines := strings.SplitAfter(f.Body, "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, "\n")
		text, used := "", 1
		if m := atxHeading.FindStringSubmatch(line); m != nil {
			text = m[1]
		} else if i+1 < len(lines) && setextHeading.MatchString(strings.TrimRight(lines[i+1], "\n")) && strings.TrimSpace(line) != "" {
			text, used = line, 2
		}
		if text == "" {
			if ownLine.MatchString(line) {
				continue
			}
			return
		}
		title := Plain(headingMark.ReplaceAllString(text, ""))
		if title == "" || f.Title != "" && !strings.EqualFold(title, strings.TrimSpace(f.Title)) {
			return
		}
		if f.Title == "" {
			f.Title = title
		}
		rest := strings.TrimLeft(strings.Join(lines[i+used:], ""), "\n")
		f.lead = strings.Join(lines[:i], "")
		f.head = f.Body[:len(f.Body)-len(rest)]
		f.Body = strings.TrimLeft(strings.Join(lines[:i], "")+rest, "\n")
		return
	}
}

var (
	inlineLink  = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	inlineTag   = regexp.MustCompile(`</?[A-Za-z][^>]*>`)
	inlineMarks = regexp.MustCompile("(\\*{1,3}|_{2,3}|`+|~~)(\\S.*?)(?:\\*{1,3}|_{2,3}|`+|~~)")
	escapedMark = regexp.MustCompile("\\\\([\\\\`*_{}\\[\\]()#+\\-.!|<>])")
)

// Plain is a line of Markdown as text.
func Plain(s string) string {
	s = inlineLink.ReplaceAllString(s, "$1")
	s = inlineTag.ReplaceAllString(s, "")
	s = inlineMarks.ReplaceAllString(s, "$2")
	return strings.Join(strings.Fields(escapedMark.ReplaceAllString(s, "$1")), " ")
}

var (
	documentBody  = regexp.MustCompile(`(?is)<body\b[^>]*>(.*?)(?:</body\s*>|$)`)
	documentTitle = regexp.MustCompile(`(?is)<title\b[^>]*>(.*?)</title\s*>`)
)

// takeDocument takes title and body out of a whole document.
func (f *File) takeDocument() {
	at := documentBody.FindStringSubmatchIndex(f.Body)
	if at == nil {
		return
	}
	inner := strings.TrimSpace(f.Body[at[2]:at[3]])
	begin := at[2] + strings.Index(f.Body[at[2]:at[3]], inner)
	if t := documentTitle.FindStringSubmatch(f.Body); t != nil && f.Title == "" {
		f.Title = strings.TrimSpace(t[1])
	}
	f.head, f.tail = f.Body[:begin], f.Body[begin+len(inner):]
	f.Body = inner + "\n"
}

// Check refuses members that are not of their kind, and writes the status as
// the API does.
func (f *File) Check() error {
	f.Status = strings.ToUpper(f.Status)
	switch f.Status {
	case "", api.PostDraft, api.PostPublished, api.PostArchived:
	default:
		return fmt.Errorf("%sstatus must be draft, published or archived, not %q", f.line("status"), strings.ToLower(f.Status))
	}
	if f.PublishAt == "" {
		return nil
	}
	if _, err := ParseTime(f.PublishAt); err != nil {
		return fmt.Errorf("%spublishAt: %w", f.line("publishAt"), err)
	}
	return nil
}

// line is where a member of the front matter is, as errors begin.
func (f *File) line(key string) string {
	if f.Doc != nil {
		for _, m := range f.Doc.Members {
			if strings.EqualFold(m.Key, key) && m.Line > 0 {
				return fmt.Sprintf("line %d: ", m.Line)
			}
		}
	}
	return ""
}

// Published is the time of publication that the file gives its text, zero for
// none, and PublishTime when the text is to be published by itself. A date to come
// publishes a text unless that is a draft.
func (f *File) times(now time.Time) (published, publish api.Time) {
	if f.PublishAt != "" {
		if at, err := ParseTime(f.PublishAt); err == nil {
			publish = api.TimeOf(at)
		}
	}
	if f.Date == "" {
		return 0, publish
	}
	at, err := ParseTime(f.Date)
	switch {
	case err != nil:
		return 0, publish
	case at.After(now):
		if publish == 0 && !f.never && f.Status != api.PostArchived {
			publish = api.TimeOf(at)
		}
		return 0, publish
	case at.Unix() <= 0:
		return 0, publish // before there were web pages
	}
	return api.TimeOf(at), publish
}

// Scheduled is when the text is to publish by itself, zero for never.
func (f *File) Scheduled() api.Time {
	_, at := f.times(time.Now())
	return at
}

// Bytes is the file as it is on disk.
func (f *File) Bytes() ([]byte, error) {
	front, err := yaml.Marshal(f.Front)
	if err != nil {
		return nil, fmt.Errorf("write front matter: %w", err)
	}
	var b bytes.Buffer
	b.WriteString("---\n")
	b.Write(front)
	b.WriteString("---\n\n")
	b.WriteString(strings.TrimRight(f.Body, "\n"))
	b.WriteString("\n")
	return b.Bytes(), nil
}
