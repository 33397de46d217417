package helpdesk

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	"github.com/blevesearch/bleve/v2/search/scorer"
	bleveindex "github.com/blevesearch/bleve_index_api"
)

// enough is the query for the articles of a scope that have at least least of
// the terms. Of each term it has the query of every field in the order of
// fields, the body's last: what stands in another field stands there too.
//
// The library's own queries look at, and score, every article that has one of
// the terms. This one begins with the rarest, of which an answer must have one,
// and asks of the others only whether they are there. Scores are the same.
type enough struct {
	scope query.Query
	terms [][]query.Query
	least int
}

// Searcher makes the query.Query run on r.
func (q enough) Searcher(ctx context.Context, r bleveindex.IndexReader, m mapping.IndexMapping, o search.SearcherOptions) (search.Searcher, error) {
	a := &answers{least: q.least, scorer: scorer.NewDisjunctionQueryScorer(o)}
	unscored := o
	unscored.Score = "none"
	scope, err := q.scope.Searcher(ctx, r, m, unscored)
	if err != nil {
		return nil, err
	}
	a.scope = &cursor{Searcher: scope}
	for _, fields := range q.terms {
		t := &standing{}
		a.terms = append(a.terms, t)
		for _, f := range fields {
			in, err := f.Searcher(ctx, r, m, o)
			if err != nil {
				return nil, errors.Join(err, a.Close())
			}
			t.fields = append(t.fields, &cursor{Searcher: in})
		}
	}
	slices.SortStableFunc(a.terms, func(a, b *standing) int { return cmp.Compare(a.count(), b.count()) })
	a.SetQueryNorm(1 / math.Sqrt(a.Weight()))
	return a, nil
}

// answers finds the articles one after the other.
type answers struct {
	scope  *cursor
	terms  []*standing // the rarest first
	least  int
	scorer *scorer.DisjunctionQueryScorer

	past  bleveindex.IndexInternalID // the article that was looked at last
	found []*standing
	hits  []*search.DocumentMatch
}

func (a *answers) Next(ctx *search.SearchContext) (*search.DocumentMatch, error) {
	for {
		there, err := a.candidate(ctx)
		if err != nil || !there {
			return nil, err
		}
		if hit, err := a.judge(ctx); err != nil || hit != nil {
			return hit, err
		}
	}
}

// candidate goes to the next article that has one of the rarer terms. Whatever
// has none of them has too few.
func (a *answers) candidate(ctx *search.SearchContext) (there bool, err error) {
	var first *search.DocumentMatch
	for _, t := range a.terms[:len(a.terms)-a.least+1] {
		at, err := t.body().after(ctx, a.past)
		if err != nil {
			return false, err
		}
		if at != nil && (first == nil || at.IndexInternalID.Compare(first.IndexInternalID) < 0) {
			first = at
		}
	}
	if first == nil {
		return false, nil
	}
	a.past = append(a.past[:0], first.IndexInternalID...)
	return true, nil
}

// judge scores the candidate, or returns nil when it is no answer.
func (a *answers) judge(ctx *search.SearchContext) (*search.DocumentMatch, error) {
	a.found = a.found[:0]
	for i, t := range a.terms {
		if len(a.found)+len(a.terms)-i < a.least {
			return nil, nil
		}
		has, err := t.body().stands(ctx, a.past)
		if err != nil {
			return nil, err
		}
		if has {
			a.found = append(a.found, t)
		}
	}
	if len(a.found) < a.least {
		return nil, nil
	}
	if in, err := a.scope.stands(ctx, a.past); err != nil || !in {
		return nil, err
	}
	a.hits = a.hits[:0]
	for _, t := range a.found {
		hit, err := t.score(ctx, a.scorer, a.past)
		if err != nil {
			return nil, err
		}
		a.hits = append(a.hits, hit)
	}
	return sum(ctx, a.scorer, a.hits, len(a.terms)), nil
}

// sum is the score of what matches of so many, as the library has it.
func sum(ctx *search.SearchContext, by *scorer.DisjunctionQueryScorer, hits []*search.DocumentMatch, of int) *search.DocumentMatch {
	hit := by.Score(ctx, hits, len(hits), of)
	for _, other := range hits[1:] {
		ctx.DocumentMatchPool.Put(other)
	}
	return hit
}

// Advance goes to the next answer that is id or after it.
func (a *answers) Advance(ctx *search.SearchContext, id bleveindex.IndexInternalID) (*search.DocumentMatch, error) {
	for _, t := range a.terms[:len(a.terms)-a.least+1] {
		if _, err := t.body().stands(ctx, id); err != nil {
			return nil, err
		}
	}
	return a.Next(ctx)
}

func (a *answers) all() []*cursor {
	all := []*cursor{a.scope}
	for _, t := range a.terms {
		all = append(all, t.fields...)
	}
	return all
}

func (a *answers) Close() (err error) {
	for _, c := range a.all() {
		err = errors.Join(err, c.Close())
	}
	return err
}

func (a *answers) Weight() (weight float64) {
	for _, c := range a.all() {
		weight += c.Weight()
	}
	return weight
}

func (a *answers) SetQueryNorm(norm float64) {
	for _, c := range a.all() {
		c.SetQueryNorm(norm)
	}
}

func (a *answers) Count() (most uint64) {
	for _, t := range a.terms {
		most += t.body().Count()
	}
	return most
}

func (a *answers) Min() int { return a.least }

func (a *answers) Size() (bytes int) {
	for _, c := range a.all() {
		bytes += c.Size()
	}
	return bytes
}

func (a *answers) DocumentMatchPoolSize() int {
	size := 1
	for _, c := range a.all() {
		size += c.DocumentMatchPoolSize()
	}
	return size
}

// standing is where a term stands.
type standing struct {
	fields []*cursor
	hits   []*search.DocumentMatch
}

func (t *standing) body() *cursor { return t.fields[len(t.fields)-1] }

func (t *standing) count() (n uint64) {
	for _, f := range t.fields {
		n += f.Count()
	}
	return n
}

func (t *standing) score(ctx *search.SearchContext, by *scorer.DisjunctionQueryScorer, id bleveindex.IndexInternalID) (*search.DocumentMatch, error) {
	t.hits = t.hits[:0]
	for _, f := range t.fields {
		in, err := f.stands(ctx, id)
		if err != nil {
			return nil, err
		}
		if in {
			t.hits = append(t.hits, f.take())
		}
	}
	return sum(ctx, by, t.hits, len(t.fields)), nil
}

// cursor is a searcher that stays where it is until it must go on.
type cursor struct {
	search.Searcher
	at  *search.DocumentMatch // nil when it stands nowhere
	end bool
}

// stands reports whether the article id is one of the searcher's. What comes
// before id is passed.
func (c *cursor) stands(ctx *search.SearchContext, id bleveindex.IndexInternalID) (bool, error) {
	if !c.end && (c.at == nil || c.at.IndexInternalID.Compare(id) < 0) {
		c.drop(ctx)
		at, err := c.Advance(ctx, id)
		if err != nil {
			return false, err
		}
		c.at, c.end = at, at == nil
	}
	return c.at != nil && c.at.IndexInternalID.Compare(id) == 0, nil
}

// after goes on when it stands at past, or nowhere.
func (c *cursor) after(ctx *search.SearchContext, past bleveindex.IndexInternalID) (*search.DocumentMatch, error) {
	if !c.end && (c.at == nil || c.at.IndexInternalID.Compare(past) <= 0) {
		c.drop(ctx)
		at, err := c.Next(ctx)
		if err != nil {
			return nil, err
		}
		c.at, c.end = at, at == nil
	}
	return c.at, nil
}

// take hands over where it stands.
func (c *cursor) take() *search.DocumentMatch {
	at := c.at
	c.at = nil
	return at
}

func (c *cursor) drop(ctx *search.SearchContext) { ctx.DocumentMatchPool.Put(c.take()) }
