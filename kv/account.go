package kv

import (
	"bytes"
	"fmt"
)

// A store may count what each team holds, keep back a reserve and hold a team to
// a limit. What a transaction says of that goes through the functions here; a
// store that does not count takes no notice.

// TeamFullError is returned by Update when what the function wrote would take a
// team beyond the limit that the function named. It is an ErrFull, too.
type TeamFullError struct {
	Team        string
	Size, Limit int64 // bytes: with what was to be written, and the most there may be
}

func (e *TeamFullError) Error() string {
	return fmt.Sprintf("kv: team %s would hold %d bytes of %d", e.Team, e.Size, e.Limit)
}

// Is makes the error one of those that a full store gives.
func (e *TeamFullError) Is(target error) bool { return target == ErrFull }

// UseReserve lets the transaction grow although the store is full or the team is
// at its limit. It is for what an owner needs to get in and make space: signing
// in, archiving, deleting. The store grants half of its reserve to it; the other
// half is left for transactions that shrink the store, which always pass.
func UseReserve(tx Tx) {
	if a, ok := tx.(interface{ UseReserve() }); ok {
		a.UseReserve()
	}
}

// Limit has the transaction refused with a *TeamFullError when it leaves team
// with more bytes than it found, and with more than limit. 0 is no limit.
func Limit(tx Tx, team string, limit int64) {
	if a, ok := tx.(interface {
		Limit(team string, limit int64)
	}); ok && limit > 0 {
		a.Limit(team, limit)
	}
}

// Size returns how many bytes of keys and values a team holds: its records and
// their bodies. The index entries that list them are small beside those and are
// left out, since counting them takes a look-up for each. It is counted with each
// commit, not when it is asked for. What the transaction itself has written so
// far is not in it.
func Size(tx Tx, team string) int64 {
	if a, ok := tx.(interface{ Size(team string) int64 }); ok {
		return a.Size(team)
	}
	return 0
}

// TeamOf returns whose record or body a stored pair is, nil when it is nobody's.
// It checks nothing: a value that makes no sense is nobody's.
func TeamOf(value []byte) []byte {
	if len(value) < valueHeader {
		return nil
	}
	if n := int(value[5]); n > 0 && len(value) >= valueHeader+n {
		return value[valueHeader : valueHeader+n]
	}
	return nil
}

// IsIndexEntry reports whether a key is that of an index entry, which does not
// count for a team.
func IsIndexEntry(key []byte) bool {
	end := bytes.IndexByte(key, 0) // of the table's name, which has no zero byte
	return end >= 0 && bytes.HasPrefix(key[end+1:], []byte(indexKind+"\x00"))
}
