package access

import (
	"sync"

	"edgesvc.dev/svc/kv"
)

// memoSize is the most secrets that a memo holds; beyond it starts anew.
const memoSize = 10_000

// memo keeps what the secrets led to that requests came with, for as long as the
// tables that this was read from stay as they are. What depends on
// the time is for the caller to check. It is safe for concurrent use, and holds
// nothing when the store does not tell its version.
type memo[T any] struct {
	store  kv.Versioned
	tables []string // that reads go to

	mu   sync.RWMutex // guards seen
	seen map[Fingerprint]sighting[T]
}

type sighting[T any] struct {
	found   *T // not to be changed
	version int64
}

func newMemo[T any](store kv.Store, tables ...string) *memo[T] {
	versioned, _ := store.(kv.Versioned)
	return &memo[T]{store: versioned, tables: tables, seen: map[Fingerprint]sighting[T]{}}
}

// find returns what f leads to, from read when the store has changed since it
// was read last.
func (m *memo[T]) find(f *Fingerprint, read func() (*T, error)) (*T, error) {
	if m.store == nil {
		return read()
	}
	version, ok := m.store.Version(m.tables...)
	if !ok {
		return read() // it says why
	}
	m.mu.RLock()
	last := m.seen[*f]
	m.mu.RUnlock()
	if last.found != nil && last.version == version {
		return last.found, nil
	}
	v, err := read()
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.seen) >= memoSize {
		clear(m.seen)
	}
	m.seen[*f] = sighting[T]{v, version}
	return v, nil
}
