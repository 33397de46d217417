package public

import (
	"container/list"
	"sync"
)

// cache keeps rendered bodies by their ETag, which names every version that the
// body was made of; the least recently used go first.
type cache struct {
	mu    sync.Mutex // guards all below
	limit int
	size  int
	order *list.List // of *body, most recently used in front
	byTag map[string]*list.Element
}

// body is a rendered page, plain and compressed. It is never changed.
type body struct {
	etag  string
	plain []byte
	gzip  []byte // nil where compression does not pay
}

func newCache(limit int) *cache {
	return &cache{limit: limit, order: list.New(), byTag: make(map[string]*list.Element)}
}

func (c *cache) get(etag string) *body {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byTag[etag]
	if !ok {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*body)
}

func (c *cache) put(b *body) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byTag[b.etag]; ok || b.cost() > c.limit/4 {
		return
	}
	c.byTag[b.etag] = c.order.PushFront(b)
	c.size += b.cost()
	for c.size > c.limit {
		oldest := c.order.Remove(c.order.Back()).(*body)
		delete(c.byTag, oldest.etag)
		c.size -= oldest.cost()
	}
}

// cost counts the bookkeeping too, roughly.
func (b *body) cost() int { return cap(b.plain) + cap(b.gzip) + 256 }
