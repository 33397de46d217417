package kv

// prefetcher is a Tx that can fetch values before they are asked for.
type prefetcher interface {
	// Prefetch fetches what is needed for Get of these keys. It keeps no
	// reference to them.
	Prefetch(keys [][]byte)
}

// Prefetch tells the transaction which keys will be read next, so that a store
// which is a round trip away fetches them at once. It is a hint: it changes no
// answer, and does nothing where reads are cheap.
func Prefetch(tx Tx, keys ...[]byte) {
	if p, ok := tx.(prefetcher); ok {
		p.Prefetch(keys)
	}
}

// prefetch prepares for the records of entries.
func (t *Table[T]) prefetch(tx Tx, entries []indexEntry) {
	p, ok := tx.(prefetcher)
	if !ok {
		return
	}
	keys := make([][]byte, len(entries))
	for i := range entries {
		keys[i] = t.recordKey(entries[i].id)
	}
	p.Prefetch(keys)
}
