package search

import (
	"math"
	"strings"
)

// part is what of a segment goes into another one.
type part struct {
	*segment
	gone map[uint32]bool // documents that do not
}

// merge makes one segment of the documents of several, in that order.
func merge(parts ...part) *segment {
	m := merging{out: &segment{byID: map[string]uint32{}}}
	for _, p := range parts {
		m.documents(p)
	}
	m.terms()
	return m.out
}

// merging is the work on a merge.
type merging struct {
	out  *segment
	from []source
}

// source is a part with where its sections go.
type source struct {
	part
	shift uint32   // of every section, where all of them are kept
	to    []uint32 // of each section where some are not; none for those
	term  int      // the one that is to be merged next
}

const none = math.MaxUint32

func (m *merging) documents(p part) {
	s := source{part: p, shift: uint32(len(m.out.secs))}
	if len(p.gone) > 0 {
		s.to = make([]uint32, len(p.secs))
	}
	for i, d := range p.docs {
		if p.gone[uint32(i)] {
			for sec := d.first; sec < d.first+d.n; sec++ {
				s.to[sec] = none
			}
			continue
		}
		doc, first := uint32(len(m.out.docs)), uint32(len(m.out.secs))
		for sec := d.first; sec < d.first+d.n; sec++ {
			if s.to != nil {
				s.to[sec] = uint32(len(m.out.secs))
			}
			n := p.secs[sec].len
			m.out.secs = append(m.out.secs, section{doc, n})
			for f := range fields {
				m.out.total[f] += int(n[f])
			}
		}
		m.out.byID[d.id] = doc
		d.first = first
		m.out.docs = append(m.out.docs, d)
	}
	m.from = append(m.from, s)
}

// terms merges the terms, which every segment has in order.
func (m *merging) terms() {
	var all strings.Builder
	for {
		least, some := "", false
		for i := range m.from {
			if s := &m.from[i]; s.term < len(s.ends) {
				if t := s.segment.term(s.term); !some || t < least {
					least, some = t, true
				}
			}
		}
		if !some {
			break
		}
		begin, df, last := len(m.out.lists), uint32(0), uint32(0)
		for i := range m.from {
			if s := &m.from[i]; s.term < len(s.ends) && s.segment.term(s.term) == least {
				last = m.list(s, &df, last)
				s.term++
			}
		}
		if len(m.out.lists) == begin {
			continue // no document that is kept has it
		}
		all.WriteString(least)
		m.out.ends = append(m.out.ends, uint32(all.Len()))
		m.out.at = append(m.out.at, uint32(len(m.out.lists)))
		m.out.df = append(m.out.df, df)
	}
	m.out.terms = all.String()
}

// list adds a source's list of the present term behind those of the sources
// before, whose last section is last, and returns the new last one.
func (m *merging) list(s *source, df *uint32, last uint32) uint32 {
	list := s.segment.list(s.term)
	p := postings{rest: list}
	if s.to == nil { // the differences stay, but for the first
		if !p.next() {
			return last
		}
		m.out.lists = appendPosting(m.out.lists, last, p.sec+s.shift, p.has)
		m.out.lists = append(m.out.lists, p.rest...)
		*df += s.df[s.term]
		for p.next() {
		}
		return p.sec + s.shift
	}
	doc := uint32(none)
	for p.next() {
		if int(p.sec) >= len(s.to) || s.to[p.sec] == none {
			continue
		}
		if d := s.secs[p.sec].doc; d != doc {
			doc = d
			*df++
		}
		m.out.lists = appendPosting(m.out.lists, last, s.to[p.sec], p.has)
		last = s.to[p.sec]
	}
	return last
}
