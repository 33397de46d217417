package postsync

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"edgesvc.dev/svc/cli/internal/atomicfile"
	"edgesvc.dev/svc/cli/internal/markup"
	"edgesvc.dev/svc/cli/internal/merge"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// takes reports that changes of the server go into the files.
func (s *Syncer) takes() bool { return s.opt.OnDrift == "theirs" || s.opt.OnDrift == "merge" }

// naturalSlugs finds the slugs that files would have in a folder without state,
// where those matter.
func (s *Syncer) naturalSlugs(sources []*source) {
	copies := make([]*source, len(sources))
	for i, src := range sources {
		c := *src
		copies[i] = &c
	}
	assignSlugs(copies, nil, s.opt.SlugFromPath)
	for i, src := range sources {
		src.natural = copies[i].slug
	}
}

// wanted is the slug that a file has to name so that it leads to its post in a
// folder without state, empty where it does.
func (s *Syncer) wanted(src *source, post *api.Post) string {
	if src.file.Slug != "" || src.file.ID != "" || post.Slug == src.natural || post.Slug == reserved(src.natural) {
		return ""
	}
	return post.Slug
}

// again is the source with another file. The source itself stays as it is: others
// look at it.
func (s *Syncer) again(src *source, b []byte) (*source, error) {
	next := *src
	next.notes, next.pictures = nil, nil
	if err := next.parse(b); err != nil {
		return nil, err
	}
	if next.skip != "" {
		return nil, errors.New("the file " + next.skip)
	}
	s.ready(&next, next.file)
	return &next, nil
}

// pulled is a file as it is when it says what the post says, and what it still
// says otherwise.
func (s *Syncer) pulled(src *source, post *api.Post) ([]byte, []postfile.Change, error) {
	of := func(f *postfile.File) (*source, error) {
		c := *src
		c.file = f
		page, err := f.Page()
		if err == nil {
			c.parts = markup.Outline(page.HTML)
		}
		return &c, err
	}
	own, err := s.own(src)
	if err != nil {
		return nil, nil, err
	}
	p := postfile.Pull{
		Name: src.path, File: src.file, Post: post, Own: own, Slug: s.wanted(src, post),
		Ready: func(f *postfile.File) { s.ready(src, f) },
		Content: func(f *postfile.File) (string, error) {
			c, err := of(f)
			if err != nil {
				return "", err
			}
			html, _, err := s.resolve(c, s.uploaded, func(markup.Kind, string) {})
			return html, err
		},
		Differ: func(f *postfile.File, content string) ([]postfile.Change, error) {
			c := *src
			c.file = f
			file, err := s.placed(&c, s.uploaded, func(markup.Kind, string) {})
			if err != nil {
				return nil, err
			}
			if f.Slug != "" {
				file.Slug = f.Slug
			}
			_, changes, err := file.Patch(post, &content)
			return changes, err
		},
	}
	return p.Bytes()
}

// own puts the links and pictures of a file in place of the addresses that they
// have on the server.
func (s *Syncer) own(src *source) (func(string) (string, error), error) {
	back := map[string]string{}
	note := func(address, dest string) {
		if back[address] == "" && address != dest && !strings.HasPrefix(dest, "ref:") {
			back[address] = dest
		}
	}
	r := s.resolver(src, s.uploaded, func(markup.Kind, string) {})
	_, _, err := src.file.Finish(markup.Resolver{
		Link: func(dest string) markup.Place {
			place := r.Link(dest)
			if !place.Drop {
				note(place.Address, dest)
				slug, _, _ := strings.Cut(place.Address, "#")
				if then := s.index.were[slug]; then != "" {
					note(strings.Replace(place.Address, slug, then, 1), dest)
				}
			}
			return place
		},
		Image: func(dest string) (markup.Place, error) {
			place, err := r.Image(dest)
			if err == nil && !place.Drop {
				note(place.Address, dest)
			}
			return place, err
		},
	})
	if img := src.file.Image; img != nil && img.URL != "" && !outside(img.URL) && err == nil {
		if file, err := s.placed(src, s.uploaded, func(markup.Kind, string) {}); err == nil {
			note(file.Image.URL, img.URL)
		}
	}
	there := func(address string) markup.Place {
		if dest := back[address]; dest != "" {
			address = dest
		}
		return markup.Place{Address: address}
	}
	return func(html string) (string, error) {
		out, _, err := markup.Finish(html, markup.Resolver{Link: there, Image: func(src string) (markup.Place, error) { return there(src), nil }}, true)
		return out, err
	}, err
}

// Names of the sides of a conflict.
const (
	mineName   = "this file"
	theirsName = "the server"
)

// join decides about a text that was changed on the server: where its file was
// changed too, and the file is known as it was before, both changes are joined.
func (s *Syncer) join(item *Item, last synced) error {
	const changed = "the post was changed on the server since the last sync"
	src := item.source
	touched := last.Bytes != "" && src.bytes != last.Bytes
	switch {
	case s.opt.OnDrift == "ours" || s.opt.OnDrift == "theirs", !touched && s.opt.OnDrift == "fail", last.Bytes == "" && s.opt.OnDrift == "fail":
		item.drift(s.opt.OnDrift, changed)
		return nil
	case !touched && last.Bytes != "":
		item.drift("theirs", changed)
		return nil
	}
	base := s.base(last.Bytes)
	if base == nil {
		item.drift("fail", changed+", and what it said before is not known here")
		return nil
	}
	before, err := s.again(src, base)
	if err != nil {
		item.drift("fail", changed)
		return nil //nolint:nilerr // the file of before is of no use, and this one is fine
	}
	theirs, _, err := s.pulled(before, item.post)
	if err != nil {
		return err
	}
	joined := merge.Of(lines(base), lines(src.raw), lines(theirs))
	item.base = theirs
	if joined.Clean() {
		item.text = like(src.raw, joined.Theirs())
		if next, err := s.again(src, item.text); err == nil {
			item.Action, item.Reason = Merge, "both were changed, in different places"
			return s.merged(item, next)
		}
	}
	item.Action, item.Reason = Drift, "the file and the post were both changed, in the same place"
	if s.opt.OnDrift == "merge" {
		item.Action, item.text = Clash, like(src.raw, joined.Marked(mineName, theirsName))
	}
	return nil
}

// merged notes what a joined text changes on the server.
func (s *Syncer) merged(item *Item, next *source) error {
	file, content, err := s.render(next, s.uploaded, func(markup.Kind, string) {})
	if err == nil {
		_, item.Changes, err = file.Patch(item.post, &content)
	}
	return err
}

// lines is a text whose lines end in \n alone.
func lines(b []byte) string { return strings.ReplaceAll(string(b), "\r\n", "\n") }

// like gives a text the line ends of a file.
func like(file []byte, text string) []byte {
	if strings.Contains(string(file), "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(text)
}

// pull writes what the server changed into the file. Members of the front matter
// that the post does not know are the author's: the post gets them.
func (s *Syncer) pull(ctx context.Context, item *Item) (*api.Post, error) {
	text, left, err := s.pulled(item.source, item.post)
	if err != nil {
		return nil, err
	}
	if err := s.rewrite(item, text); err != nil {
		return nil, err
	}
	return s.follow(ctx, item, left)
}

// follow gives the post what it cannot know: members of the front matter that are
// the author's, the day where it has none, and links to texts that have other addresses now.
func (s *Syncer) follow(ctx context.Context, item *Item, left []postfile.Change) (*api.Post, error) {
	file, content, err := s.render(item.source, s.uploaded, func(markup.Kind, string) {})
	if err != nil || len(left) == 0 {
		return item.post, err
	}
	patch, _, err := file.Patch(item.post, &content)
	if err != nil {
		return nil, err
	}
	only := api.PostPatch{PostRef: api.PostRef{ID: item.post.ID, IfMatch: item.post.Version}}
	only.Metadata = patch.Metadata
	if item.post.Date == 0 {
		only.PublishedAt = patch.PublishedAt
	}
	if patch.Content.Set {
		own, err := s.own(item.source)
		if err != nil {
			return nil, err
		}
		have, err := own(item.post.Content)
		if err != nil {
			return nil, err
		}
		if want, err := own(content); err == nil && markup.Same(have, want) {
			only.Content = patch.Content
		}
	}
	if !only.Metadata.Set && !only.Content.Set && !only.PublishedAt.Set {
		return item.post, nil
	}
	return s.texts.Update(ctx, only, sdk.IdempotencyKey(s.key(item, "pull")))
}

// merge writes the joined text into the file, and sends it.
func (s *Syncer) merge(ctx context.Context, item *Item) (*api.Post, error) {
	if err := s.rewrite(item, item.text); err != nil {
		return nil, err
	}
	return s.update(ctx, item)
}

// clash writes both sides into the file. The server's counts as seen, so that the
// file is sent once its author has chosen.
func (s *Syncer) clash(_ context.Context, item *Item) (*api.Post, error) {
	return item.post, s.writeFile(item, item.text)
}

func (s *Syncer) seen(item *Item, post *api.Post) {
	name := item.Path
	if gone := item.source.gone; gone != "" {
		delete(s.team.Posts, gone)
	}
	s.team.Posts[name] = synced{ID: post.ID, Slug: post.Slug, Bytes: sumOf(item.base), Version: post.Version, Remote: fingerprint(post, item.source.file.Status != "")}
	s.bases[sumOf(item.base)] = item.base
}

func (s *Syncer) writeFile(item *Item, text []byte) error {
	return atomicfile.Write(filepath.Join(s.opt.Dir, filepath.FromSlash(item.Path)), text, 0o644)
}

// rewrite gives an item another file.
func (s *Syncer) rewrite(item *Item, text []byte) error {
	next, err := s.again(item.source, text)
	if err != nil {
		return err
	}
	if err := s.writeFile(item, text); err != nil {
		return err
	}
	item.source = next
	return s.finish(next)
}
