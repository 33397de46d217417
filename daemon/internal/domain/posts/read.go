package posts

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/text"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Get returns a post with its content.
func (s *Service) Get(ctx context.Context, who op.Caller, in api.TextGet) (out op.Encoded[api.Post], err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		r, err := table.Get(tx, who.Team, in.ID)
		if err != nil {
			return err
		}
		out, err = r.answer(tx, who.Team, in.ID, in.Include == text.Source)
		return err
	})
	return out, err
}

// GetBySlug returns the post with that slug.
func (s *Service) GetBySlug(ctx context.Context, who op.Caller, in api.TextSlug) (out op.Encoded[api.Post], err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		id, r, err := table.Find(tx, who.Team, "slug", kv.Key(in.Slug))
		if err != nil {
			return err
		}
		out, err = r.answer(tx, who.Team, id, in.Include == text.Source)
		return err
	})
	return out, err
}

func (r *record) answer(tx kv.Tx, team, id string, source bool) (out op.Encoded[api.Post], err error) {
	out.Of.Version = r.Version
	out.JSON, err = r.whole(tx, team, id, source)
	return out, err
}

// List returns a page of posts in the order of their creation, or of what a
// search is for.
func (s *Service) List(ctx context.Context, who op.Caller, in api.PostQuery) (out op.Encoded[api.Page[api.Post]], err error) {
	if in.Q != "" {
		return s.ranked(ctx, who, in)
	}
	p := pageOf(&in)
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err := op.List(tx, table, who.Team, scopeOf(&in), in.PageQuery, p, func(id string, r *record) ([]byte, error) {
			return r.listed(tx, who.Team, id, in.Include)
		})
		out.JSON = pageJSON(&page)
		return err
	})
	return out, err
}

// scopeOf is what a list is of: its cursors are for no other.
func scopeOf(in *api.PostQuery) string {
	return strings.Join([]string{in.Status, in.Tag, in.Model, in.CreatedAfter.String(), in.CreatedBefore.String(), in.Q}, "\x00")
}

// listed is a post as a list has it.
func (r *record) listed(tx kv.Tx, team, id, include string) ([]byte, error) {
	if include != "" {
		return r.whole(tx, team, id, include == text.Source)
	}
	return r.plain(id)
}

// pageJSON is a page whose records are JSON already.
func pageJSON(page *api.Page[[]byte]) []byte {
	n := 200
	for _, b := range page.Data {
		n += len(b) + 1
	}
	out := append(make([]byte, 0, n), `{"data":[`...)
	for i, b := range page.Data {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, b...)
	}
	out = append(out, `],"hasMore":`...)
	out = strconv.AppendBool(out, page.HasMore)
	if page.NextCursor != "" {
		out = append(out, `,"nextCursor":"`...)
		out = append(out, page.NextCursor...) // base64url: nothing to escape
		out = append(out, '"')
	}
	if page.Total != nil {
		out = append(out, `,"total":`...)
		out = strconv.AppendInt(out, int64(*page.Total), 10)
	}
	return append(out, '}')
}

// pageOf picks the index that holds the fewest records of what is asked for;
// the other filters drop records as they are read.
func pageOf(in *api.PostQuery) kv.Page[record] {
	p := kv.Page[record]{Keep: keep(in)}
	switch {
	case in.Tag != "":
		p.Index, p.Prefixes = "tag", [][]byte{kv.Key(field.FoldTag(in.Tag))}
	case in.Model != "":
		p.Index, p.Prefixes = "model", [][]byte{kv.Key(in.Model)}
	case in.Status != "":
		p.Index, p.Prefixes = "status", [][]byte{kv.Key(in.Status)}
	default:
		p.Index, p.Prefixes = "status", [][]byte{kv.Key(api.PostDraft), kv.Key(api.PostPublished), kv.Key(api.PostArchived)}
	}
	if in.CreatedAfter != 0 {
		p.From = []byte(kv.IDFloor("post", (in.CreatedAfter + 1).Time()))
	}
	if in.CreatedBefore != 0 {
		p.To = []byte(kv.IDFloor("post", in.CreatedBefore.Time().Add(idLead)))
	}
	return p
}

// idLead is more than an id can be ahead of the time at which it was made: ids
// ascend even when the clock steps back a little.
const idLead = 5 * time.Second

// keep is the filter of what the chosen index does not say, nil for none.
func keep(in *api.PostQuery) func(*record) bool {
	rest := *in
	switch { // what the index has
	case in.Tag != "":
		rest.Tag = ""
	case in.Model != "":
		rest.Model = ""
	default:
		rest.Status = ""
	}
	if rest.Status == "" && rest.Model == "" && in.CreatedAfter == 0 && in.CreatedBefore == 0 {
		return nil
	}
	return func(r *record) bool { return matches(&rest, r.post()) }
}

// matches reports whether a post is one of those that a list is asked for,
// whatever it is to be searched for.
func matches(in *api.PostQuery, p *api.Post) bool {
	tagged := func(tag string) bool { return field.FoldTag(tag) == field.FoldTag(in.Tag) }
	return (in.Status == "" || p.Status == in.Status) && (in.Model == "" || p.Model == in.Model) &&
		(in.Tag == "" || slices.ContainsFunc(p.Tags, tagged)) &&
		p.CreatedAt > in.CreatedAfter && (in.CreatedBefore == 0 || p.CreatedAt < in.CreatedBefore)
}
