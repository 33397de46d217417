package posts

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// PublicQuery asks for a page of what the public may see.
type PublicQuery struct {
	Tag     string // "" for all
	Cursor  string
	Limit   int
	Content bool // with content
}

// PublishedPosts lists public posts, the latest published first.
func (s *Service) PublishedPosts(ctx context.Context, team string, q PublicQuery) (page api.Page[api.Post], err error) {
	tag := field.FoldTag(q.Tag)
	p := kv.Page[record]{Index: "pub", Prefixes: [][]byte{kv.Key(tag)}}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, table, team, "pub\x00"+tag, api.PageQuery{Cursor: q.Cursor, Limit: q.Limit}, p,
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
	return page, err
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
	at := kv.Key(kv.Uint64(uint64(p.PublishedAt)), p.ID)
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
	})
	if err != nil || len(res.IDs) == 0 {
		return nil, err
	}
	return res.Records[0].post(), table.Whole(res.IDs[0], res.Records[0])
}
