package helpdesk

import (
	"context"
	"strings"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// kind is what the search calls articles. It never changes.
const kind = "article"

// texts of articles as the search reads them.
func source() *search.Source[record] {
	return &search.Source[record]{
		Name: kind, Table: table, All: "status", Skip: op.Unreadable,
		Read: func(tx kv.Tx, team, id string, r *record) (*search.Document, error) {
			body, err := table.Body(tx, team, id)
			a := &r.Article
			return &search.Document{
				ID: id, Title: a.Title, Names: strings.ReplaceAll(a.Slug, "-", " "), Locale: a.Locale, Status: a.Status, HTML: string(body),
			}, err
		},
	}
}

// Search returns the articles that answer a question or hold the words of a
// search. It sees every change that was made before.
func (s *Service) Search(ctx context.Context, team string, q search.Query) (found search.Results, err error) {
	err = s.index.Find(ctx, team, q, func(tx kv.Tx, f *search.Found) (gone []string, err error) {
		found = search.Results{Common: f.Common, Documents: f.Documents}
		for _, h := range f.Hits {
			r, err := table.Get(tx, team, h.ID)
			if missing(err) {
				gone = append(gone, h.ID)
				continue
			}
			if err != nil {
				return nil, err
			}
			if q.Status != "" && r.Article.Status != q.Status { // since it was found
				continue
			}
			body, err := table.Body(tx, team, h.ID)
			if err != nil {
				return nil, err
			}
			a := &r.Article
			result := search.Result{Hit: h, Title: a.Title, Slug: a.Slug, Excerpt: a.Excerpt}
			result.Parts = f.Parts(h, string(body))
			found.Found = append(found.Found, result)
		}
		return gone, nil
	})
	for i := range found.Found {
		found.Found[i].SetURL(s.URL(ctx, team, found.Found[i].Slug))
	}
	return found, err
}

// Find is Search as the API has it.
func (s *Service) Find(ctx context.Context, who op.Caller, in api.HelpSearch) (api.HelpHits, error) {
	found, err := s.Search(ctx, who.Team, search.Query{Text: in.Q, Status: in.Status, Locale: in.Locale, Limit: in.Limit})
	out := api.HelpHits{Data: make([]api.HelpHit, 0, len(found.Found))}
	for i := range found.Found {
		out.Data = append(out.Data, hit(&found.Found[i]))
	}
	return out, err
}

func hit(r *search.Result) api.HelpHit {
	h := api.HelpHit{
		ArticleID: r.ID, Title: r.Title, Slug: r.Slug, URL: r.URL, Excerpt: r.Excerpt,
		Score: r.Score, Covered: r.Whole, Sections: r.Sections(),
	}
	if len(r.Parts) > 0 {
		h.Quote = r.Parts[0].Quote
	}
	return h
}

// Reindex drops the team's index of its articles and builds it again.
func (s *Service) Reindex(ctx context.Context, who op.Caller, _ api.None) (api.Reindexed, error) {
	n, err := s.index.Rebuild(ctx, who.Team)
	return api.Reindexed{Articles: n}, err
}

// Close ends what the search writes beside its answers.
func (s *Service) Close() error { return s.index.Close() }
