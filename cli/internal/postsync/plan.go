// Package postsync makes a team's posts say what a folder of files says. It
// plans first (what is new, changed, gone, or changed by others), applies the
// plan, and remembers in .svc/state.json what agreed. It prints nothing.
package postsync

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"

	"edgesvc.dev/svc/cli/internal/images"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Action is what is to be done about a file.
type Action string

// The actions; Failed is a file that cannot be synced.
const (
	Create  Action = "create"
	Update  Action = "update"
	Archive Action = "archive"
	Drift   Action = "drift"
	Pull    Action = "pull" // drift that overwrites the file
	Same    Action = "same"
	Failed  Action = "error"
)

// Options say how to sync.
type Options struct {
	Dir     string
	URL     string
	Archive bool   // archive posts whose file is gone
	OnDrift string // fail, ours or theirs
	Jobs    int    // how many posts are written at a time
}

// Item is one line of the plan.
type Item struct {
	Action  Action
	Path    string
	Slug    string
	ID      string
	Changes []postfile.Change // what an update changes; what drifted
	Reason  string            // why it drifted
	Done    bool              // it was applied
	Err     error

	// Omitted are the HTML elements of a Markdown file that posts do not take.
	Omitted []string

	source *source
	post   *api.Post // whole, where it was needed
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

// Syncer syncs one folder with one team.
type Syncer struct {
	client *sdk.Client
	texts  Texts
	opt    Options
	teamID string
	state  *state
	team   *teamState
	folder *images.Folder
}

// New reads the folder's state; Close is owed.
func New(ctx context.Context, c *sdk.Client, texts Texts, opt Options) (*Syncer, error) {
	me, err := c.Me(ctx)
	if err != nil {
		return nil, err
	}
	s := &Syncer{client: c, texts: texts, opt: opt, teamID: me.Team.ID}
	if s.state, err = readState(opt.Dir); err != nil {
		return nil, err
	}
	s.team = s.state.team(s.teamID, opt.URL)
	s.folder, err = images.Open(opt.Dir, s.team.Images, s.upload(ctx))
	return s, err
}

// Close lets go of the folder.
func (s *Syncer) Close() error { return s.folder.Close() }

// remote is the team's posts without their content.
type remote struct {
	byID, bySlug map[string]*api.Post
}

func (s *Syncer) remote(ctx context.Context) (remote, error) {
	r := remote{map[string]*api.Post{}, map[string]*api.Post{}}
	for p, err := range s.texts.All(ctx, api.PostQuery{}) {
		if err != nil {
			return r, err
		}
		r.byID[p.ID], r.bySlug[p.Slug] = p, p
	}
	return r, nil
}

// Plan compares folder, state and team, and changes nothing.
func (s *Syncer) Plan(ctx context.Context) ([]*Item, error) {
	sources, err := readSources(s.opt.Dir, s.folder)
	if err != nil {
		return nil, err
	}
	r, err := s.remote(ctx)
	if err != nil {
		return nil, err
	}
	items := make([]*Item, 0, len(sources))
	kept := map[string]bool{}
	for _, src := range sources {
		item := &Item{Path: src.path, Slug: src.slug, source: src}
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

func (s *Syncer) planFile(ctx context.Context, r remote, item *Item) error {
	src := item.source
	if src.err != nil {
		return src.err
	}
	item.Omitted = src.omitted
	last, known := s.team.Posts[src.path]
	post, err := s.match(r, src, last, known)
	switch {
	case err != nil:
		return err
	case post == nil && known:
		item.Action, item.Reason = Drift, "the post was deleted on the server"
		if s.opt.OnDrift == "ours" {
			item.Action = Create
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
	if known && last.Hash == src.hash && last.Version == post.Version {
		item.Action = Same
		s.team.Posts[src.path] = last // the file may have been renamed
		return nil
	}
	return s.compare(ctx, item, last, known)
}

// match finds a file's post: by id, else by slug, else by what the state says
// of the path.
func (s *Syncer) match(r remote, src *source, last synced, known bool) (*api.Post, error) {
	if src.file.ID != "" {
		if post := r.byID[src.file.ID]; post != nil {
			return post, nil
		}
		return nil, fmt.Errorf("the front matter's id %s is not a post of this team", src.file.ID)
	}
	if post := r.bySlug[src.slug]; post != nil {
		return post, nil
	}
	if known {
		return r.byID[last.ID], nil
	}
	return nil, nil
}

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
	content, err := s.render(item.source, s.uploaded)
	if err != nil {
		return err
	}
	if _, item.Changes, err = item.source.file.Patch(post, &content); err != nil {
		return err
	}
	drifted := known && last.Remote != fingerprint(post, item.source.file.Status != "")
	switch {
	case len(item.Changes) == 0:
		item.Action = Same
		s.remember(item.source, post)
	case !known:
		item.drift(s.opt.OnDrift, "the post exists, and this folder does not remember having synced it")
	case drifted:
		item.drift(s.opt.OnDrift, "the post was changed on the server since the last sync")
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
		present[src.path] = true
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

// render is the file's content, its images placed.
func (s *Syncer) render(src *source, place func(dir, destination string) (string, error)) (string, error) {
	dir := path.Dir(src.path)
	if img := src.file.Image; img != nil && postfile.Relative(img.URL) {
		address, err := place(dir, img.URL)
		if err != nil {
			return "", err
		}
		// The path stays in the file; only this run's copy has the address.
		file := *src.file
		file.Image = &postfile.Image{URL: address, Alt: img.Alt}
		src.file = &file
	}
	html, _, err := src.file.Render(func(destination string) (string, error) { return place(dir, destination) })
	return html, err
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
	return destination, nil
}

// fingerprint is of what a file can say about a post. The status counts where
// the file says it, or where the post was archived.
func fingerprint(p *api.Post, status bool) string {
	image := ""
	if p.FeaturedImage != nil {
		image = p.FeaturedImage.URL + " " + p.FeaturedImage.Alt
	}
	state := ""
	if status || p.Status == api.PostArchived {
		state = p.Status
	}
	b, err := json.Marshal([]any{p.Title, p.Slug, p.Content, p.Description, p.Tags, p.Locale, p.CanonicalURL, p.Metadata, image, state})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (s *Syncer) remember(src *source, post *api.Post) {
	s.team.Posts[src.path] = synced{
		ID: post.ID, Slug: post.Slug, Hash: src.hash, Version: post.Version,
		Remote: fingerprint(post, src.file.Status != ""),
	}
}
