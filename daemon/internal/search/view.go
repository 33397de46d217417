package search

import (
	"maps"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

// view is a team's index at one moment: most of it in a large segment, what
// changed since in a small one. It is never changed, so searches need no lock.
type view struct {
	turn  uint64 // the last change that is in it
	base  *segment
	delta *segment
	gone  map[uint32]bool // documents of base that changed since

	langs    map[*words.Language]int // documents in each
	stemmers []*words.Language       // of those with documents
}

func newView(base *segment, turn uint64) *view {
	return (&view{turn: turn, base: base, delta: &segment{}}).counted()
}

// counted is v with its languages counted.
func (v *view) counted() *view {
	v.langs = map[*words.Language]int{}
	for i := range v.base.docs {
		if !v.gone[uint32(i)] {
			v.langs[v.base.docs[i].lang]++
		}
	}
	for i := range v.delta.docs {
		v.langs[v.delta.docs[i].lang]++
	}
	v.stemmers = nil
	for _, l := range append(words.Languages(), words.Other()) {
		if v.langs[l] > 0 {
			v.stemmers = append(v.stemmers, l)
		}
	}
	return v
}

func (v *view) documents() int { return len(v.base.docs) - len(v.gone) + len(v.delta.docs) }

// maxDelta is how many documents the small segment holds, or hides of the large
// one, before both become one.
func (v *view) maxDelta() int { return max(64, len(v.base.docs)/32) }

// with is the view after documents changed; nil stands for one that is no more.
func (v *view) with(changed map[string]*Document, turn uint64) *view {
	next := &view{turn: turn, base: v.base, gone: maps.Clone(v.gone)}
	var docs []*Document
	hidden := map[uint32]bool{} // of the small segment
	for id, d := range changed {
		if at, ok := v.base.byID[id]; ok {
			if next.gone == nil {
				next.gone = map[uint32]bool{}
			}
			next.gone[at] = true
		}
		if at, ok := v.delta.byID[id]; ok {
			hidden[at] = true
		}
		if d != nil {
			docs = append(docs, d)
		}
	}
	next.delta = merge(part{v.delta, hidden}, part{segment: pack(docs...)})
	if len(next.delta.docs) > v.maxDelta() || len(next.gone) > v.maxDelta() {
		return newView(next.packed(), turn)
	}
	return next.counted()
}

// packed is all of the view in one segment.
func (v *view) packed() *segment {
	if len(v.gone)+len(v.delta.docs) == 0 {
		return v.base
	}
	return merge(part{v.base, v.gone}, part{segment: v.delta})
}

func (v *view) segments() [2]*segment { return [2]*segment{v.base, v.delta} }

// df is how many documents have a term; those that changed count twice until they
// are packed.
func (v *view) df(term string) (n int) {
	for _, g := range v.segments() {
		if i := g.find(term); i >= 0 {
			n += int(g.df[i])
		}
	}
	return n
}

// average is how many words a field of a section has.
func (v *view) average(field int) float64 {
	return max(1, float64(v.base.total[field]+v.delta.total[field])/float64(max(1, len(v.base.secs)+len(v.delta.secs))))
}

func (v *view) bytes() int64 { return v.base.bytes() + v.delta.bytes() }
