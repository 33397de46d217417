package posts

import (
	"cmp"
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// searched is what the search calls posts. It never changes.
const searched = "post"

// inPublic is the status of a post to the search that the public may read: one
// that is held back has that of its record alone.
const inPublic = api.PostPublished + "/public"

func statusOf(p *api.Post) string {
	if p.PublishedAt != 0 {
		return inPublic
	}
	return p.Status
}

// source is the posts as the search reads them.
func source() *search.Source[record] {
	return &search.Source[record]{
		Name: searched, Table: table, All: "status", Skip: op.Unreadable,
		Read: func(tx kv.Tx, team, id string, r *record) (*search.Document, error) {
			if err := table.Whole(id, r); err != nil {
				return nil, err
			}
			names, err := texts.Names(tx, team, r.post())
			if err != nil {
				return nil, err
			}
			p, err := withContent(tx, team, r)
			return &search.Document{
				ID: id, Title: p.Title, Names: names, Locale: p.Locale, Status: statusOf(&p), Lead: p.Description, HTML: p.Content,
			}, err
		},
	}
}

// Find returns the posts that answer a question or hold the words of a search. It
// sees every change that was made before.
func (s *Service) Find(ctx context.Context, who op.Caller, in api.PostSearch) (api.PostHits, error) {
	return s.find(ctx, who.Team, search.Query{Text: in.Q, Status: in.Status, Locale: in.Locale, Limit: in.Limit})
}

// FindPublished is Find of what the public may see.
func (s *Service) FindPublished(ctx context.Context, team, q string, limit int) (api.PostHits, error) {
	return s.find(ctx, team, search.Query{Text: q, Status: inPublic, Limit: limit})
}

func (s *Service) find(ctx context.Context, team string, q search.Query) (api.PostHits, error) {
	published := map[string]api.Time{}
	read := func(tx kv.Tx, id string) (search.Text, error) {
		_, p, err := load(tx, team, id)
		published[id] = p.PublishedAt
		return search.Text{Title: p.Title, Slug: p.Slug, Excerpt: cmp.Or(p.Description, p.Excerpt), Status: statusOf(&p), HTML: p.Content}, err
	}
	found, err := s.index.Search(ctx, team, q, read, s.Pages(ctx, team))
	out := api.PostHits{Data: make([]api.PostHit, 0, len(found.Found))}
	for i := range found.Found {
		r := &found.Found[i]
		out.Data = append(out.Data, api.PostHit{PostID: r.ID, PublishedAt: published[r.ID], FoundText: r.Shown()})
	}
	return out, err
}

// What a list of a search has at most, and how many posts are looked at to find
// those that its filters keep.
const (
	maxRanked   = 200
	maxFiltered = 1000
)

// ranked is List of what a search finds, the best first. A cursor is a place in
// that order.
func (s *Service) ranked(ctx context.Context, who op.Caller, in api.PostQuery) (out op.Encoded[api.Page[api.Post]], err error) {
	if in.Order == ascending {
		return out, op.InvalidParameters(api.FieldError{Pointer: "order", Code: "not_allowed", Message: "does not go with q: the best post comes first"})
	}
	first, err := op.ParseRank(who.Team, table.Name(), scopeOf(&in), in.Cursor)
	if err != nil {
		return out, err
	}
	q := search.Query{Text: in.Q, Status: in.Status, Limit: maxRanked}
	if in.Tag+in.Model != "" || in.CreatedAfter != 0 || in.CreatedBefore != 0 {
		q.Limit = maxFiltered
	}
	err = s.index.Find(ctx, who.Team, q, func(tx kv.Tx, f *search.Found) (gone []string, err error) {
		var kept []string
		records := map[string]*record{}
		for _, h := range f.Hits {
			r, err := table.Get(tx, who.Team, h.ID)
			switch {
			case missing(err):
				gone = append(gone, h.ID)
			case err != nil:
				return nil, err
			case len(kept) < maxRanked && matches(&in, r.post()):
				kept, records[h.ID] = append(kept, h.ID), r
			}
		}
		page := api.Page[[]byte]{Data: [][]byte{}}
		last := min(first+in.Limit, len(kept))
		for _, id := range kept[min(first, last):last] {
			b, err := records[id].listed(tx, who.Team, id, in.Include)
			if err != nil {
				return nil, err
			}
			page.Data = append(page.Data, b)
		}
		if page.HasMore = last < len(kept); page.HasMore {
			page.NextCursor = op.RankCursor(who.Team, table.Name(), scopeOf(&in), last)
		}
		if in.Total {
			n := len(kept)
			page.Total = &n
		}
		out.JSON = pageJSON(&page)
		return gone, nil
	})
	return out, err
}

// Close ends what the search writes beside its answers.
func (s *Service) Close() error { return s.index.Close() }
