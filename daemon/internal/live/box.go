// Package live hands what happens to those who follow it. Whoever tells never waits
// for whoever reads: what a reader has not taken is joined, bounded, and in the end
// thrown away, and the reader has to come back.
package live

// What waits for a bounded reader may not grow beyond this.
const (
	boxItems = 64
	boxBytes = 256 << 10
)

// Box is what waits for one reader. Its owner's lock guards it. The zero box is
// empty and has no bounds.
type Box[T any] struct {
	wake  func() // of the reader; nil is nobody
	woken bool   // since the last take
	items []T

	bounded bool
	count   int // of items since it is bounded
	bytes   int
	lost    bool
}

// Bound says whether what is put in from now on is bounded. A reader is given what
// it starts with before, however much that is.
func (b *Box[T]) Bound(on bool) { b.bounded = on }

// Add puts v in, which takes size bytes. When there is no room it puts last in place
// of everything.
func (b *Box[T]) Add(v T, size int, last T) {
	if b.lost {
		return
	}
	if b.bounded {
		b.count++
		b.bytes += size
	}
	if b.count > boxItems || b.bytes > boxBytes {
		b.End(last)
		return
	}
	b.items = append(b.items, v)
	b.Notify()
}

// Grow makes room for size bytes more in the last item, which the caller extends.
func (b *Box[T]) Grow(size int) (ok bool) {
	if b.lost || len(b.items) == 0 {
		return false
	}
	if b.bounded {
		if b.count == 0 || b.bytes+size > boxBytes {
			return false
		}
		b.bytes += size
	}
	b.Notify()
	return true
}

// End puts last in place of everything; nothing follows.
func (b *Box[T]) End(last T) {
	if b.lost {
		return
	}
	b.items, b.lost = []T{last}, true
	b.Notify()
}

// Lost reports whether the box has ended.
func (b *Box[T]) Lost() bool { return b.lost }

// Last is the item put in last, nil when there is none.
func (b *Box[T]) Last() *T {
	if len(b.items) == 0 {
		return nil
	}
	return &b.items[len(b.items)-1]
}

// Items are those that wait. The caller may change them in place.
func (b *Box[T]) Items() []T { return b.items }

// Take returns what waits and empties the box.
func (b *Box[T]) Take() []T {
	items := b.items
	b.items, b.count, b.bytes, b.woken = nil, 0, 0, false
	return items
}

// Wake has f called when something has come, at once when something has already:
// once from each Take to the next. It is called with the owner's lock held, so it
// only leaves word. nil ends it.
func (b *Box[T]) Wake(f func()) {
	b.wake = f
	if b.woken && f != nil {
		f()
	}
}

// Ready returns a channel that receives when there may be something in the box, in
// place of Wake.
func (b *Box[T]) Ready() <-chan struct{} {
	ready := make(chan struct{}, 1)
	b.Wake(func() {
		select {
		case ready <- struct{}{}:
		default:
		}
	})
	return ready
}

// Notify wakes the reader once until it takes.
func (b *Box[T]) Notify() {
	if !b.woken && b.wake != nil {
		b.wake()
	}
	b.woken = true
}
