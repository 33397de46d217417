package posts

import (
	"context"
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

// List returns a page of posts in the order of their creation.
func (s *Service) List(ctx context.Context, who op.Caller, in api.PostQuery) (out op.Encoded[api.Page[api.Post]], err error) {
	p := pageOf(&in)
	scope := strings.Join([]string{in.Status, in.Tag, in.Model, in.CreatedAfter.String(), in.CreatedBefore.String(), in.Q}, "\x00")
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err := op.List(tx, table, who.Team, scope, in.PageQuery, p, func(id string, r *record) ([]byte, error) {
			if in.Include != "" {
				return r.whole(tx, who.Team, id, in.Include == text.Source)
			}
			return r.plain(id)
		})
		out.JSON = pageJSON(&page)
		return err
	})
	return out, err
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
	words := strings.Fields(strings.ToLower(in.Q))
	status := in.Status
	if in.Tag == "" && in.Model == "" {
		status = "" // the index has it
	}
	model := in.Model
	if in.Tag == "" {
		model = ""
	}
	if len(words) == 0 && status == "" && model == "" && in.CreatedAfter == 0 && in.CreatedBefore == 0 {
		return nil
	}
	return func(r *record) bool {
		p := r.post()
		if p.CreatedAt <= in.CreatedAfter || in.CreatedBefore != 0 && p.CreatedAt >= in.CreatedBefore {
			return false
		}
		return (status == "" || p.Status == status) && (model == "" || p.Model == model) && mentions(p, words)
	}
}

// mentions reports that each word is somewhere in what a list shows of p.
func mentions(p *api.Post, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text := strings.ToLower(strings.Join(append([]string{p.Title, p.Description, p.Slug}, p.Tags...), "\n"))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
