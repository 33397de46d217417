// Package postsync makes a team's posts say what a folder of files says. It
// plans first (what is new, changed, gone, or changed by others), applies the
// plan, and remembers in .svc/state.json what agreed. It prints nothing.
package postsync

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"edgesvc.dev/svc/cli/internal/images"
	"edgesvc.dev/svc/cli/internal/markup"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Action is what is to be done about a file.
type Action string

// The actions; Failed is a file that cannot be synced, Skip one that is not a text
// of the team.
const (
	Create  Action = "create"
	Update  Action = "update"
	Archive Action = "archive"
	Drift   Action = "drift"
	Pull    Action = "pull"     // what the server changed goes into the file
	Merge   Action = "merge"    // both changed it: each gets what the other did
	Clash   Action = "conflict" // both changed the same lines: the file gets both, marked
	Same    Action = "same"
	Skip    Action = "skip"
	Failed  Action = "error"
)

// Options say how to sync.
type Options struct {
	Dir     string
	URL     string
	Archive bool   // archive posts whose file is gone
	OnDrift string // fail, ours, theirs or merge
	Jobs    int    // how many posts are written at a time

	Static       []string // folders whose pictures the site has at its root
	Old          []string // addresses of the site that the texts come from
	SlugFromPath bool     // slugs have all folders of the file
	Strict       bool     // a link that leads nowhere is an error
	NeedImages   bool     // a picture that is not there is an error

	Export *Export // what to sync in place of a folder, nil for the folder

	// Progress hears how many of the changes are done.
	Progress func(done, total int)
	// Waiting hears that the daemon wants to be left alone for a while.
	Waiting func(time.Duration)
}

// Item is one line of the plan.
type Item struct {
	Action  Action
	Path    string
	Slug    string
	ID      string
	Changes []postfile.Change // what an update changes; what drifted
	Reason  string            // why it drifted, why it is passed over
	Done    bool              // it was applied
	Err     error

	// Notes are what readers will not see as the file has it.
	Notes []markup.Note
	// Unused are members of the front matter without a meaning, Lost those that
	// are not kept.
	Unused, Lost []string
	// PublishAt is when the text publishes by itself.
	PublishAt api.Time

	source *source
	post   *api.Post // whole, where it was needed
	text   []byte    // the file as it is to be after a pull or a merge
	base   []byte    // the file as it would be had only the server changed
}

// Texts is what a folder is synced with: the team's posts, which
// sdk.PostsService is, or something that passes for them.
type Texts interface {
	All(context.Context, api.PostQuery, ...sdk.CallOption) iter.Seq2[*api.Post, error]
	Source(ctx context.Context, id string, options ...sdk.CallOption) (*api.Post, error)
	Create(context.Context, api.PostCreate, ...sdk.CallOption) (*api.Post, error)
	Update(context.Context, api.PostPatch, ...sdk.CallOption) (*api.Post, error)
	Archive(context.Context, api.PostRef, ...sdk.CallOption) (*api.Post, error)
}

// Lacking is Texts that have no place for some of what files say: those members
// of the front matter are kept as metadata.
type Lacking interface{ Lacks() []string }

// Syncer syncs one folder with one team.
type Syncer struct {
	client *sdk.Client
	texts  Texts
	opt    Options
	teamID string
	slug   string // of the team
	state  *state
	team   *teamState
	folder *images.Folder
	index  *index

	authors map[string]string // names by the keys that texts use
	lacks   []string
	bases   map[string][]byte // files as they agreed with their posts, to be kept
}

// New reads the folder's state; Close is owed.
func New(ctx context.Context, c *sdk.Client, texts Texts, opt Options) (*Syncer, error) {
	me, err := c.Me(ctx)
	if err != nil {
		return nil, err
	}
	s := &Syncer{client: c, texts: texts, opt: opt, teamID: me.Team.ID, slug: me.Team.Slug, bases: map[string][]byte{}}
	if opt.Export == nil {
		s.authors = readAuthors(opt.Dir)
	}
	if l, ok := texts.(Lacking); ok {
		s.lacks = l.Lacks()
	}
	if s.state, err = readState(opt.state()); err != nil {
		return nil, err
	}
	s.team = s.state.team(s.teamID, opt.URL)
	if opt.Export != nil {
		s.folder, err = images.OpenArchive(s.team.Images, s.upload(ctx), opt.Export.Pictures)
		return s, err
	}
	s.folder, err = images.Open(opt.Dir, s.team.Images, s.upload(ctx), opt.Static...)
	return s, err
}

// Team is the slug of the team.
func (s *Syncer) Team() string { return s.slug }

// Close lets go of the folder.
func (s *Syncer) Close() error { return s.folder.Close() }

// remote is the team's posts without their content.
type remote struct {
	byID, bySlug, byOrigin map[string]*api.Post
}

func (s *Syncer) remote(ctx context.Context) (remote, error) {
	r := remote{map[string]*api.Post{}, map[string]*api.Post{}, map[string]*api.Post{}}
	for p, err := range s.texts.All(ctx, api.PostQuery{PageQuery: api.PageQuery{Limit: 100}}) {
		if err != nil {
			return r, err
		}
		r.byID[p.ID], r.bySlug[p.Slug] = p, p
		if origin := p.Metadata[postfile.MetadataPrefix+OriginKey]; origin != "" {
			r.byOrigin[origin] = p
		}
	}
	return r, nil
}

// Plan compares folder, state and team, and changes nothing.
func (s *Syncer) Plan(ctx context.Context) ([]*Item, error) {
	sources, err := s.sources()
	if err != nil {
		return nil, err
	}
	r, err := s.remote(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.prepare(sources, r); err != nil {
		return nil, err
	}
	items := make([]*Item, 0, len(sources))
	kept := map[string]bool{}
	for _, src := range sources {
		item := &Item{Path: src.path, Slug: src.slug, source: src, Notes: src.notes}
		if src.skip != "" {
			item.Action, item.Reason = Skip, src.skip
			items = append(items, item)
			continue
		}
		if src.file != nil {
			item.Unused, item.Lost, item.PublishAt = src.file.Unused, src.file.Lost, src.file.Scheduled()
		}
		if err := s.planFile(ctx, r, item); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			item.Action, item.Err = Failed, err
		}
		kept[item.ID] = true
		items = append(items, item)
	}
	return append(items, s.planGone(r, kept, sources)...), nil
}

// prepare finds out what a file needs to know of the others: its language, its
// slug, where its links lead.
func (s *Syncer) prepare(sources []*source, r remote) error {
	if s.opt.Export == nil {
		findLanguages(sources)
	}
	for _, src := range sources {
		if src.file != nil {
			s.ready(src, src.file)
		}
	}
	s.findRenamed(sources, r)
	slugs := map[string]string{}
	for name, last := range s.team.Posts {
		if post := r.byID[last.ID]; post != nil && s.opt.Export == nil {
			slugs[name] = post.Slug
		}
	}
	s.naturalSlugs(sources)
	assignSlugs(sources, slugs, s.opt.SlugFromPath)
	refuseDoubles(sources)
	var old []*url.URL
	for _, address := range s.opt.oldSites() {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" {
			return fmt.Errorf("%q is not an address of a site", address)
		}
		old = append(old, u)
	}
	s.folder.FromSites(slices.Concat(old, s.opt.pictureSites()))
	s.index = newIndex(sources, s.opt.Dir, s.slug, old, s.folder)
	s.index.export = s.opt.Export != nil
	s.index.pages, s.index.were = r.bySlug, map[string]string{}
	for _, src := range sources {
		if last := s.team.Posts[src.key()]; last.Slug != "" && last.Slug != src.slug {
			s.index.were[src.slug] = last.Slug
		}
	}
	s.redirects(sources)
	for _, src := range sources {
		if src.err == nil && src.skip == "" {
			src.err = s.finish(src)
		}
	}
	return nil
}

// ready gives a file what it has of its folder.
func (s *Syncer) ready(src *source, file *postfile.File) {
	file.ResolveAuthors(s.authors)
	file.Without(s.lacks)
	if src.language != "" && file.Locale == nil {
		language := src.language
		file.Locale = &language
	}
	if file.Title == "" {
		file.Title = titleOf(slugify(stem(src.path)))
	}
	if len(src.elsewhere) > 0 {
		var aliases []string
		if file.Aliases != nil {
			aliases = slices.Clone(*file.Aliases)
		}
		aliases = append(aliases, src.elsewhere...)
		file.Aliases = &aliases
	}
}

// findRenamed finds the files that were synced under another name: no other
// file has that name now, and what they say is the same.
func (s *Syncer) findRenamed(sources []*source, r remote) {
	present := map[string]bool{}
	for _, src := range sources {
		present[src.path] = true
	}
	gone := map[string]string{} // path by what the file said
	for _, name := range slices.Sorted(maps.Keys(s.team.Posts)) {
		last := s.team.Posts[name]
		if !present[name] && last.Bytes != "" && r.byID[last.ID] != nil {
			gone[last.Bytes] = name
		}
	}
	for _, src := range sources {
		if _, known := s.team.Posts[src.path]; !known && gone[src.bytes] != "" {
			src.gone = gone[src.bytes]
			delete(gone, src.bytes)
		}
	}
}

// redirects gives files the addresses that lead to them: those of the files that
// do nothing else, each to one file.
func (s *Syncer) redirects(sources []*source) {
	taken := map[string]*source{}
	for _, src := range sources {
		if src.err != nil || src.skip != "" || src.file.Aliases == nil {
			continue
		}
		var aliases []string
		for _, alias := range *src.file.Aliases {
			if other := taken[alias]; other != nil {
				src.notes = append(src.notes, markup.Note{Kind: markup.Link, What: alias + " (leads to " + other.path + ")"})
				continue
			}
			if src.entry != nil && alias == "/"+src.slug {
				continue // that is its address
			}
			taken[alias] = src
			aliases = append(aliases, alias)
		}
		src.file.Aliases = &aliases
	}
	for _, src := range sources {
		if src.file == nil || src.file.Elsewhere == "" || src.err != nil {
			continue
		}
		to := s.index.follow(src)
		alias := "/" + plainPath(src.path)
		if to == nil || taken[alias] != nil || alias == "/"+to.slug {
			continue
		}
		taken[alias] = to
		var aliases []string
		if to.file.Aliases != nil {
			aliases = *to.file.Aliases
		}
		aliases = append(slices.Clone(aliases), alias)
		to.file.Aliases, to.elsewhere = &aliases, append(to.elsewhere, alias)
		src.skip = "leads to " + to.path + ", and its address with it"
	}
}

// finish makes the HTML of a file with its links, and finds its pictures.
func (s *Syncer) finish(src *source) error {
	sum := sha256.New()
	note := func(kind markup.Kind, what string) {
		if n := (markup.Note{Kind: kind, What: what}); !slices.Contains(src.notes, n) {
			src.notes = append(src.notes, n)
		}
	}
	place := func(dir, destination string) (string, error) {
		key, err := s.folder.Sum(dir, destination)
		sum.Write([]byte(key))
		if err == nil && !slices.Contains(src.pictures, key) {
			src.pictures = append(src.pictures, key)
		}
		return destination, err
	}
	html, notes, err := s.resolve(src, place, note)
	if err != nil {
		return err
	}
	for _, n := range notes {
		note(n.Kind, n.What)
	}
	src.html = html
	s.featured(src, place, note)
	sum.Write([]byte(src.bytes + src.slug + html))
	src.hash = hex.EncodeToString(sum.Sum(nil))
	for _, n := range src.notes {
		if s.opt.Strict && (n.Kind == markup.Link || n.Kind == markup.Fragment) {
			return fmt.Errorf("%sthe link %s leads nowhere", src.lineOf(n.What), n.What)
		}
		if s.opt.NeedImages && n.Kind == markup.Picture {
			return fmt.Errorf("%s%s", src.lineOf(n.What), n.What)
		}
	}
	return src.check()
}

// lineOf is where the file has a text, as errors begin.
func (s *source) lineOf(text string) string {
	if s.entry != nil {
		return ""
	}
	words := strings.Fields(text)
	for _, word := range words {
		if before, _, found := strings.Cut(string(s.file.Doc.Bytes()), word); found && len(word) > 4 {
			return fmt.Sprintf("line %d: ", 1+strings.Count(before, "\n"))
		}
	}
	return ""
}

// resolve is the text as HTML, each picture where place puts it. One that is not
// there is noted and left out.
func (s *Syncer) resolve(src *source, place func(dir, destination string) (string, error), note func(markup.Kind, string)) (string, []markup.Note, error) {
	return src.file.Finish(s.resolver(src, place, note))
}

func (s *Syncer) resolver(src *source, place func(dir, destination string) (string, error), note func(markup.Kind, string)) markup.Resolver {
	dir := path.Dir(src.path)
	image := func(destination string) (markup.Place, error) {
		if outside(destination) && !s.folder.Takes(destination) {
			s.stays(destination, note)
			return markup.Place{Address: destination}, nil
		}
		address, err := place(dir, destination)
		if m := new(images.Missing); errors.As(err, &m) {
			if outside(destination) {
				note(markup.Unfetched, m.Reason)
				return markup.Place{Address: destination}, nil
			}
			note(markup.Picture, m.Reason)
			return markup.Place{Drop: true}, nil
		}
		return markup.Place{Address: address}, err
	}
	return s.index.resolver(src, image, note)
}

// outside reports a picture that is on the web, or on this server, already.
func outside(destination string) bool {
	u, err := url.Parse(destination)
	return err == nil && (u.Scheme != "" || u.Host != "" || strings.HasPrefix(u.Path, "/media/med_"))
}

// featured drops a featured picture that is not there.
func (s *Syncer) featured(src *source, place func(dir, destination string) (string, error), note func(markup.Kind, string)) {
	img := src.file.Image
	if img == nil || img.URL == "" {
		return
	}
	if outside(img.URL) && !s.folder.Takes(img.URL) {
		s.stays(img.URL, note)
		return
	}
	_, err := place(path.Dir(src.path), img.URL)
	if m := new(images.Missing); errors.As(err, &m) {
		note(markup.Picture, m.Reason)
		src.file.Image = nil
	}
}

func (s *Syncer) planFile(ctx context.Context, r remote, item *Item) error {
	src := item.source
	if src.err != nil {
		return src.err
	}
	last, known := s.team.Posts[src.key()]
	if src.gone != "" {
		last, known = s.team.Posts[src.gone], true
	}
	post, err := s.match(r, src, last, known)
	switch {
	case err != nil:
		return err
	case post == nil && known:
		item.Action, item.Reason = Drift, "the post was deleted on the server"
		switch {
		case s.opt.OnDrift == "ours":
			item.Action = Create
		case src.entry != nil:
			item.Action = Skip
		}
		return nil
	case post == nil:
		item.Action = Create
		return nil
	}
	item.ID, item.Slug = post.ID, post.Slug
	if !known {
		last, known = s.renamed(post.ID)
	}
	known = known && last.ID == post.ID
	if known && last.Hash == src.hash && (last.Version == post.Version || src.entry != nil) { // what was imported may be edited
		item.Action = Same
		last.Bytes = src.bytes
		s.team.Posts[src.key()] = last // the file may have been renamed
		s.bases[src.bytes] = src.raw
		return nil
	}
	return s.compare(ctx, item, last, known)
}

// match finds a file's post: by id, else by what the state says of the path, else
// by slug.
func (s *Syncer) match(r remote, src *source, last synced, known bool) (*api.Post, error) {
	if src.file.ID != "" {
		if post := r.byID[src.file.ID]; post != nil {
			return post, nil
		}
		return nil, fmt.Errorf("%sthe front matter's id %s is not a post of this team", src.line("id"), src.file.ID)
	}
	if known && r.byID[last.ID] != nil {
		return r.byID[last.ID], nil
	}
	if post := r.byOrigin[src.origin()]; post != nil {
		return post, nil
	}
	if post := r.bySlug[src.slug]; post != nil {
		return post, nil
	}
	if post := r.bySlug[reserved(src.slug)]; post != nil && post.Title == src.file.Title {
		return post, nil
	}
	return nil, nil
}

// reserved is the slug that a text gets whose own the service needs for itself.
func reserved(slug string) string { return slug + "-page" }

// renamed finds what was synced with a post under another path.
func (s *Syncer) renamed(id string) (synced, bool) {
	for _, last := range s.team.Posts {
		if last.ID == id {
			return last, true
		}
	}
	return synced{}, false
}

// compare looks at the whole post, which only a file or post that changed
// needs.
func (s *Syncer) compare(ctx context.Context, item *Item, last synced, known bool) error {
	post, err := s.texts.Source(ctx, item.ID)
	if err != nil {
		return err
	}
	item.post = post
	if !known {
		if err := s.recognise(ctx, item.source, post); err != nil {
			return err
		}
	}
	file, content, err := s.render(item.source, s.uploaded, func(markup.Kind, string) {})
	if err != nil {
		return err
	}
	if _, item.Changes, err = file.Patch(post, &content); err != nil {
		return err
	}
	drifted := known && last.Remote != fingerprint(post, item.source.file.Status != "")
	if item.source.entry != nil {
		return s.compareEntry(item, known, drifted)
	}
	if drifted && len(item.Changes) == 0 && s.takes() && s.wanted(item.source, post) != "" {
		item.Changes = []postfile.Change{{Field: "slug", Old: post.Slug, New: item.source.natural}}
	}
	switch {
	case len(item.Changes) == 0:
		item.Action = Same
		s.remember(item.source, post)
	case !known:
		item.drift(s.opt.OnDrift, "the post exists, and this folder does not remember having synced it")
	case drifted:
		return s.join(item, last)
	default:
		item.Action = Update
	}
	return nil
}

func (i *Item) drift(on, reason string) {
	i.Reason = reason
	i.Action = map[string]Action{"ours": Update, "theirs": Pull}[on]
	if i.Action == "" {
		i.Action = Drift
	}
}

// planGone lists posts whose file is gone, where they are to be archived.
func (s *Syncer) planGone(r remote, kept map[string]bool, sources []*source) []*Item {
	present := map[string]bool{}
	for _, src := range sources {
		present[src.key()] = src.skip == ""
	}
	var items []*Item
	for _, name := range slices.Sorted(maps.Keys(s.team.Posts)) {
		last := s.team.Posts[name]
		post := r.byID[last.ID]
		if present[name] || kept[last.ID] || post == nil || post.Status == api.PostArchived {
			if !present[name] && (kept[last.ID] || post == nil) {
				delete(s.team.Posts, name) // renamed, or deleted on the server too
			}
			continue
		}
		if s.opt.Archive {
			items = append(items, &Item{Action: Archive, Path: name, Slug: post.Slug, ID: post.ID})
		}
	}
	return items
}

// render is the file as it is sent and its content, its pictures placed. A file
// that was renamed asks for the slug of its new name.
func (s *Syncer) render(src *source, place func(dir, destination string) (string, error), note func(markup.Kind, string)) (*postfile.File, string, error) {
	file, err := s.placed(src, place, note)
	if err != nil {
		return nil, "", err
	}
	html, _, err := s.resolve(src, place, note)
	return file, html, err
}

// placed is the file as it is sent, but for its content.
func (s *Syncer) placed(src *source, place func(dir, destination string) (string, error), note func(markup.Kind, string)) (*postfile.File, error) {
	file := *src.file // the paths stay in the file; only this copy has addresses
	if img := file.Image; img != nil && img.URL != "" && (!outside(img.URL) || s.folder.Takes(img.URL)) {
		address, err := place(path.Dir(src.path), img.URL)
		switch m := new(images.Missing); {
		case errors.As(err, &m) && outside(img.URL):
			note(markup.Unfetched, m.Reason)
		case errors.As(err, &m):
			file.Image = nil
		case err != nil:
			return nil, err
		default:
			file.Image = &postfile.Image{URL: address, Alt: img.Alt}
		}
	}
	if file.Slug != "" || src.gone != "" || src.entry != nil {
		file.Slug = src.slug
	}
	return &file, nil
}

// uploaded is the address of an image that is on the server already, or its
// path, which then counts as a difference.
func (s *Syncer) uploaded(dir, destination string) (string, error) {
	sum, err := s.folder.Sum(dir, destination)
	if err != nil {
		return "", err
	}
	if address := s.folder.Address(sum); address != "" {
		return address, nil
	}
	if outside(destination) {
		return destination + "#", nil // to be brought here
	}
	return destination, nil
}

// fingerprint is of what a file can say about a post. The status counts where
// the file says it, or where the post was archived.
func fingerprint(p *api.Post, status bool) string {
	image, author := "", ""
	if p.FeaturedImage != nil {
		image = p.FeaturedImage.URL + " " + p.FeaturedImage.Alt
	}
	if p.Author != nil {
		author = p.Author.Name
	}
	state := ""
	if status || p.Status == api.PostArchived {
		state = p.Status
	}
	b, err := json.Marshal([]any{p.Title, p.Slug, p.Content, p.Description, p.Tags, p.Locale, p.CanonicalURL, p.Metadata, image, state, author, p.Date, p.Aliases})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (s *Syncer) remember(src *source, post *api.Post) {
	s.team.Posts[src.key()] = synced{
		ID: post.ID, Slug: post.Slug, Hash: src.hash, Bytes: src.bytes, Version: post.Version,
		Remote: fingerprint(post, src.file.Status != ""),
	}
	s.bases[src.bytes] = src.raw
}
