package bolt

import (
	"bytes"

	"edgesvc.dev/svc/kv"
)

// entry is one write. An empty value deletes.
type entry struct {
	key, value []byte
}

// overlay holds writes that are not in the file yet. Entries stay where they
// were added; order lists them by key, in four bytes each, which keeps inserts
// into the middle cheap.
type overlay struct {
	entries []entry
	order   []int32
	size    int // bytes of keys and values
}

func (o *overlay) reset() {
	clear(o.entries)
	o.entries, o.order, o.size = o.entries[:0], o.order[:0], 0
}

func (o *overlay) at(i int) *entry { return &o.entries[o.order[i]] }

// find returns the place of the first entry that is not before key.
func (o *overlay) find(key []byte) (i int, found bool) {
	lo, hi := 0, len(o.order)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		switch c := bytes.Compare(o.at(mid).key, key); {
		case c == 0:
			return mid, true
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return lo, false
}

func (o *overlay) get(key []byte) (value []byte, found bool) {
	if len(o.order) == 0 {
		return nil, false
	}
	i, found := o.find(key)
	if !found {
		return nil, false
	}
	return o.at(i).value, true
}

// set keeps e, whose slices must not change until reset.
func (o *overlay) set(e entry) {
	o.size += len(e.key) + len(e.value)
	i, found := o.find(e.key)
	if found {
		o.size -= len(e.key) + len(o.at(i).value)
		o.at(i).value = e.value
		return
	}
	o.entries = append(o.entries, e)
	o.order = append(o.order, 0)
	copy(o.order[i+1:], o.order[i:])
	o.order[i] = int32(len(o.entries) - 1)
}

// add sets every entry of other.
func (o *overlay) add(other *overlay) {
	for i := range other.order {
		o.set(*other.at(i))
	}
}

// walk steps through the entries of a range.
type walk struct {
	o       *overlay
	lo, hi  int // what is left
	reverse bool
}

func (o *overlay) walk(r kv.Range) *walk {
	w := &walk{o: o, hi: len(o.order), reverse: r.Reverse}
	w.lo, _ = o.find(r.From)
	if r.To != nil {
		w.hi, _ = o.find(r.To)
	}
	return w
}

func (w *walk) next() (key, value []byte, err error) {
	if w.lo >= w.hi {
		return nil, nil, nil
	}
	i := w.lo
	if w.reverse {
		w.hi--
		i = w.hi
	} else {
		w.lo++
	}
	e := w.o.at(i)
	return e.key, e.value, nil
}

// arena hands out memory that lives until reset: the keys and values of one
// commit, which bbolt refers to until the commit ends.
type arena struct {
	chunk []byte
}

const chunkSize = 256 << 10

func (a *arena) reset() {
	a.chunk = a.chunk[:0]
}

func (a *arena) copy(b []byte) []byte {
	if len(b) > chunkSize/4 {
		return bytes.Clone(b)
	}
	if cap(a.chunk)-len(a.chunk) < len(b) {
		a.chunk = make([]byte, 0, chunkSize)
	}
	n := len(a.chunk)
	a.chunk = append(a.chunk, b...)
	return a.chunk[n:len(a.chunk):len(a.chunk)]
}
