package helpdesk

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// kind is what the search calls articles. It never changes.
const kind = "article"

// source is the articles as the search reads them.
func source() *search.Source[record] {
	return &search.Source[record]{
		Name: kind, Table: table, All: "status", Skip: op.Unreadable,
		Read: func(tx kv.Tx, team, id string, r *record) (*search.Document, error) {
			a := &r.Article
			names, err := texts.Names(tx, team, a)
			if err != nil {
				return nil, err
			}
			body, err := table.Body(tx, team, id)
			return &search.Document{ID: id, Title: a.Title, Names: names, Locale: a.Locale, Status: a.Status, HTML: string(body)}, err
		},
	}
}

// Search returns the articles that answer a question or hold the words of a
// search. It sees every change that was made before.
func (s *Service) Search(ctx context.Context, team string, q search.Query) (search.Results, error) {
	read := func(tx kv.Tx, id string) (search.Text, error) {
		r, err := table.Get(tx, team, id)
		if err != nil {
			return search.Text{}, err
		}
		body, err := table.Body(tx, team, id)
		a := &r.Article
		return search.Text{Title: a.Title, Slug: a.Slug, Excerpt: a.Excerpt, Status: a.Status, HTML: string(body)}, err
	}
	return s.index.Search(ctx, team, q, read, s.Pages(ctx, team))
}

// Find is Search as the API has it.
func (s *Service) Find(ctx context.Context, who op.Caller, in api.HelpSearch) (api.HelpHits, error) {
	found, err := s.Search(ctx, who.Team, search.Query{Text: in.Q, Status: in.Status, Locale: in.Locale, Limit: in.Limit})
	out := api.HelpHits{Data: make([]api.HelpHit, 0, len(found.Found))}
	for i := range found.Found {
		r := &found.Found[i]
		out.Data = append(out.Data, api.HelpHit{ArticleID: r.ID, FoundText: r.Shown()})
	}
	return out, err
}

// Reindex drops the team's index of its articles and builds it again.
func (s *Service) Reindex(ctx context.Context, who op.Caller, _ api.None) (api.Reindexed, error) {
	n, err := s.index.Rebuild(ctx, who.Team)
	return api.Reindexed{Articles: n}, err
}

// Close ends what the search writes beside its answers.
func (s *Service) Close() error { return s.index.Close() }
