package postsync

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"edgesvc.dev/svc/cli/internal/frontmatter"
	"edgesvc.dev/svc/cli/internal/images"
	"edgesvc.dev/svc/cli/internal/markup"
	"edgesvc.dev/svc/cli/internal/postfile"
)

// OriginKey is the member of an entry that says where it comes from. As metadata
// it finds the post of an entry again, whoever imports it.
const OriginKey = "origin"

// Export is what another program wrote: texts in place of the files of a folder.
type Export struct {
	State string   // the file that remembers what was imported
	Sites []string // addresses of the site that the texts come from
	// PictureSites are other places where it kept its pictures.
	PictureSites []string
	Entries      []*Entry
	Pictures     images.Archive
}

// Entry is one text of an export.
type Entry struct {
	Key       string               // what it is called in every export of its site
	Name      string               // what people call it
	Members   []frontmatter.Member // as front matter has them
	HTML      string
	Addresses []string // where it was: paths, or queries such as ?p=12
	Draft     bool     // no date publishes it
	Page      bool     // it was a page of the site, not one of its posts
	Changes   []string // what is not as it was
	Skip      string   // why it is not a text of the team
	Err       error    // why it cannot be read
}

// state is the file that remembers what was synced.
func (o *Options) state() string {
	if o.Export != nil {
		return o.Export.State
	}
	return filepath.Join(o.Dir, stateFile)
}

func (o *Options) oldSites() []string {
	if o.Export == nil {
		return o.Old
	}
	return slices.Concat(o.Old, o.Export.Sites)
}

// pictureSites are the other places of the old site's pictures.
func (o *Options) pictureSites() []*url.URL {
	if o.Export == nil {
		return nil
	}
	var sites []*url.URL
	for _, address := range o.Export.PictureSites {
		if u, err := url.Parse(address); err == nil {
			sites = append(sites, u)
		}
	}
	return sites
}

// sources are the files of the folder, or the entries of the export.
func (s *Syncer) sources() ([]*source, error) {
	if s.opt.Export == nil {
		return readSources(s.opt.Dir, s.authors)
	}
	sources := make([]*source, len(s.opt.Export.Entries))
	for i, e := range s.opt.Export.Entries {
		src := &source{path: e.Name, entry: e, skip: e.Skip}
		sources[i] = src
		for _, what := range e.Changes {
			src.change(what)
		}
		if src.err = e.Err; src.err == nil && src.skip == "" {
			src.err = src.take()
		}
	}
	return sources, nil
}

// take is read for an entry.
func (s *source) take() error {
	e := s.entry
	b, err := json.Marshal([]any{e.Members, e.HTML, e.Draft})
	if err != nil {
		return fmt.Errorf("the entry: %w", err)
	}
	sum := sha256.Sum256(b)
	s.bytes = hex.EncodeToString(sum[:])
	members := append(slices.Clone(e.Members), frontmatter.Member{Key: OriginKey, Value: e.Key})
	if s.file, err = postfile.FromMembers(members, e.HTML); err != nil {
		return err
	}
	if e.Draft {
		s.file.KeepDraft()
	}
	if len(e.HTML) > maxFile {
		return fmt.Errorf("the text is larger than %d MiB", maxFile>>20)
	}
	if !readable(e.HTML) {
		s.skip = "has no text"
		return nil
	}
	s.parts = markup.Outline(e.HTML)
	return nil
}

// change notes what is not as it was.
func (s *source) change(what string) {
	s.notes = append(s.notes, markup.Note{Kind: markup.Change, What: what})
}

// key is what the state calls the source.
func (s *source) key() string {
	if s.entry != nil {
		return s.entry.Key
	}
	return s.path
}

func (s *source) keyOr(path string) string {
	if s != nil {
		return s.key()
	}
	return path
}

// origin is where an entry comes from, empty for a file.
func (s *source) origin() string {
	if s.entry != nil {
		return s.entry.Key
	}
	return ""
}

// compareEntry decides about an entry whose post says something else. What was
// edited after the import stays unless the entry changed too.
func (s *Syncer) compareEntry(item *Item, known, drifted bool) error {
	switch {
	case len(item.Changes) == 0:
		item.Action = Same
		s.remember(item.source, item.post)
		return nil
	case known && !drifted:
		item.Action = Update
		return nil
	case known:
		item.Reason = "the export changed, and the post too since it was imported"
	case item.post.Metadata[postfile.MetadataPrefix+OriginKey] == item.source.entry.Key:
		item.Reason = "the post was imported, and this folder does not remember it"
	default:
		item.Reason = "a post with this slug exists and is not of this export"
	}
	switch s.opt.OnDrift {
	case "ours":
		item.Action = Update
	case "theirs":
		item.Action, item.Changes, item.Reason = Same, nil, ""
		s.remember(item.source, item.post)
	default:
		item.Action = Drift
	}
	return nil
}

// late notes what is found out while an item is applied.
func (i *Item) late() func(markup.Kind, string) {
	return func(kind markup.Kind, what string) {
		if n := (markup.Note{Kind: kind, What: what}); kind == markup.Unfetched && !slices.Contains(i.Notes, n) {
			i.Notes = append(i.Notes, n)
			i.source.hash += "-unfetched" // asked for again
		}
	}
}

// stays notes a picture of an export that is shown from where it was.
func (s *Syncer) stays(address string, note func(markup.Kind, string)) {
	u, err := url.Parse(address)
	if err == nil && s.opt.Export != nil && u.Host != "" {
		note(markup.Stays, u.Host)
	}
}

// oldAddress is an address on the old site as it is found by: its path in lower
// case without slashes around it, and the query that names a text.
func oldAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	q := u.Query()
	for _, name := range []string{"p", "page_id"} {
		if id := q.Get(name); digits.MatchString(id) {
			return "?" + id
		}
	}
	return strings.ToLower(strings.Trim(u.Path, "/"))
}
