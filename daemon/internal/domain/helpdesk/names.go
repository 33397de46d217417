package helpdesk

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	bleveindex "github.com/blevesearch/bleve_index_api"
)

// withoutNames answers what is left of a question without names that no article
// knows: what is said of Shipping is the best answer on shipping to Brazil. The
// title must have a telling word of the rest. It finds nothing when a word that
// is no name is unknown too.
func (s *Service) withoutNames(ctx context.Context, in among, q *question, unknown []string, names map[string]bool, limit int) ([]Hit, error) {
	if slices.ContainsFunc(unknown, func(term string) bool { return !names[term] }) {
		return nil, nil
	}
	rest := slices.DeleteFunc(slices.Clone(q.terms), func(term string) bool { return slices.Contains(unknown, term) })
	telling, err := s.index.telling(ctx, in, rest)
	if err != nil || len(telling) == 0 {
		return nil, err
	}
	hits, err := s.answer(ctx, in, questionOf(rest, q.stem), exactly, limit)
	subject := questionOf(telling, q.stem)
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return subject.in(h.Title) == 0 })
	for i := range hits {
		hits[i].Covered *= float64(len(rest)) / float64(len(q.terms))
	}
	return hits, err
}

// names are the terms of the words of a text that are written as names: with a
// capital inside a sentence in which not every word has one.
func names(text string) map[string]bool {
	found := map[string]bool{}
	begins, small := true, false
	for word := range strings.FieldsSeq(text) {
		word = strings.TrimLeftFunc(word, unicode.IsPunct)
		first, _ := utf8.DecodeRuneInString(word)
		small = small || unicode.IsLower(first)
		if unicode.IsUpper(first) && !begins {
			for _, term := range terms(word) {
				found[term] = true
			}
		}
		begins = strings.ContainsAny(word, ".!?:")
	}
	if !small {
		return nil
	}
	return found
}

// unknown are the terms that none of the articles has, as they are written.
func (x *index) unknown(ctx context.Context, in among, terms []string) (unknown []string, err error) {
	return unknown, x.count(ctx, in, terms, 1, func(term string, n int, _ uint64) {
		if n == 0 {
			unknown = append(unknown, term)
		}
	})
}

// minTelling is the least inverse document frequency, as BM25 has it, of a word
// that says what an article is about: about a third of the articles have it.
const minTelling = 1

func (x *index) telling(ctx context.Context, in among, terms []string) (telling []string, err error) {
	return telling, x.count(ctx, in, terms, math.MaxInt, func(term string, n int, all uint64) {
		has := float64(n)
		if math.Log(1+(float64(all)-has+0.5)/(has+0.5)) >= minTelling {
			telling = append(telling, term)
		}
	})
}

// count calls f with how many of all the articles have each term; beyond most it
// does not count.
func (x *index) count(ctx context.Context, in among, terms []string, most int, f func(term string, n int, all uint64)) error {
	return x.look(ctx, func(idx bleve.Index) error {
		parts, err := idx.Advanced()
		if err != nil {
			return err
		}
		r, err := parts.Reader()
		if err != nil {
			return err
		}
		defer r.Close()
		for _, term := range terms {
			n, all, err := shared(ctx, r, term, scope(in.team, in.status), most)
			if err != nil {
				return err
			}
			f(term, n, all)
		}
		return nil
	})
}

// shared counts the articles of a scope, and those of them that have the term.
func shared(ctx context.Context, r bleveindex.IndexReader, term, scope string, most int) (n int, all uint64, err error) {
	having, err := r.TermFieldReader(ctx, []byte(term), "body", false, false, false)
	if err != nil {
		return 0, 0, err
	}
	defer having.Close()
	within, err := r.TermFieldReader(ctx, []byte(scope), "scope", false, false, false)
	if err != nil {
		return 0, 0, err
	}
	defer within.Close()
	a, err := having.Next(nil)
	for err == nil && a != nil && n < most {
		var b *bleveindex.TermFieldDoc
		if b, err = within.Advance(a.ID, nil); err != nil || b == nil {
			break
		}
		if a.ID.Compare(b.ID) == 0 {
			n++
			a, err = having.Next(nil)
		} else {
			a, err = having.Advance(b.ID, nil)
		}
	}
	return n, within.Count(), err
}
