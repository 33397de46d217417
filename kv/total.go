package kv

// Total returns how many records a list has in all pages, and false where that
// takes more than counting index entries: where Keep drops records, or where there
// are more than most. No record is read, so that a record that cannot be is counted
// too.
func (t *Table[T]) Total(tx Tx, team string, p Page[T], most int) (n int, ok bool, err error) {
	if p.Keep != nil {
		return 0, false, nil
	}
	p.After = nil
	if len(p.Prefixes) < 2 {
		n, err = t.entriesUpTo(tx, team, p, most)
		return n, n <= most, err
	}
	// A record that several prefixes list at the same place counts once.
	p.Limit = most
	heads, err := t.heads(tx, team, p)
	if err != nil {
		return 0, false, err
	}
	for _, h := range heads {
		h.fetch = func(Tx, []indexEntry) {}
	}
	for ; n <= most; n++ {
		h := first(heads, p.Ascending)
		if h == nil {
			return n, true, nil
		}
		if err := pass(tx, heads, h.suffix, p.Ascending); err != nil {
			return 0, false, err
		}
	}
	return 0, false, nil
}

// entriesUpTo counts the entries of at most one prefix, and stops behind most.
func (t *Table[T]) entriesUpTo(tx Tx, team string, p Page[T], most int) (n int, err error) {
	prefix := t.indexPrefix(p.Index, team)
	if len(p.Prefixes) == 1 {
		prefix = append(prefix, p.Prefixes[0]...)
	}
	r := Range{}
	r.From, r.To = bounds(prefix, p)
	err = tx.Scan(r, func(_, _ []byte) error {
		if n++; n > most {
			return Stop
		}
		return nil
	})
	return n, err
}
