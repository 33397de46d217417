// Package refusals counts what the process turns away, by kind. The counts are
// the process's, like its memory, so that every layer can count without being
// handed a counter.
package refusals

import "sync/atomic"

// A Kind is why something was turned away.
type Kind int

// Kinds. Each refusal is counted once, where it is decided.
const (
	RateLimit   Kind = iota // too many requests or connections of one caller
	LockOut                 // too many wrong credentials before
	Visitor                 // a chat visitor's limits
	StorageFull             // of the server
	TeamFull                // a team's share of the storage
	Overloaded              // connections, large bodies, searches or sign-ins at once
	BadKey                  // a key or session that does not work
	kinds
)

var names = [kinds]string{"rate_limit", "lock_out", "visitor", "storage_full", "team_full", "overloaded", "bad_key"}

var counts [kinds]atomic.Int64

// String is the kind's name in figures.
func (k Kind) String() string { return names[k] }

// Count counts one refusal.
func (k Kind) Count() { counts[k].Add(1) }

// Total is how many were counted since the process began.
func (k Kind) Total() int64 { return counts[k].Load() }

// Kinds are all kinds.
func Kinds() []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}
