package helpdesk

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Hit is an article that answers a question.
type Hit struct {
	ID, Title, Slug, URL string
	Excerpt              string
	Score                float64 // BM25; comparable within one search
	// Covered is the share of the question's terms that the best passage has,
	// together with its heading and the title.
	Covered float64
	// Passages are the up to three best parts of Text of the article, word for
	// word, the best first.
	Passages []string
}

// Search returns the published articles that answer a question, the best first.
// Those that hold too few of its words are left out: a question that none
// answers finds nothing. A name that no article knows (shipping to Brazil) may be
// missing, and Covered says so. It sees every change that was made before.
func (s *Service) Search(ctx context.Context, team, q string, limit int) ([]Hit, error) {
	return s.search(ctx, team, api.ArticlePublished, q, limit)
}

// Find is Search for those who may see articles of every status.
func (s *Service) Find(ctx context.Context, who op.Caller, in api.HelpSearch) (api.HelpHits, error) {
	hits, err := s.search(ctx, who.Team, in.Status, in.Q, in.Limit)
	out := api.HelpHits{Data: make([]api.HelpHit, 0, len(hits))}
	for _, h := range hits {
		hit := api.HelpHit{ArticleID: h.ID, Title: h.Title, Slug: h.Slug, URL: h.URL, Excerpt: h.Excerpt, Score: h.Score, Covered: h.Covered}
		if len(h.Passages) > 0 {
			hit.Quote = h.Passages[0]
		}
		out.Data = append(out.Data, hit)
	}
	return out, err
}

// Reindex builds the index anew.
func (s *Service) Reindex(ctx context.Context, _ op.Caller, _ api.None) (api.Reindexed, error) {
	n, err := s.index.rebuild(ctx)
	return api.Reindexed{Articles: n}, err
}

func (s *Service) search(ctx context.Context, team, status, text string, limit int) ([]Hit, error) {
	q := newQuestion(text, s.index.stems.of)
	if len(q.terms) == 0 {
		return nil, nil
	}
	if err := s.index.catchUp(ctx); err != nil {
		return nil, err
	}
	in := among{team, status}
	hits, err := s.answer(ctx, in, q, exactly, limit)
	if err != nil || len(hits) > 0 {
		return hits, err
	}
	unknown, err := s.index.unknown(ctx, in, q.terms)
	if err != nil || len(unknown) == 0 {
		return nil, err
	}
	hits, err = s.answer(ctx, in, q, func(term string) []query.Query {
		if slices.Contains(unknown, term) {
			return nearly(term)
		}
		return exactly(term)
	}, limit)
	if err != nil || len(hits) > 0 {
		return hits, err
	}
	return s.withoutNames(ctx, in, q, unknown, names(text), limit)
}

// among is which articles a search is about.
type among struct{ team, status string }

// answer is what the index finds, as far as the texts are answers.
func (s *Service) answer(ctx context.Context, in among, q *question, spelling func(string) []query.Query, limit int) ([]Hit, error) {
	found, err := s.index.find(ctx, in, q.terms, spelling, 2*limit+10)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return s.read(ctx, in, q, found, limit)
}

// needed is how many terms of a question an answer must have. Long messages tell
// stories around what they ask.
func needed(terms int) int {
	switch {
	case terms <= 2:
		return terms
	case terms <= 5:
		return (terms + 2) / 2
	}
	return 3 + (terms-5)/3
}

// fields are where words stand, and what they weigh there.
var fields = []struct {
	name  string
	boost float64
}{{"title", 4}, {"headings", 2}, {"body", 1}}

// exactly finds a term as it is written.
func exactly(term string) []query.Query {
	out := make([]query.Query, len(fields))
	for i, f := range fields {
		q := bleve.NewTermQuery(term)
		q.SetField(f.name)
		q.SetBoost(f.boost)
		out[i] = q
	}
	return out
}

// nearly finds a term with a slip of the pen too; same decides afterwards.
func nearly(term string) []query.Query {
	if len(term) < minTypo || term[0] >= 0x80 {
		return exactly(term)
	}
	out := make([]query.Query, len(fields))
	for i, f := range fields {
		q := bleve.NewFuzzyQuery(term)
		q.SetField(f.name)
		q.SetBoost(f.boost)
		q.SetFuzziness(1)
		q.SetPrefix(1)
		out[i] = q
	}
	return out
}

// scored is an article as the index knows it.
type scored struct {
	id    string
	score float64
}

// find asks the index for the best articles that have enough of the terms.
func (x *index) find(ctx context.Context, in among, terms []string, spelling func(string) []query.Query, size int) (found []scored, err error) {
	q := enough{scope: is("scope", scope(in.team, in.status)), least: needed(len(terms))}
	for _, term := range terms {
		q.terms = append(q.terms, spelling(term))
	}
	return found, x.look(ctx, func(idx bleve.Index) error {
		res, err := idx.SearchInContext(ctx, bleve.NewSearchRequestOptions(q, size, 0, false))
		if err != nil {
			return err
		}
		for _, hit := range res.Hits {
			found = append(found, scored{hit.ID, hit.Score})
		}
		return nil
	})
}

// look gives f the index, if there is one. One that turns out to be damaged is
// closed, and opened or made anew by the next search.
func (x *index) look(ctx context.Context, f func(bleve.Index) error) error {
	x.using.RLock()
	idx := x.open
	if idx == nil {
		x.using.RUnlock()
		return nil
	}
	err := calm(func() error { return f(idx) })
	x.using.RUnlock()
	if err == nil {
		return nil
	}
	if ctx.Err() == nil {
		err = errors.Join(err, x.close())
	}
	return fmt.Errorf("search articles: %w", err)
}

// is restricts without a say in the score.
func is(field, value string) query.Query {
	q := bleve.NewTermQuery(value)
	q.SetField(field)
	q.SetBoost(0)
	return q
}

// read fetches what the index found and keeps what answers the question, which
// is for the text to say: its words stand together in a passage.
func (s *Service) read(ctx context.Context, in among, q *question, found []scored, limit int) (hits []Hit, err error) {
	enough := float64(needed(len(q.terms))) / float64(len(q.terms))
	err = s.store.View(ctx, func(tx kv.Tx) error {
		hits = nil
		for _, f := range found {
			if len(hits) == limit {
				return nil
			}
			r, err := table.Get(tx, in.team, f.id)
			if missing(err) || err == nil && r.Article.Status != in.status {
				continue
			}
			if err != nil {
				return err
			}
			body, err := table.Body(tx, in.team, f.id)
			if err != nil {
				return err
			}
			a := &r.Article
			if m := q.compare(a.Title, string(body)); m.covered >= enough {
				hits = append(hits, Hit{ID: a.ID, Title: a.Title, Slug: a.Slug, Excerpt: a.Excerpt, Score: f.score, Covered: m.covered, Passages: m.passages})
			}
		}
		return nil
	})
	for i := range hits {
		hits[i].URL = s.URL(ctx, in.team, hits[i].Slug)
	}
	return hits, err
}
