// Package substack reads Substack's exports: a list of posts and a file of HTML for
// each of them.
package substack

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/exported"
	"edgesvc.dev/svc/cli/internal/postsync"
)

const (
	maxList = 256 << 20 // bytes of the list
	maxText = 16 << 20  // bytes of one post
	maxRows = 200_000
)

// row is one post of the list.
type row struct {
	id, slug, file                  string
	at                              time.Time
	published                       bool
	kind, audience, title, subtitle string
	podcast                         string
}

// Read reads an export: the zip, or the folder that it was unpacked to.
func Read(files fs.FS, site string) (*postsync.Export, []string, error) {
	rows, err := list(files)
	if err != nil {
		return nil, nil, err
	}
	texts := map[*row]string{}
	failed := map[*row]error{}
	for _, r := range rows {
		b, err := read(files, r.file, maxText)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		texts[r] = string(b)
		if err != nil {
			failed[r] = err
		}
	}
	var notes []string
	if site == "" {
		if site = guessSite(rows, texts); site != "" {
			notes = append(notes, "the old site is taken to be "+site+", by the links between its posts; --old-site says another")
		}
	}
	out := &postsync.Export{}
	if site != "" {
		out.Sites = []string{site}
	}
	for _, r := range rows {
		e := entry(r, texts[r])
		if err := failed[r]; err != nil && e.Err == nil {
			e.Err = fmt.Errorf("%s: %w", r.file, err)
		}
		out.Entries = append(out.Entries, e)
	}
	return out, append(notes, others(files, rows)...), nil
}

func read(files fs.FS, name string, most int64) ([]byte, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(b)) > most {
		return nil, fmt.Errorf("is larger than %d MiB", most>>20)
	}
	return b, err
}

// list reads posts.csv.
func list(files fs.FS) ([]*row, error) {
	b, err := read(files, "posts.csv", maxList)
	if err != nil {
		return nil, fmt.Errorf("posts.csv: %w", err)
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(b), "\ufeff")))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	head, err := r.Read()
	if err != nil {
		return nil, errors.New("posts.csv is empty; export again (in Substack: Settings, Exports)")
	}
	at := map[string]int{}
	for i, name := range head {
		at[strings.ToLower(strings.TrimSpace(name))] = i
	}
	if _, ok := at["post_id"]; !ok {
		return nil, errors.New("posts.csv has no column post_id: it is not Substack's")
	}
	var rows []*row
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("posts.csv: %w", err)
		}
		if len(rows) == maxRows {
			return nil, fmt.Errorf("posts.csv has more than %d posts", maxRows)
		}
		rows = append(rows, newRow(func(column string) string {
			if i, ok := at[column]; ok && i < len(record) {
				return strings.TrimSpace(record[i])
			}
			return ""
		}))
	}
}

func newRow(column func(string) string) *row {
	whole := column("post_id")
	id, slug, _ := strings.Cut(whole, ".")
	r := &row{id: id, slug: slug, file: "posts/" + whole + ".html", kind: column("type"), audience: column("audience"), title: column("title"), subtitle: column("subtitle"), podcast: column("podcast_url")}
	if slug == "" {
		r.file = "posts/" + id + ".html"
	}
	r.published = strings.EqualFold(column("is_published"), "true")
	if at, err := time.Parse(time.RFC3339, column("post_date")); err == nil {
		r.at = at
	}
	return r
}

var ownLink = regexp.MustCompile(`https?://([\w.-]+)/p/([\w-]+)`)

// guessSite is the host to which the posts link as to themselves.
func guessSite(rows []*row, texts map[*row]string) string {
	slugs := map[string]bool{}
	for _, r := range rows {
		slugs[r.slug] = r.slug != ""
	}
	count := map[string]int{}
	best := ""
	for _, r := range rows {
		for _, m := range ownLink.FindAllStringSubmatch(texts[r], -1) {
			if host := strings.ToLower(m[1]); slugs[m[2]] && host != "open.substack.com" {
				if count[host]++; best == "" || count[host] > count[best] {
					best = host
				}
			}
		}
	}
	if best == "" {
		return ""
	}
	return "https://" + best
}

func entry(r *row, text string) *postsync.Entry {
	slug := r.slug
	if slug == "" {
		slug = postsync.Slug(r.title + ".md")
	}
	if slug == "" {
		slug = "post-" + r.id
	}
	e := &postsync.Entry{Key: "substack:" + r.id, Name: slug, Page: r.kind == "page", Draft: true}
	if e.Page {
		e.Name = "pages/" + slug
	}
	var changes exported.Changes
	var m exported.Members
	title := r.title
	if title == "" {
		title = slug
	}
	m.Add("title", title)
	m.Add("slug", slug)
	switch {
	case !r.published:
	case r.audience == "" || r.audience == "everyone":
		e.Draft = false
		m.Add("draft", false)
	default:
		changes.Add("posts that not everybody could read became drafts (" + strings.ReplaceAll(r.audience, "_", " ") + ")")
		m.Add("audience", r.audience)
	}
	if r.published && !r.at.IsZero() {
		m.Add("date", r.at.UTC().Format(time.RFC3339))
	} else if !r.at.IsZero() {
		m.Add("created_on", r.at.UTC().Format(time.RFC3339))
	}
	m.Add("description", r.subtitle)
	if r.kind == "thread" {
		changes.Add("threads became posts; what readers wrote is not in the export")
	}
	if r.slug != "" {
		e.Addresses = []string{"/p/" + r.slug}
		m.Add("aliases", exported.List(e.Addresses))
	}
	body, err := content(r, text, &changes)
	if err != nil {
		e.Err = fmt.Errorf("its text cannot be read: %w", err)
	}
	e.HTML, e.Members, e.Changes = body, m, changes
	return e
}

// others says once what of the export is not imported.
func others(files fs.FS, rows []*row) []string {
	known := map[string]bool{"posts.csv": true}
	for _, r := range rows {
		known[r.file] = true
	}
	count := map[string]int{}
	var kinds []string
	_ = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error { // what cannot be read has no name
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != "." {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || known[name] || strings.HasPrefix(path.Base(name), ".") {
			return nil
		}
		kind := kindOf(name)
		if count[kind]++; count[kind] == 1 {
			kinds = append(kinds, kind)
		}
		return nil
	})
	slices.Sort(kinds)
	var parts []string
	for _, kind := range kinds {
		parts = append(parts, fmt.Sprintf("%s (%d)", kind, count[kind]))
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"not imported: " + strings.Join(parts, ", ")}
}

func kindOf(name string) string {
	base := path.Base(name)
	switch {
	case strings.HasSuffix(base, ".delivers.csv"), strings.HasSuffix(base, ".opens.csv"):
		return "records of mails"
	case strings.Contains(base, "email_list"), strings.Contains(base, "subscriber"):
		return "lists of subscribers"
	case strings.HasSuffix(base, ".html"):
		return "texts that posts.csv does not have"
	}
	return "other files"
}
