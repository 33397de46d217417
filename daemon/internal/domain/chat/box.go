package chat

// What waits for a reader may not grow beyond this.
const (
	boxItems = 64
	boxBytes = 256 << 10
)

// box is what waits for one reader, who takes it when woken. It never
// makes a writer wait: a reader that lets too much gather loses it all and has
// to come back. Its owner's lock guards it.
type box[T any] struct {
	wake  func() // of the reader; nil is nobody
	woken bool   // since the last take
	items []T
	// bounded begins when the reader has been given what it starts with, which
	// is let in however much it is.
	bounded bool
	count   int // of items since then
	bytes   int
	lost    bool
}

// add puts v in. When there is no room it puts last in place of everything.
func (b *box[T]) add(v T, size int, last T) {
	if b.lost {
		return
	}
	if b.bounded {
		b.count++
		b.bytes += size
	}
	if b.count > boxItems || b.bytes > boxBytes {
		b.end(last)
		return
	}
	b.items = append(b.items, v)
	b.notify()
}

// grow makes room for size more in the last item, which the caller extends.
func (b *box[T]) grow(size int) (ok bool) {
	if b.lost || b.count == 0 || b.bytes+size > boxBytes {
		return false
	}
	b.bytes += size
	b.notify()
	return true
}

// end puts last in place of everything; nothing follows.
func (b *box[T]) end(last T) {
	if b.lost {
		return
	}
	b.items, b.lost = []T{last}, true
	b.notify()
}

// last is the item put in last, nil when there is none.
func (b *box[T]) last() *T {
	if len(b.items) == 0 {
		return nil
	}
	return &b.items[len(b.items)-1]
}

func (b *box[T]) take() []T {
	items := b.items
	b.items, b.count, b.bytes, b.woken = nil, 0, 0, false
	return items
}

// notify wakes the reader once until it takes.
func (b *box[T]) notify() {
	if !b.woken && b.wake != nil {
		b.wake()
	}
	b.woken = true
}
