package kv

import (
	"bytes"
	"errors"
)

// Page asks for some records of one team along an ordinary index, newest key
// first unless Ascending.
type Page[T any] struct {
	Index string

	// Prefixes are the index keys (made with Key) whose entries are wanted; the
	// results of several are merged in the order of what follows the prefix, and
	// a record that several list at the same place comes once. None means the
	// whole index of the team.
	Prefixes [][]byte

	// From and To bound what follows the prefix, half open. Empty is no bound.
	From, To []byte

	Ascending bool

	// After is the Next of the page before.
	After []byte

	// Limit is the most records to return.
	Limit int

	// Keep drops records; nil keeps all. A page ends after Budget records were
	// looked at (0: 1000), full or not, so that its cost is bounded.
	Keep   func(*T) bool
	Budget int

	// Skip is told of each entry and record that cannot be read; the page goes on
	// without it. When it is nil, List returns the error.
	Skip func(*CorruptError)
}

// Result is one page of records. More says that Next leads to further ones; a
// page that ran out of Budget may be short, even empty, and still have More.
type Result[T any] struct {
	IDs     []string
	Records []*T
	Next    []byte
	More    bool
}

const defaultBudget = 1000

// List returns one page.
func (t *Table[T]) List(tx Tx, team string, p Page[T]) (*Result[T], error) {
	heads, err := t.heads(tx, team, p)
	if err != nil {
		return nil, err
	}
	budget := p.Budget
	if budget == 0 {
		budget = defaultBudget
	}
	out := &Result[T]{}
	var key []byte
	for {
		h := first(heads, p.Ascending)
		if h == nil {
			return out, nil
		}
		if len(out.Records) == p.Limit || budget == 0 {
			out.More = true
			return out, nil
		}
		budget--
		key = AppendPart(append(key[:0], t.records...), h.id)
		v, err := t.listed(tx, team, h, key)
		if err := p.skip(err); err != nil {
			return nil, err
		}
		if v != nil && (p.Keep == nil || p.Keep(v)) {
			out.IDs = append(out.IDs, h.id)
			out.Records = append(out.Records, v)
		}
		out.Next = h.suffix
		if err := pass(tx, heads, out.Next, p.Ascending); err != nil {
			return nil, err
		}
	}
}

// listed is the record that an entry names.
func (t *Table[T]) listed(tx Tx, team string, h *head, key []byte) (*T, error) {
	f, err := t.open(tx, team, h.id, key)
	if err != nil {
		return nil, dangling(err, h.entry)
	}
	return decode[T](key, f)
}

// skip returns the errors that are not to be stepped over.
func (p *Page[T]) skip(err error) error {
	if corrupt, ok := errors.AsType[*CorruptError](err); ok && p.Skip != nil {
		p.Skip(corrupt)
		return nil
	}
	return err
}

// pass moves every head behind suffix: a record that is listed under several of
// the prefixes is met once.
func pass(tx Tx, heads []*head, suffix []byte, ascending bool) error {
	for _, h := range heads {
		if h.id != "" && bytes.Equal(h.suffix, suffix) {
			if err := h.advance(tx, ascending); err != nil {
				return err
			}
		}
	}
	return nil
}

// head is the next entry of one prefix. It fetches entries a few at a time, for
// a scan cannot be paused.
type head struct {
	prefix, from, to []byte
	chunk            int
	buf              []indexEntry
	end              bool
	skip             func(error) error
	fetch            func(Tx, []indexEntry)
	indexEntry
}

type indexEntry struct {
	entry, suffix []byte
	id            string
}

func (t *Table[T]) heads(tx Tx, team string, p Page[T]) ([]*head, error) {
	base := t.indexPrefix(p.Index, team)
	prefixes := p.Prefixes
	if len(prefixes) == 0 {
		prefixes = [][]byte{nil}
	}
	heads := make([]*head, 0, len(prefixes))
	for _, prefix := range prefixes {
		h := &head{prefix: append(bytes.Clone(base), prefix...), chunk: min(p.Limit+1, 64), skip: p.skip, fetch: t.prefetch}
		h.from, h.to = bounds(h.prefix, p)
		if err := h.advance(tx, p.Ascending); err != nil {
			return nil, err
		}
		heads = append(heads, h)
	}
	return heads, nil
}

func bounds[T any](prefix []byte, p Page[T]) (from, to []byte) {
	r := Prefix(prefix)
	from, to = r.From, r.To
	if len(p.From) > 0 {
		from = append(bytes.Clone(prefix), p.From...)
	}
	if len(p.To) > 0 {
		to = append(bytes.Clone(prefix), p.To...)
	}
	if len(p.After) == 0 {
		return from, to
	}
	last := append(bytes.Clone(prefix), p.After...)
	if p.Ascending {
		if next := append(last, 0); bytes.Compare(next, from) > 0 { //nolint:gocritic // last is not used again
			from = next
		}
	} else if to == nil || bytes.Compare(last, to) < 0 {
		to = last
	}
	return from, to
}

// advance moves to the next entry; at the end id is empty.
func (h *head) advance(tx Tx, ascending bool) error {
	if len(h.buf) == 0 && !h.end {
		if err := h.fill(tx, ascending); err != nil {
			return err
		}
	}
	if len(h.buf) == 0 {
		h.indexEntry = indexEntry{}
		return nil
	}
	h.indexEntry, h.buf = h.buf[0], h.buf[1:]
	return nil
}

func (h *head) fill(tx Tx, ascending bool) error {
	if h.to != nil && bytes.Compare(h.from, h.to) >= 0 {
		h.end = true
		return nil
	}
	h.buf = make([]indexEntry, 0, h.chunk)
	var keys []byte // of this chunk, in few pieces
	err := tx.Scan(Range{From: h.from, To: h.to, Reverse: !ascending}, func(k, v []byte) error {
		f, reason := openValue(k, v)
		if reason != "" {
			return h.skip(&CorruptError{Key: bytes.Clone(k), Reason: reason})
		}
		if cap(keys)-len(keys) < len(k) {
			keys = make([]byte, 0, h.chunk*(len(k)+8))
		}
		keys = append(keys, k...)
		entry := keys[len(keys)-len(k) : len(keys) : len(keys)]
		h.buf = append(h.buf, indexEntry{entry: entry, suffix: entry[len(h.prefix):], id: string(f.payload)})
		if len(h.buf) == h.chunk {
			return Stop
		}
		return nil
	})
	if err != nil {
		return err
	}
	h.fetch(tx, h.buf)
	if len(h.buf) < h.chunk {
		h.end = true
		return nil
	}
	if last := h.buf[len(h.buf)-1].entry; ascending {
		h.from = append(bytes.Clone(last), 0)
	} else {
		h.to = last
	}
	return nil
}

// first picks the head whose entry comes next, nil when all are at their end.
func first(heads []*head, ascending bool) *head {
	var best *head
	for _, h := range heads {
		if h.id == "" {
			continue
		}
		if best == nil || (bytes.Compare(h.suffix, best.suffix) < 0) == ascending {
			best = h
		}
	}
	return best
}
