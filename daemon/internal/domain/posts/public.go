package posts

import (
	"cmp"
	"context"
	"slices"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// PublicQuery asks for a page of what the public may see.
type PublicQuery struct {
	Tag     string // "" for all
	Cursor  string
	Newer   bool // Cursor is that of PublicPosts.Newer
	Limit   int
	Content bool // with content
}

// PublicPosts is a page of them, with the cursors of the pages on both sides; ""
// where there is none. Newer may lead to an empty page.
type PublicPosts struct {
	Data         []api.Post
	Older, Newer string
}

// PublishedPosts lists public posts, the latest published first.
func (s *Service) PublishedPosts(ctx context.Context, team string, q PublicQuery) (out PublicPosts, err error) {
	tag := field.FoldTag(q.Tag)
	scope := "pub\x00" + tag
	p := kv.Page[record]{Index: "pub", Prefixes: [][]byte{kv.Key(tag)}}
	ask := api.PageQuery{Cursor: q.Cursor, Limit: q.Limit}
	if q.Newer {
		ask.Order = ascending
	}
	var page api.Page[api.Post]
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, table, team, scope, ask, p,
			func(id string, r *record) (api.Post, error) {
				if err := table.Whole(id, r); err != nil {
					return api.Post{}, err
				}
				if q.Content {
					return withContent(tx, team, r)
				}
				return *r.post(), nil
			})
		return err
	})
	if err != nil {
		return out, err
	}
	from := func(post api.Post, order string) string {
		return op.CursorFrom(team, table.Name(), scope, order, publicAt(&post))
	}
	out.Data = page.Data
	last := len(out.Data) - 1
	switch {
	case q.Newer:
		slices.Reverse(out.Data)
		out.Newer = page.NextCursor
		if last >= 0 {
			out.Older = from(out.Data[last], "")
		}
	default:
		out.Older = page.NextCursor
		if q.Cursor != "" && last >= 0 {
			out.Newer = from(out.Data[0], ascending)
		}
	}
	return out, nil
}

const ascending = "asc"

// publicAt is the place of a post in the order of publication.
func publicAt(p *api.Post) []byte { return kv.Key(kv.Uint64(uint64(p.PublishedAt)), p.ID) }

// AnyPublished reports whether the public may see any post.
func (s *Service) AnyPublished(ctx context.Context, team string) (any bool, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		found, err := table.List(tx, team, kv.Page[record]{Index: "pub", Prefixes: [][]byte{kv.Key("")}, Limit: 1, Skip: op.Unreadable})
		any = len(found.IDs) > 0
		return err
	})
	return any, err
}

// What is looked at to find posts about the same.
const (
	relatedTags = 4
	relatedEach = 6 // the newest posts of each tag
)

// Related returns public posts that share tags with p, those that share the most
// first, and the newest of them. It looks at the newest posts of the first few
// tags, so that it costs the same however many there are.
func (s *Service) Related(ctx context.Context, team string, p api.Post, limit int) (out []api.Post, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		var all []*api.Post
		shared := map[string]int{p.ID: 0}
		for _, tag := range p.Tags[:min(len(p.Tags), relatedTags)] {
			found, err := table.List(tx, team, kv.Page[record]{
				Index: "pub", Prefixes: [][]byte{kv.Key(field.FoldTag(tag))}, Limit: relatedEach, Skip: op.Unreadable,
			})
			if err != nil {
				return err
			}
			for _, r := range found.Records {
				other := r.post()
				if _, seen := shared[other.ID]; !seen {
					all = append(all, other)
				}
				shared[other.ID]++
			}
		}
		slices.SortStableFunc(all, func(a, b *api.Post) int {
			return cmp.Or(cmp.Compare(shared[b.ID], shared[a.ID]), cmp.Compare(b.PublishedAt, a.PublishedAt), cmp.Compare(a.ID, b.ID))
		})
		out = nil
		for _, other := range all[:min(len(all), limit)] {
			out = append(out, *other)
		}
		return nil
	})
	return out, err
}

// PublishedPost returns the public post with that slug; found is false for a
// draft as for one that does not exist.
func (s *Service) PublishedPost(ctx context.Context, team, slug string) (p api.Post, found bool, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		id, r, err := table.Find(tx, team, "slug", kv.Key(slug))
		if err == nil {
			err = table.Whole(id, r)
		}
		if missing(err) || err == nil && r.post().PublishedAt == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		found = true
		p, err = withContent(tx, team, r)
		return err
	})
	return p, found, err
}

// PublicAddress finds what was public under a slug; see text.Kind.Now.
func (s *Service) PublicAddress(ctx context.Context, team, slug string) (now string, gone bool, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) (err error) {
		now, gone, err = texts.Now(tx, team, slug, func(id string) (*api.Post, error) {
			r, err := stored(tx, team, id)
			if err != nil {
				return nil, err
			}
			return r.post(), nil
		})
		return err
	})
	return now, gone, err
}

// PublishedAround returns the posts published directly after and before p, nil
// where there is none.
func (s *Service) PublishedAround(ctx context.Context, team string, p api.Post) (newer, older *api.Post, err error) {
	at := publicAt(&p)
	err = s.store.View(ctx, func(tx kv.Tx) error {
		if newer, err = beside(tx, team, at, true); err != nil {
			return err
		}
		older, err = beside(tx, team, at, false)
		return err
	})
	return newer, older, err
}

func beside(tx kv.Tx, team string, at []byte, newer bool) (*api.Post, error) {
	res, err := table.List(tx, team, kv.Page[record]{
		Index: "pub", Prefixes: [][]byte{kv.Key("")}, After: at, Ascending: newer, Limit: 1,
		Skip: op.Unreadable,
	})
	if err != nil || len(res.IDs) == 0 {
		return nil, err
	}
	return res.Records[0].post(), table.Whole(res.IDs[0], res.Records[0])
}
