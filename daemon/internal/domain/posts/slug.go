package posts

import (
	"edgesvc.dev/svc/daemon/internal/slug"
	"edgesvc.dev/svc/kv"
)

var slugs = slug.Names{
	Noun: "post", Counter: "postSlug",
	Reserved: []string{"jobs", "batch", "by-slug", "tag", "tags", "feed", "feed-xml", "sitemap", "index", "new", "edit", "media", "help"},
}

// insert stores a new post. A derived slug that is taken gives way to a
// numbered one, in the record that is returned; one that was asked for is
// refused.
func insert(tx kv.Tx, team string, r *record, derived bool) (*record, error) {
	p := *r.post()
	err := table.Insert(tx, team, p.ID, r)
	if _, taken := slug.Taken(err); !taken {
		return r, err
	}
	if !derived {
		return r, slug.Refuse(tx, slugs, table, team, err)
	}
	if p.Slug, err = slug.Next(tx, slugs, table, team, p.Slug); err != nil {
		return r, err
	}
	if r, err = r.with(p); err != nil {
		return r, err
	}
	return r, table.Insert(tx, team, p.ID, r)
}

// put replaces a post.
func put(tx kv.Tx, team, id string, r *record) error {
	return slug.Refuse(tx, slugs, table, team, table.Put(tx, team, id, r))
}
