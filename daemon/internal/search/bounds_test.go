package search

import (
	"fmt"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

// What a search looks at is bounded whatever is asked and whatever the texts hold.
func TestBounds(t *testing.T) {
	t.Parallel()
	var distinct strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&distinct, "w%d ", i)
	}
	long := strings.Repeat("paper and ink ", 10<<20/14)
	docs := []*Document{
		{ID: "many words", Title: "Many words", HTML: "<p>" + distinct.String() + "</p>"},
		{ID: "long", Title: "Long", HTML: "<p>" + long + "</p>"},
		{ID: "many headings", Title: strings.Repeat("much ", 60), HTML: strings.Repeat("<h2>heading</h2><p>text</p>", 5000)},
		{ID: "one letter", Title: strings.Repeat("a", 300), HTML: "<p>" + strings.Repeat("a", 1<<20) + "</p>"},
		{ID: "none", Title: "", HTML: ""},
	}
	v := newView(pack(docs...), 1)
	if n := len(v.base.secs); n > len(docs)+maxSections {
		t.Errorf("%d sections", n)
	}
	for i := range v.base.ends {
		if w := v.base.term(i); len(w) > words.MaxLength {
			t.Fatalf("a word of %d bytes", len(w))
		}
	}
	for name, question := range map[string]string{
		"one letter":       strings.Repeat("a", 400),
		"letters":          strings.Repeat("a ", 200),
		"many words":       distinct.String()[:4000],
		"unknown words":    strings.Repeat("qwxz", 20) + " " + strings.Repeat("zzyx vvuq ", 100),
		"hyphens":          strings.Repeat("x-", 200),
		"nothing":          "?!",
		"words of the lot": "heading text paper ink much w1 w2 w3",
	} {
		q := parse(v, question)
		if len(q.asked) > maxAsked {
			t.Errorf("%s: %d words are asked for", name, len(q.asked))
		}
		for _, a := range q.asked {
			if len(a.alts) > maxAlts {
				t.Errorf("%s: %d words stand for %s", name, len(a.alts), a.word)
			}
		}
		if hits := v.rank(q, filter{}, 3); len(hits) > 3 {
			t.Errorf("%s: %d hits", name, len(hits))
		}
	}
	f := v.find(Query{Text: "paper text w99999", Limit: 5})
	for _, h := range f.Hits {
		if s := f.Snippet(long[:100_000]); len(s.Text) > maxSnippet+2*len("…") || len(h.Sections) > 2 {
			t.Errorf("%s: a snippet of %d bytes, %d sections", h.ID, len(s.Text), len(h.Sections))
		}
	}
}

// What a search has written on is clean for the next one.
func TestScratchIsCleared(t *testing.T) {
	docs, questions := centre(t)
	v := newView(pack(docs...), 1)
	s := new(scratch)
	s.grow(len(v.base.secs), len(v.base.docs))
	for _, q := range questions {
		v.score(parse(v, q.text), s)
		v.collect(s)
		s.clear()
	}
	for i := range s.score {
		if s.score[i] != 0 || s.now[i] != 0 || s.any[i]|s.exact[i]|s.head[i] != 0 {
			t.Fatalf("section %d is not clear", i)
		}
	}
	for i := range s.top {
		if s.top[i] != 0 || s.runner[i] != 0 || s.whole[i] != 0 {
			t.Fatalf("document %d is not clear", i)
		}
	}
}
