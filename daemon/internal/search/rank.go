package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// The constants of the ranking, BM25F over sections. They stand on a plateau: what
// is found changes little with any of them. Changing one changes what is found all
// the same: measure.
var (
	fieldWeight = [fields]float64{inTitle: 5, inHead: 2, inBody: 1}
	lengthCount = [fields]float64{inTitle: 0.3, inHead: 0.3, inBody: 0.9} // how much a field's length counts
)

const (
	saturation = 2.0
	secondBest = 0.5 // of a document's second best section
	foreign    = 0.6 // a document in another language than the question
)

// Hit is a document that was found.
type Hit struct {
	ID       string
	Score    float64 // comparable within one search
	Sections []int   // its best sections, at most two, the best first; counted from 0 as safehtml.Sections does
	// Shares of the question, 0 to 1, words that tell more counting more: what the
	// best section has; what it has in the question's own words; what the title and
	// the headings above it have; what the document has.
	Cover, Exact, Head, Whole float64
	// Words is how many words of the question the best section has.
	Words int
}

// filter is which documents are ranked.
type filter struct{ status, locale string }

func (f filter) keeps(d *document) bool {
	return f.keepsStatus(d.status) && (f.locale == "" || within(d.locale, f.locale, "-"))
}

func (f filter) keepsStatus(status string) bool {
	return f.status == "" || within(status, f.status, "/")
}

// within reports whether a name is another, or one with more behind it.
func within(name, other, separator string) bool {
	rest, ok := strings.CutPrefix(name, other)
	return ok && (rest == "" || strings.HasPrefix(rest, separator))
}

// scratch is what a search writes on. Between searches all of it is zero.
type scratch struct {
	score            []float32 // by section
	any, exact, head []uint32  // words of the question, by section
	now              []float32 // score of one word, by section
	secs, mine       []uint32  // sections that were touched, by all words and by one

	top, runner []float32 // by document: scores of the best sections
	at, also    []uint32  // those sections
	whole       []uint32  // words of the question
	docs        []uint32  // that were touched
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func (s *scratch) grow(secs, docs int) {
	if len(s.score) < secs {
		secs += secs / 8
		s.score, s.now = make([]float32, secs), make([]float32, secs)
		s.any, s.exact, s.head = make([]uint32, secs), make([]uint32, secs), make([]uint32, secs)
	}
	if len(s.top) < docs {
		docs += docs / 8
		s.top, s.runner = make([]float32, docs), make([]float32, docs)
		s.at, s.also, s.whole = make([]uint32, docs), make([]uint32, docs), make([]uint32, docs)
	}
}

func (s *scratch) clear() {
	for _, sec := range s.secs {
		s.score[sec], s.any[sec], s.exact[sec], s.head[sec] = 0, 0, 0, 0
	}
	for _, doc := range s.docs {
		s.top[doc], s.runner[doc], s.whole[doc] = 0, 0, 0
	}
	s.secs, s.docs = s.secs[:0], s.docs[:0]
}

// rank finds the best documents.
func (v *view) rank(q *question, f filter, limit int) []Hit {
	s, ok := scratches.Get().(*scratch)
	if !ok {
		s = new(scratch)
	}
	defer scratches.Put(s)
	defer s.clear()
	s.grow(len(v.base.secs)+len(v.delta.secs), len(v.base.docs)+len(v.delta.docs))
	v.score(q, s)
	v.collect(s)
	return v.best(q, s, f, limit)
}

// score gives each section what the question's words are worth in it. Sections and
// documents of the small segment are numbered behind those of the large one.
func (v *view) score(q *question, s *scratch) {
	var l lengthRule
	for f := range fields {
		l.flat[f] = (1 - lengthCount[f]) / fieldWeight[f]
		l.steep[f] = lengthCount[f] / fieldWeight[f] / v.average(f)
	}
	for i := range q.asked {
		a := &q.asked[i]
		for _, x := range a.alts {
			w := word{bit: 1 << i, own: x.weight == 1, worth: x.weight * a.idf * (saturation + 1)}
			for _, g := range v.segments() {
				if k := g.find(x.term); k >= 0 {
					w.in(g, k, &l, s)
				}
				w.offset += uint32(len(g.secs))
			}
		}
		for _, sec := range s.mine {
			s.score[sec] += s.now[sec]
			s.now[sec] = 0
		}
		s.mine = s.mine[:0]
	}
}

// lengthRule is by what a count is divided: flat + steep · length of the field.
type lengthRule struct{ flat, steep [fields]float64 }

// word is one word of the index that stands for the word bit of the question.
type word struct {
	bit    uint32
	own    bool // it is the question's own word
	worth  float64
	offset uint32
}

// in scores the sections of a segment that have the word. Of the words that stand
// for one of the question the best counts.
func (w word) in(g *segment, term int, l *lengthRule, s *scratch) {
	for p := (postings{rest: g.list(term)}); p.next() && int(p.sec) < len(g.secs); {
		n := &g.secs[p.sec].len
		sec := p.sec + w.offset
		sum := float64(p.has[inBody]) / (l.flat[inBody] + l.steep[inBody]*float64(n[inBody]))
		if p.has[inTitle]|p.has[inHead] != 0 {
			sum += float64(p.has[inTitle])/(l.flat[inTitle]+l.steep[inTitle]*float64(n[inTitle])) +
				float64(p.has[inHead])/(l.flat[inHead]+l.steep[inHead]*float64(n[inHead]))
			s.head[sec] |= w.bit
		}
		if s.any[sec] == 0 {
			s.secs = append(s.secs, sec)
		}
		s.any[sec] |= w.bit
		if w.own {
			s.exact[sec] |= w.bit
		}
		if score := float32(w.worth * sum / (saturation + sum)); score > s.now[sec] {
			if s.now[sec] == 0 {
				s.mine = append(s.mine, sec)
			}
			s.now[sec] = score
		}
	}
}

// docOf is the document of a section.
func (v *view) docOf(sec uint32) uint32 {
	if n := uint32(len(v.base.secs)); sec >= n {
		return v.delta.secs[sec-n].doc + uint32(len(v.base.docs))
	}
	return v.base.secs[sec].doc
}

// document is a document with the number of its first section; alive is false for
// one that has changed since.
func (v *view) document(doc uint32) (d *document, first uint32, alive bool) {
	if n := uint32(len(v.base.docs)); doc >= n {
		d = &v.delta.docs[doc-n]
		return d, d.first + uint32(len(v.base.secs)), true
	}
	d = &v.base.docs[doc]
	return d, d.first, !v.gone[doc]
}

// collect brings the sections of each document together.
func (v *view) collect(s *scratch) {
	for _, sec := range s.secs {
		doc, w := v.docOf(sec), s.score[sec]
		if s.whole[doc] == 0 {
			s.docs = append(s.docs, doc)
		}
		s.whole[doc] |= s.any[sec]
		switch {
		case w > s.top[doc] || w == s.top[doc] && sec < s.at[doc]:
			s.runner[doc], s.also[doc] = s.top[doc], s.at[doc]
			s.top[doc], s.at[doc] = w, sec
		case w > s.runner[doc] || w == s.runner[doc] && sec < s.also[doc]:
			s.runner[doc], s.also[doc] = w, sec
		}
	}
}

// ranked is a document with its score.
type ranked struct {
	doc   uint32
	id    string
	score float64
}

func (v *view) best(q *question, s *scratch, f filter, limit int) []Hit {
	best := make([]ranked, 0, limit+1)
	for _, doc := range s.docs {
		d, _, alive := v.document(doc)
		if !alive || !f.keeps(d) {
			continue
		}
		w := float64(s.top[doc]) + secondBest*float64(s.runner[doc])
		if len(best) == limit && 2*w < best[limit-1].score { // no share can make it one of the best
			continue
		}
		w *= 1 + q.share(s.whole[doc])
		if d.lang != q.lang {
			w *= foreign
		}
		r := ranked{doc, d.id, w}
		i, _ := slices.BinarySearchFunc(best, r, func(a, b ranked) int {
			return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.id, b.id))
		})
		if best = slices.Insert(best, i, r); len(best) > limit {
			best = best[:limit]
		}
	}
	hits := make([]Hit, len(best))
	for i, r := range best {
		hits[i] = v.hit(q, s, r)
	}
	return hits
}

func (v *view) hit(q *question, s *scratch, r ranked) Hit {
	_, first, _ := v.document(r.doc)
	at := s.at[r.doc]
	h := Hit{
		ID: r.id, Score: r.score, Sections: []int{int(at - first)}, Words: bits.OnesCount32(s.any[at]),
		Cover: q.share(s.any[at]), Exact: q.share(s.exact[at]), Head: q.share(s.head[at]), Whole: q.share(s.whole[r.doc]),
	}
	if s.runner[r.doc] > 0 {
		h.Sections = append(h.Sections, int(s.also[r.doc]-first))
	}
	return h
}

// smoothing keeps the first of a list from counting for everything.
const smoothing = 3

// interleave joins what a follow-up finds alone and with the question before it, by
// the places that documents have in both.
func interleave(alone, joined []Hit, limit int) []Hit {
	score := map[string]float64{}
	all := slices.Clone(alone)
	for i, h := range alone {
		score[h.ID] = 1 / float64(i+smoothing)
	}
	for i, h := range joined {
		if score[h.ID] == 0 {
			all = append(all, h)
		}
		score[h.ID] += 1 / float64(i+smoothing)
	}
	slices.SortStableFunc(all, func(a, b Hit) int { return cmp.Compare(score[b.ID], score[a.ID]) })
	return all[:min(limit, len(all))]
}
