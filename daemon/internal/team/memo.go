package team

import (
	"sync"

	"edgesvc.dev/svc/kv"
)

// memoSize is the most keys that a memo holds; beyond it starts anew.
const memoSize = 10_000

// memo keeps the secrets that requests came with for as long as the store stays
// as it is: between two commits a key is read once. It is safe for concurrent
// use, and holds nothing when the store does not tell its version.
type memo struct {
	store kv.Versioned

	mu   sync.RWMutex // guards seen
	seen map[Fingerprint]sighting
}

type sighting struct {
	secret  *secret // not to be changed
	version int64
}

func newMemo(store kv.Store) *memo {
	versioned, _ := store.(kv.Versioned)
	return &memo{store: versioned, seen: map[Fingerprint]sighting{}}
}

// secret returns what f leads to, from read when the store has changed since it
// was read last.
func (m *memo) secret(f *Fingerprint, read func() (*secret, error)) (*secret, error) {
	if m.store == nil {
		return read()
	}
	version, ok := m.store.Version()
	if !ok {
		return read() // it says why
	}
	m.mu.RLock()
	last := m.seen[*f]
	m.mu.RUnlock()
	if last.secret != nil && last.version == version {
		return last.secret, nil
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
	m.seen[*f] = sighting{v, version}
	return v, nil
}
