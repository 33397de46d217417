// Package postfile is a post as a text file: YAML front matter and a body of
// Markdown, or of HTML where the name ends in .html. It turns files into what
// the API takes, posts into files, and knows neither folders nor the network.
package postfile

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"edgesvc.dev/svc/sdk/api"
)

// File is one post. A member of the front matter that is absent says nothing
// about the post: the post keeps what it has.
type File struct {
	Front
	Body string
	HTML bool // the body is HTML
}

// Front is the front matter. Members that it does not know are left alone, so
// that folders of other programs work.
type Front struct {
	ID           string             `yaml:"id,omitempty"`
	Title        string             `yaml:"title,omitempty"`
	Slug         string             `yaml:"slug,omitempty"`
	Description  *string            `yaml:"description,omitempty"`
	Tags         *Tags              `yaml:"tags,omitempty"`
	Status       string             `yaml:"status,omitempty"`
	Draft        *bool              `yaml:"draft,omitempty"`
	PublishAt    string             `yaml:"publishAt,omitempty"`
	Date         string             `yaml:"date,omitempty"`
	Locale       *string            `yaml:"locale,omitempty"`
	CanonicalURL *string            `yaml:"canonicalUrl,omitempty"`
	Image        *Image             `yaml:"image,omitempty"`
	Metadata     *map[string]string `yaml:"metadata,omitempty"`
}

// Tags is a list, or one string with commas.
type Tags []string

// UnmarshalYAML reads both forms.
func (t *Tags) UnmarshalYAML(b []byte) error {
	var list []string
	if err := yaml.Unmarshal(b, &list); err == nil {
		*t = clean(list)
		return nil
	}
	var text string
	if err := yaml.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("tags must be a list or a text with commas")
	}
	*t = clean(strings.Split(text, ","))
	return nil
}

func clean(tags []string) Tags {
	out := Tags{}
	for _, tag := range tags {
		if tag = strings.TrimSpace(tag); tag != "" {
			out = append(out, tag)
		}
	}
	return out
}

// Image is the featured image: an address or a relative path, alone or with
// its alternative text.
type Image struct {
	URL string `yaml:"url"`
	Alt string `yaml:"alt,omitempty"`
}

// UnmarshalYAML reads both forms.
func (i *Image) UnmarshalYAML(b []byte) error {
	if err := yaml.Unmarshal(b, &i.URL); err == nil {
		return nil
	}
	type plain Image
	return yaml.Unmarshal(b, (*plain)(i))
}

var fence = []byte("---")

// Parse reads the file of the given name. A Markdown file without a title in
// its front matter takes it from a first heading, which leaves the body.
func Parse(name string, b []byte) (*File, error) {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	f := &File{HTML: strings.EqualFold(path.Ext(name), ".html") || strings.EqualFold(path.Ext(name), ".htm")}
	front, body, found := split(b)
	if err := unread(b, found); err != nil {
		return nil, err
	}
	if found {
		if err := yaml.Unmarshal(front, &f.Front); err != nil {
			return nil, fmt.Errorf("front matter: %s", yaml.FormatError(err, false, false))
		}
	}
	f.Body = strings.TrimLeft(string(body), "\n")
	if f.Title == "" && !f.HTML {
		f.takeHeading()
	}
	return f, f.Check()
}

// split cuts the front matter off; a file without a closing fence has none.
func split(b []byte) (front, body []byte, found bool) {
	first, rest, ok := bytes.Cut(b, []byte("\n"))
	if !ok || !bytes.Equal(bytes.TrimRight(first, " \t"), fence) {
		return nil, b, false
	}
	for at := 0; at < len(rest); {
		line, _, more := bytes.Cut(rest[at:], []byte("\n"))
		next := at + len(line) + 1
		if bytes.Equal(bytes.TrimRight(line, " \t"), fence) {
			return rest[:at], rest[min(next, len(rest)):], true
		}
		if !more {
			break
		}
		at = next
	}
	return nil, b, false
}

// memberLine is the first line of front matter, as opposed to text after a rule.
var memberLine = regexp.MustCompile(`^[A-Za-z][\w-]*:(\s|$)`)

// unread refuses front matter that would come out as text.
func unread(b []byte, found bool) error {
	first, rest, _ := bytes.Cut(b, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	switch {
	case found:
		return nil
	case bytes.Equal(bytes.TrimSpace(first), []byte("+++")):
		return errors.New("front matter in TOML (+++) is not read; write it as YAML between two lines of ---")
	case bytes.Equal(bytes.TrimRight(first, " \t"), fence) && memberLine.Match(second):
		return errors.New("front matter has no closing line of ---")
	}
	return nil
}

func (f *File) takeHeading() {
	line, rest, _ := strings.Cut(f.Body, "\n")
	if title, ok := strings.CutPrefix(line, "# "); ok {
		f.Title = strings.TrimSpace(strings.TrimRight(title, "# "))
		f.Body = strings.TrimLeft(rest, "\n")
	}
}

// Check refuses members that are not of their kind, and writes the status as
// the API does.
func (f *File) Check() error {
	if f.Draft != nil && f.Status == "" {
		f.Status = api.PostPublished
		if *f.Draft {
			f.Status = api.PostDraft
		}
	}
	f.Status = strings.ToUpper(f.Status)
	switch f.Status {
	case "", api.PostDraft, api.PostPublished, api.PostArchived:
	default:
		return fmt.Errorf("status must be draft, published or archived, not %q", f.Status)
	}
	_, err := f.publishAt()
	return err
}

// publishAt is when a draft publishes by itself. A date that has passed only
// tells when the text was written.
func (f *File) publishAt() (api.Time, error) {
	if f.PublishAt != "" {
		at, err := parseTime(f.PublishAt)
		return api.TimeOf(at), err
	}
	if f.Date == "" {
		return 0, nil
	}
	at, err := parseTime(f.Date)
	if err != nil || f.Status == api.PostPublished || at.Before(time.Now()) {
		return 0, nil
	}
	return api.TimeOf(at), nil
}

func parseTime(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04:05 -0700", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.Parse(layout, s); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("a time is like 2026-12-01T09:00:00Z, not %q", s)
}

// Bytes is the file as it stands on disk.
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
