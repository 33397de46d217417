package postsync

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"

	"edgesvc.dev/svc/cli/internal/markup"
	"edgesvc.dev/svc/cli/internal/merge"
	"edgesvc.dev/svc/cli/internal/postfile"
)

const (
	maxFile    = 4 << 20 // bytes of a file
	maxContent = 1 << 20 // bytes of HTML that the daemon takes
)

// source is one file of the folder.
type source struct {
	path  string // below the folder, with slashes; of an entry, its name
	entry *Entry // of an export, nil for a file
	file  *postfile.File
	slug  string // what names the post unless the file has an id
	err   error  // why the file cannot be synced
	skip  string // why the file is not a text of the team

	language    string // the language of its folder, empty for none
	languageDir string
	base        bool // that language is the site's own

	raw       []byte        // the file
	bytes     string        // its SHA-256
	hash      string        // of all that its post is made from
	parts     []markup.Part // where links into it lead
	html      string        // the text as it is sent, its pictures as they are in the file
	notes     []markup.Note
	pictures  []string // SHA-256 of those that are there
	elsewhere []string // addresses that lead to it for the sake of other files
	natural   string   // the slug that it would have in a folder without state
	gone      string   // the path under which it was synced before it was renamed
}

// line is where a member of the front matter is, as errors begin.
func (s *source) line(key string) string {
	for _, m := range s.file.Doc.Members {
		if strings.EqualFold(m.Key, key) && m.Line > 0 {
			return fmt.Sprintf("line %d: ", m.Line)
		}
	}
	return ""
}

// endings of the files that are texts, and of those that a person could take for
// some.
var (
	texts  = []string{".md", ".markdown", ".mdown", ".mkd", ".mdx", ".html", ".htm"}
	others = map[string]string{
		".json": "is data, not a text; exports of other programs are read by svcctl post import", ".xml": "is data, not a text; exports of other programs are read by svcctl post import",
		".rst": "is reStructuredText, not Markdown or HTML", ".adoc": "is AsciiDoc, not Markdown or HTML", ".asciidoc": "is AsciiDoc, not Markdown or HTML", ".org": "is Org, not Markdown or HTML",
		".ipynb": "is a notebook, not Markdown or HTML",
	}
	// templates are folders of generators that hold no texts.
	templates = []string{"node_modules", "_includes", "_layouts", "_sass", "_site", "_partials", "_plugins"}
)

func isText(name string) bool { return slices.Contains(texts, strings.ToLower(path.Ext(name))) }

// IsPost reports whether a file of this name is a post: Markdown or HTML, but
// no README of the folder and nothing that begins with _ or a dot.
func IsPost(name string) bool { return isText(name) && passed(name) == "" }

// passed is why a file of that name is not a text, empty where it is one.
func passed(name string) string {
	base := strings.ToLower(path.Base(name))
	switch {
	case strings.HasPrefix(base, "."):
		return "is a hidden file"
	case strings.HasPrefix(base, "_") && !strings.HasPrefix(base, "_index."):
		return "is part of other texts: its name begins with _"
	case strings.HasPrefix(base, "readme.") && path.Dir(name) == ".":
		return "describes the folder; name it index to have it as a text"
	}
	return ""
}

// Paths lists the posts below a folder in order, hidden folders left out.
func Paths(dir string) ([]string, error) {
	all, err := walk(dir)
	return slices.DeleteFunc(all, func(name string) bool { return !IsPost(name) }), err
}

// walk lists the files of a folder that are texts or could be taken for some.
func walk(dir string) ([]string, error) {
	ignore, err := readIgnored(dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		switch {
		case entry.IsDir() && relative != "." && (strings.HasPrefix(entry.Name(), ".") || slices.Contains(templates, entry.Name()) || ignore.has(relative)):
			return fs.SkipDir
		case entry.IsDir() || !entry.Type().IsRegular() || ignore.has(relative):
		case isText(relative) || others[strings.ToLower(path.Ext(relative))] != "":
			paths = append(paths, relative)
		}
		return nil
	})
	slices.Sort(paths)
	if err != nil {
		return nil, fmt.Errorf("read folder: %w", err)
	}
	return paths, nil
}

// readSources reads every file by itself: what it says, without what it needs to
// know of the others.
func readSources(dir string, authors map[string]string) ([]*source, error) {
	paths, err := walk(dir)
	if err != nil {
		return nil, err
	}
	sources := make([]*source, len(paths))
	for i, name := range paths {
		s := &source{path: name}
		sources[i] = s
		if s.skip = others[strings.ToLower(path.Ext(name))]; s.skip == "" {
			s.skip = passed(name)
		}
		if s.skip == "" && strings.HasPrefix(strings.ToLower(path.Base(name)), "readme.") && hasIndex(paths, path.Dir(name)) {
			s.skip = "describes its folder, which has an index"
		}
		if s.skip != "" {
			continue
		}
		if s.err = s.read(dir); s.err == nil {
			s.file.ResolveAuthors(authors)
		}
	}
	return sources, nil
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func hasIndex(paths []string, dir string) bool {
	return slices.ContainsFunc(paths, func(name string) bool {
		return path.Dir(name) == dir && isIndex(name) && !strings.HasPrefix(strings.ToLower(path.Base(name)), "readme.")
	})
}

// readAuthors are the names of a site's authors by the keys that its texts use.
func readAuthors(dir string) map[string]string {
	known := map[string]string{}
	for _, name := range []string{"authors.yml", "authors.yaml", "_data/authors.yml", "../_data/authors.yml"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(b) > maxFile {
			continue
		}
		var all map[string]struct {
			Name string `yaml:"name"`
		}
		if yaml.Unmarshal(b, &all) != nil {
			continue
		}
		for key, author := range all {
			known[key] = author.Name
		}
	}
	return known
}

func (s *source) read(dir string) error {
	name := filepath.Join(dir, filepath.FromSlash(s.path))
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.Size() > maxFile {
		return fmt.Errorf("the file is larger than %d MiB", maxFile>>20)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return s.parse(b)
}

// parse reads the file that b is.
func (s *source) parse(b []byte) (err error) {
	s.raw, s.bytes = b, sumOf(b)
	if line := merge.Unsolved(string(b), mineName); line > 0 {
		return fmt.Errorf("line %d: both sides changed these lines; keep what is right, and remove the marks", line)
	}
	if s.file, err = postfile.Parse(s.path, b); err != nil {
		return err
	}
	if slices.Contains(strings.Split(path.Dir(s.path), "/"), "_drafts") {
		s.file.KeepDraft()
	}
	if s.file.Elsewhere == "" && s.file.HTML {
		s.file.Elsewhere = refreshed(s.file.Doc.Body)
	}
	if s.file.Elsewhere != "" {
		s.skip = "leads to " + s.file.Elsewhere
		return nil
	}
	if strings.TrimSpace(s.file.Body) == "" {
		s.skip = "has no text"
		return nil
	}
	page, err := s.file.Page()
	if err != nil {
		return err
	}
	if !readable(page.HTML) {
		s.skip = "has no text but marks of another program"
		return nil
	}
	s.parts = markup.Outline(page.HTML)
	return nil
}

var refresh = regexp.MustCompile(`(?is)<meta\s[^>]*http-equiv=["']?refresh["']?[^>]*content=["']?\s*\d+\s*;\s*url=['"]?([^"'>\s]+)`)

// refreshed is where a page leads that does nothing else.
func refreshed(body string) string {
	if m := refresh.FindStringSubmatch(body); m != nil {
		return m[1]
	}
	return ""
}

var anyTag = regexp.MustCompile(`(?s)<!--.*?-->|<(?:script|style)\b.*?</(?:script|style)>|<[^>]*>`)

// readable reports that something is left when the tags are gone, or a picture.
func readable(html string) bool {
	return strings.TrimSpace(anyTag.ReplaceAllString(html, "")) != "" || strings.Contains(html, "<img")
}

// check finds before anything is sent what the daemon would refuse.
func (s *source) check() error {
	if len(s.html) > maxContent {
		return fmt.Errorf("the text is %d KiB of HTML; at most %d KiB are taken", len(s.html)>>10, maxContent>>10)
	}
	return nil
}

// refuseDoubles marks files that would be the same post.
func refuseDoubles(sources []*source) {
	first := map[string]*source{}
	for _, s := range sources {
		if s.err != nil || s.skip != "" || s.file.ID == "" {
			continue
		}
		if other := first[s.file.ID]; other != nil {
			s.err = errors.New(s.line("id") + "the id " + s.file.ID + " is also that of " + other.path)
			continue
		}
		first[s.file.ID] = s
	}
}

func titleOf(slug string) string {
	words := []rune(strings.ReplaceAll(slug, "-", " "))
	if len(words) > 0 {
		words[0] = unicode.ToUpper(words[0])
	}
	return string(words)
}
