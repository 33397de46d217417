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

	"edgesvc.dev/svc/cli/internal/images"
	"edgesvc.dev/svc/cli/internal/postfile"
)

// maxFile bounds a file: the daemon takes one MiB of HTML.
const maxFile = 4 << 20

// source is one file of the folder.
type source struct {
	path string // below the folder, with slashes
	file *postfile.File
	slug string // what names the post unless the file has an id
	hash string // of the file and its images
	err  error  // why the file cannot be synced

	pictures []string // relative images
	omitted  []string // elements that rendering leaves out
}

// IsPost reports whether a file of this name is a post: Markdown or HTML, but
// no README and nothing that begins with _ or a dot.
func IsPost(name string) bool {
	base := strings.ToLower(path.Base(name))
	switch path.Ext(base) {
	case ".md", ".markdown", ".html", ".htm":
	default:
		return false
	}
	return base[0] != '_' && base[0] != '.' && !strings.HasPrefix(base, "readme.")
}

// Paths lists the posts below a folder in order, hidden folders left out.
func Paths(dir string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name != dir && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if entry.Type().IsRegular() && IsPost(entry.Name()) {
			relative, err := filepath.Rel(dir, name)
			if err != nil {
				return err
			}
			paths = append(paths, filepath.ToSlash(relative))
		}
		return nil
	})
	slices.Sort(paths)
	if err != nil {
		return nil, fmt.Errorf("read folder: %w", err)
	}
	return paths, nil
}

func readSources(dir string, folder *images.Folder) ([]*source, error) {
	paths, err := Paths(dir)
	if err != nil {
		return nil, err
	}
	sources := make([]*source, len(paths))
	for i, name := range paths {
		s := &source{path: name, slug: Slug(name)}
		s.err = s.read(dir, folder)
		sources[i] = s
	}
	refuseDoubles(sources)
	return sources, nil
}

func (s *source) read(dir string, folder *images.Folder) error {
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
	if s.file, err = postfile.Parse(s.path, b); err != nil {
		return err
	}
	if s.file.Slug != "" {
		s.slug = s.file.Slug
	}
	if err := s.check(); err != nil {
		return err
	}
	if s.file.Title == "" {
		s.file.Title = titleOf(s.slug)
	}
	sum := sha256.New()
	sum.Write(b)
	if s.pictures, s.omitted, err = s.file.Images(); err != nil {
		return err
	}
	for _, picture := range s.pictures {
		key, err := folder.Sum(path.Dir(s.path), picture)
		if err != nil {
			return err
		}
		sum.Write([]byte(key))
	}
	s.hash = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// slugPattern is what the daemon takes as a slug.
var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// check finds before anything is sent what the daemon would refuse.
func (s *source) check() error {
	switch {
	case !slugPattern.MatchString(s.slug) && s.file.ID == "":
		return fmt.Errorf("the slug %q may have lower-case letters, digits and single hyphens between them", s.slug)
	case strings.TrimSpace(s.file.Body) == "":
		return errors.New("the file has no text")
	}
	return nil
}

// refuseDoubles marks files that would be the same post.
func refuseDoubles(sources []*source) {
	first := map[string]*source{}
	for _, s := range sources {
		if s.err != nil {
			continue
		}
		key := "slug " + s.slug
		if s.file.ID != "" {
			key = "id " + s.file.ID
		}
		if other := first[key]; other != nil {
			s.err = fmt.Errorf("the %s is also that of %s", key, other.path)
			continue
		}
		first[key] = s
	}
}

// Slug is the slug that a file's name gives: a date in front, as Jekyll has
// it, is left out, and an index file is named by its folder.
func Slug(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if base == "index" && path.Dir(name) != "." {
		base = path.Base(path.Dir(name))
	}
	if len(base) > 11 && strings.Count(base[:11], "-") == 3 && strings.Trim(base[:11], "0123456789-") == "" {
		base = base[11:]
	}
	var b strings.Builder
	for _, r := range strings.ToLower(base) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	slug := strings.TrimRight(b.String(), "-")
	return slug[:min(len(slug), 100)]
}

func titleOf(slug string) string {
	words := []rune(strings.ReplaceAll(slug, "-", " "))
	if len(words) > 0 {
		words[0] = unicode.ToUpper(words[0])
	}
	return string(words)
}
