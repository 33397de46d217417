package helpdesk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"
)

// The library's own queries are the oracle: other ways to the same articles and
// scores.
func TestEnoughScoresAsTheLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	idx := randomIndex(t, r)
	some := 0
	for range 400 {
		terms := distinct(strings.Fields(randomWords(r, 1+r.IntN(6))))
		least := 1 + r.IntN(len(terms))
		spelling := []func(string) []query.Query{exactly, nearly}[r.IntN(2)]
		within := is("scope", scope("team", fmt.Sprint(r.IntN(2))))

		mine := enough{scope: within, least: least}
		var any []query.Query
		for _, term := range terms {
			mine.terms = append(mine.terms, spelling(term))
			any = append(any, bleve.NewDisjunctionQuery(spelling(term)...))
		}
		theirs := bleve.NewDisjunctionQuery(any...)
		theirs.SetMin(float64(least))

		want := scores(t, idx, bleve.NewConjunctionQuery(theirs, within))
		got := scores(t, idx, mine)
		some += len(want)
		if len(got) != len(want) {
			t.Fatalf("%d of %v: %d articles, want %d", least, terms, len(got), len(want))
		}
		for id, score := range want {
			if math.Abs(got[id]-score) > 1e-9 {
				t.Fatalf("%d of %v: %s has %v, want %v", least, terms, id, got[id], score)
			}
		}
	}
	if some == 0 {
		t.Error("nothing was found")
	}
}

// randomIndex has several parts, and articles that were changed or removed.
func randomIndex(t *testing.T, r *rand.Rand) bleve.Index {
	m, err := newMapping()
	if err != nil {
		t.Fatal(err)
	}
	idx, err := bleve.NewMemOnly(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { idx.Close() })
	for range 6 {
		b := idx.NewBatch()
		for range 60 {
			title, heading := randomWords(r, 2), randomWords(r, 3)
			e := entry{Scope: scope("team", fmt.Sprint(r.IntN(2))), Title: title, Headings: title + heading, Body: title + heading + randomWords(r, 10)}
			if err := b.Index(fmt.Sprint(r.IntN(250)), e); err != nil {
				t.Fatal(err)
			}
		}
		b.Delete(fmt.Sprint(r.IntN(250)))
		if err := idx.Batch(b); err != nil {
			t.Fatal(err)
		}
	}
	return idx
}

// randomWords are of a vocabulary in which some are common, and some a slip of
// the pen away from others.
func randomWords(r *rand.Rand, n int) string {
	known := strings.Fields("parcel parcels parsel refund refunds card cards carts ship shop shoe return returned label week month euro cafe bean beans grind")
	var b strings.Builder
	for range n {
		i := int(r.Float64() * r.Float64() * float64(len(known)))
		b.WriteString(known[i] + " ")
	}
	return b.String()
}

func scores(t *testing.T, idx bleve.Index, q query.Query) map[string]float64 {
	t.Helper()
	res, err := idx.Search(bleve.NewSearchRequestOptions(q, 1000, 0, false))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, hit := range res.Hits {
		found[hit.ID] = hit.Score
	}
	return found
}
