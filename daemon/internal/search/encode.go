package search

import (
	"encoding/binary"
	"errors"
	"math"

	"edgesvc.dev/svc/daemon/internal/search/words"
)

// encode is a segment as a snapshot holds it.
func (g *segment) encode() []byte {
	b := make([]byte, 0, g.bytes())
	number := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	text := func(s string) {
		number(len(s))
		b = append(b, s...)
	}
	number(len(g.docs))
	number(len(g.secs))
	for _, d := range g.docs {
		text(d.id)
		text(d.status)
		text(d.locale)
		text(d.lang.Code)
		number(int(d.n))
	}
	for _, s := range g.secs {
		for _, n := range s.len {
			number(int(n))
		}
	}
	text(g.terms)
	number(len(g.ends))
	for i := range g.ends {
		number(int(g.ends[i] - begin(g.ends, i)))
		number(int(g.at[i] - begin(g.at, i)))
		number(int(g.df[i]))
	}
	number(len(g.lists))
	return append(b, g.lists...)
}

var errSnapshot = errors.New("it is not a snapshot of this form")

// decode reads what encode wrote. It keeps a part of b.
func decode(b []byte) (*segment, error) {
	r := &snapshotReader{rest: b, known: map[string]string{}}
	g := &segment{byID: map[string]uint32{}}
	g.docs, g.secs = make([]document, r.count(5)), make([]section, r.count(fields))
	r.documents(g)
	for i := range g.secs {
		for f := range fields {
			n := r.number(math.MaxUint16)
			g.secs[i].len[f] = uint16(n)
			g.total[f] += n
		}
	}
	g.terms = string(r.bytes(math.MaxUint32))
	n := r.count(3)
	g.ends, g.at, g.df = make([]uint32, n), make([]uint32, n), make([]uint32, n)
	var end, at int
	for i := range g.ends {
		end, at = end+r.number(len(g.terms)-end), at+r.number(math.MaxUint32-at)
		g.ends[i], g.at[i], g.df[i] = uint32(end), uint32(at), uint32(r.number(len(g.docs)))
	}
	g.lists = r.bytes(math.MaxUint32)
	if r.bad || len(r.rest) > 0 || at != len(g.lists) {
		return nil, errSnapshot
	}
	return g, nil
}

// snapshotReader reads numbers and texts. What cannot be read is 0 or "", and
// noticed.
type snapshotReader struct {
	rest  []byte
	bad   bool
	known map[string]string // texts that are in many documents, once
}

func (r *snapshotReader) fail() int {
	r.rest, r.bad = nil, true
	return 0
}

// number reads a number of at most most.
func (r *snapshotReader) number(most int) int {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || most < 0 || v > uint64(most) {
		return r.fail()
	}
	r.rest = r.rest[n:]
	return int(v)
}

// count reads how many things follow, each of which takes at least size bytes.
func (r *snapshotReader) count(size int) int { return r.number(len(r.rest) / size) }

func (r *snapshotReader) bytes(most int) []byte {
	n := r.number(min(most, len(r.rest)))
	if n > len(r.rest) {
		r.fail()
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *snapshotReader) text() string { return string(r.bytes(math.MaxUint16)) }

// shared is text for what many documents have in common.
func (r *snapshotReader) shared() string {
	b := r.bytes(math.MaxUint16)
	s, ok := r.known[string(b)]
	if !ok {
		s = string(b)
		r.known[s] = s
	}
	return s
}

func (r *snapshotReader) documents(g *segment) {
	first := 0
	for i := range g.docs {
		d := &g.docs[i]
		d.id, d.status, d.locale = r.text(), r.shared(), r.shared()
		if d.lang = words.Of(r.shared()); d.lang == nil {
			d.lang = words.Other()
		}
		n := r.number(len(g.secs) - first)
		d.first, d.n = uint32(first), uint32(n)
		for s := first; s < first+n; s++ {
			g.secs[s].doc = uint32(i)
		}
		first += n
		g.byID[d.id] = uint32(i)
	}
	if first != len(g.secs) {
		r.fail()
	}
}
