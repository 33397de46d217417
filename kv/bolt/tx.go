package bolt

import (
	"bytes"
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"edgesvc.dev/svc/kv"
)

var (
	errTxEnded   = errors.New("transaction is used after its function returned")
	errScanWrite = errors.New("write inside Scan")
)

// reader reads committed pages. bbolt panics on pages that make no sense; a
// reader turns that into a *kv.CorruptError.
type reader struct {
	bucket *bolt.Bucket
	seek   *bolt.Cursor // kept for Get: a cursor that is used again allocates nothing
}

func (r *reader) get(key []byte) (value []byte, err error) {
	defer damaged(key, &err)
	if r.seek == nil {
		r.seek = r.bucket.Cursor()
	}
	k, v := r.seek.Seek(key)
	if k == nil || !bytes.Equal(k, key) {
		return nil, nil
	}
	return v, nil
}

func (r *reader) walk(rg kv.Range) *cursor {
	return &cursor{c: r.bucket.Cursor(), r: rg}
}

// cursor steps through the pairs of a range.
type cursor struct {
	c       *bolt.Cursor
	r       kv.Range
	started bool
}

func (c *cursor) next() (key, value []byte, err error) {
	defer damaged(c.r.From, &err)
	key, value = c.step()
	switch {
	case key == nil:
		return nil, nil, nil
	case c.r.Reverse && bytes.Compare(key, c.r.From) < 0:
		return nil, nil, nil
	case !c.r.Reverse && c.r.To != nil && bytes.Compare(key, c.r.To) >= 0:
		return nil, nil, nil
	}
	return key, value, nil
}

func (c *cursor) step() (key, value []byte) {
	started := c.started
	c.started = true
	switch {
	case started && c.r.Reverse:
		return c.c.Prev()
	case started:
		return c.c.Next()
	case !c.r.Reverse:
		return c.c.Seek(c.r.From)
	case c.r.To == nil:
		return c.c.Last()
	}
	if key, _ = c.c.Seek(c.r.To); key == nil {
		return c.c.Last()
	}
	return c.c.Prev()
}

// damaged is deferred around calls of bbolt that read pages.
func damaged(key []byte, err *error) {
	if p := recover(); p != nil {
		*err = &kv.CorruptError{Key: bytes.Clone(key), Reason: fmt.Sprintf("damaged page: %v", p)}
	}
}

// fault returns the error for a panic of a function that touched bytes of a
// damaged page that lie outside the file, nil for any other panic.
func fault(p any) error {
	at, ok := p.(interface {
		error
		Addr() uintptr // of debug.SetPanicOnFault
	})
	if !ok {
		return nil
	}
	return &kv.CorruptError{Reason: "damaged page: " + at.Error()}
}

// viewTx is the kv.Tx of a View.
type viewTx struct {
	reader
	tx *bolt.Tx
}

func (t *viewTx) Get(key []byte) ([]byte, error) { return t.get(key) }
func (t *viewTx) Put(_, _ []byte) error          { return kv.ErrReadOnly }
func (t *viewTx) Delete([]byte) error            { return kv.ErrReadOnly }
func (t *viewTx) OnCommit(func())                {}

func (t *viewTx) Scan(r kv.Range, fn func(key, value []byte) error) error {
	c := t.walk(r)
	for {
		k, v, err := c.next()
		if err != nil || k == nil {
			return err
		}
		if err := fn(k, v); err != nil {
			return stopped(err)
		}
	}
}

func stopped(err error) error {
	if errors.Is(err, kv.Stop) {
		return nil
	}
	return err
}

// updateTx is the kv.Tx of one Update function: its own writes over those of
// the functions before it in the same commit over the file.
type updateTx struct {
	own, batch *overlay
	base       *reader
	memory     *arena
	sizes      *sizes
	read       []entry // the first pairs that were read from the file
	hooks      []func()
	limits     []limit
	reserve    bool
	scans      int
	ended      bool
}

func (t *updateTx) Get(key []byte) ([]byte, error) {
	if t.ended {
		return nil, errTxEnded
	}
	if v, ok := t.own.get(key); ok {
		return v, nil
	}
	if v, ok := t.batch.get(key); ok {
		return v, nil
	}
	v, err := t.base.get(key)
	if err == nil && len(t.read) < keptReads {
		t.read = append(t.read, entry{t.memory.copy(key), v})
	}
	return v, err
}

// keptReads is how many pairs a function's reads are remembered of: what it
// changes it has mostly read just before.
const keptReads = 8

// before is what a key held before the function. Damage will show when it is
// read.
func (t *updateTx) before(key []byte) []byte {
	if v, ok := t.batch.get(key); ok {
		return v
	}
	for i := range t.read {
		if bytes.Equal(t.read[i].key, key) {
			return t.read[i].value
		}
	}
	v, _ := t.base.get(key)
	return v
}

func (t *updateTx) Put(key, value []byte) error {
	switch {
	case t.ended:
		return errTxEnded
	case t.scans > 0:
		return errScanWrite
	case len(key) == 0 || len(key) > kv.MaxKey && len(value) > 0:
		return fmt.Errorf("key of %d bytes is not between 1 and %d", len(key), kv.MaxKey)
	case len(value) > kv.MaxValue:
		return fmt.Errorf("value of %d bytes is longer than %d", len(value), kv.MaxValue)
	}
	var e entry
	e.key = t.memory.copy(key)
	if len(value) > 0 {
		e.value = t.memory.copy(value)
	}
	t.own.set(e)
	return nil
}

func (t *updateTx) Delete(key []byte) error { return t.Put(key, nil) }

func (t *updateTx) OnCommit(fn func()) { t.hooks = append(t.hooks, fn) }

func (t *updateTx) Scan(r kv.Range, fn func(key, value []byte) error) error {
	if t.ended {
		return errTxEnded
	}
	if r.To != nil && bytes.Compare(r.From, r.To) >= 0 {
		return nil
	}
	t.scans++
	defer func() { t.scans-- }()
	m := merge{reverse: r.Reverse, layers: [3]layer{
		{from: t.own.walk(r)}, {from: t.batch.walk(r)}, {from: t.base.walk(r)},
	}}
	if err := m.start(); err != nil {
		return err
	}
	for {
		k, v, err := m.next()
		if err != nil || k == nil {
			return err
		}
		if len(v) == 0 {
			continue
		}
		if err := fn(k, v); err != nil {
			return stopped(err)
		}
	}
}

// merge reads three layers as one; of equal keys the upper layer's counts.
type merge struct {
	layers  [3]layer
	reverse bool
}

type layer struct {
	from interface {
		next() (key, value []byte, err error)
	}
	key, value []byte
}

func (l *layer) advance() (err error) {
	l.key, l.value, err = l.from.next()
	return err
}

func (m *merge) start() error {
	for i := range m.layers {
		if err := m.layers[i].advance(); err != nil {
			return err
		}
	}
	return nil
}

func (m *merge) next() (key, value []byte, err error) {
	for i := range m.layers {
		if l := &m.layers[i]; l.key != nil && (key == nil || m.before(l.key, key)) {
			key, value = l.key, l.value
		}
	}
	for i := range m.layers {
		if l := &m.layers[i]; l.key != nil && bytes.Equal(l.key, key) {
			if err := l.advance(); err != nil {
				return nil, nil, err
			}
		}
	}
	return key, value, nil
}

func (m *merge) before(a, b []byte) bool {
	c := bytes.Compare(a, b)
	return c < 0 && !m.reverse || c > 0 && m.reverse
}
