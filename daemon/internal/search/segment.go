package search

import (
	"encoding/binary"
	"math"
	"sort"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

// The fields of a section.
const (
	inTitle = iota // of the document, with its other names
	inHead         // headings above the section, and its own
	inBody
	fields
)

// counts is how often a word is in each field of a section, at most 255.
type counts [fields]uint8

// onceInBody is what most words of most sections have.
var onceInBody = counts{inBody: 1}

// lengths are the words of a section's fields, at most 65,535.
type lengths [fields]uint16

type section struct {
	doc uint32
	len lengths
}

type document struct {
	id             string
	status, locale string
	lang           *words.Language
	first, n       uint32 // of its sections
}

// segment is documents that are indexed, packed and never changed. Of each word
// it has the sections in which the word is. It holds no text.
type segment struct {
	docs  []document
	secs  []section
	total [fields]int // words
	byID  map[string]uint32

	terms string   // sorted, one behind the other
	ends  []uint32 // of the terms
	lists []byte   // see postings
	at    []uint32 // ends of the lists
	df    []uint32 // documents that have the term
}

func (g *segment) term(i int) string { return g.terms[begin(g.ends, i):g.ends[i]] }

func (g *segment) list(i int) []byte { return g.lists[begin(g.at, i):g.at[i]] }

func begin(ends []uint32, i int) uint32 {
	if i == 0 {
		return 0
	}
	return ends[i-1]
}

// from is the place of the first term that is not before term.
func (g *segment) from(term string) int {
	return sort.Search(len(g.ends), func(i int) bool { return g.term(i) >= term })
}

// find is the place of a term, -1 when there is none.
func (g *segment) find(term string) int {
	if i := g.from(term); i < len(g.ends) && g.term(i) == term {
		return i
	}
	return -1
}

// The sections of a term are a list of differences, each twice the difference to
// the section before. One more says that counts follow: a byte that tells the
// fields by a bit each, and a byte for each of those. Without, the term is in
// the body once.
const (
	countsFollow = 1
	maxTimes     = math.MaxUint8
)

// postings reads a list of sections. It never reads behind the list's end.
type postings struct {
	rest []byte
	sec  uint32
	has  counts
}

// next goes to the next section; ok is false behind the last.
func (p *postings) next() (ok bool) {
	if len(p.rest) == 0 {
		return false
	}
	v, n := uint64(p.rest[0]), 1
	if v >= 0x80 {
		if v, n = binary.Uvarint(p.rest); n <= 0 {
			return false
		}
	}
	p.rest = p.rest[n:]
	p.sec += uint32(v >> 1)
	p.has = onceInBody
	return v&countsFollow == 0 || p.counts()
}

func (p *postings) counts() (ok bool) {
	if len(p.rest) == 0 {
		return false
	}
	mask := p.rest[0]
	p.rest, p.has = p.rest[1:], counts{}
	for f := range p.has {
		if mask&(1<<f) == 0 {
			continue
		}
		if len(p.rest) == 0 {
			return false
		}
		p.has[f], p.rest = p.rest[0], p.rest[1:]
	}
	return true
}

// appendPosting adds a section to a list whose last one is before.
func appendPosting(list []byte, before, sec uint32, has counts) []byte {
	v := uint64(sec-before) << 1
	if has == onceInBody {
		return binary.AppendUvarint(list, v)
	}
	list = binary.AppendUvarint(list, v|countsFollow)
	mask := len(list)
	list = append(list, 0)
	for f, n := range has {
		if n > 0 {
			list[mask] |= 1 << f
			list = append(list, n)
		}
	}
	return list
}

// bytes is about what a segment takes in memory.
func (g *segment) bytes() int64 {
	const perTerm, perSection, perDocument = 12, 12, 200
	return int64(len(g.terms)+len(g.lists)) + perTerm*int64(len(g.ends)) + perSection*int64(len(g.secs)) + perDocument*int64(len(g.docs))
}
