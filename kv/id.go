package kv

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"time"
)

const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// NewID returns a TypeID: prefix, "_" and a UUIDv7 as 26 characters of
// Crockford base32 in lower case (https://github.com/jetify-com/typeid). Ids
// that one process makes sort in the order they were made.
func NewID(prefix string) string { return newID(prefix, time.Now) }

// IDAt is NewID for the time t. Ids made for the same millisecond still ascend.
func IDAt(prefix string, t time.Time) string {
	return newID(prefix, func() time.Time { return t })
}

func newID(prefix string, clock func() time.Time) string {
	var u [16]byte
	if _, err := rand.Read(u[8:]); err != nil {
		panic(err) // documented never to happen
	}
	ticks := lastID.next(clock)
	binary.BigEndian.PutUint64(u[:8], ticks>>12<<16|0x7000|ticks&0xfff)
	u[8] = u[8]&0x3f | 0x80
	return appendID(prefix, u)
}

// IDFrom is the id of prefix for the time t that these bytes make: the same ones
// make the same id. The bytes must be as good as random, such as those of a hash;
// six of their bits are not used.
func IDFrom(prefix string, t time.Time, random [10]byte) string {
	var u [16]byte
	binary.BigEndian.PutUint64(u[:8], uint64(max(t.UnixMilli(), 0))<<16)
	copy(u[6:], random[:])
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	return appendID(prefix, u)
}

// IDFloor is the smallest id of prefix that IDAt can make at t or later. It
// bounds scans by creation time.
func IDFloor(prefix string, t time.Time) string {
	var u [16]byte
	binary.BigEndian.PutUint64(u[:8], uint64(max(t.UnixMilli(), 0))<<16)
	return appendID(prefix, u)
}

// ValidID reports whether s is prefix, "_" and 26 characters of the alphabet.
func ValidID(prefix, s string) bool {
	if len(s) != len(prefix)+27 || s[:len(prefix)] != prefix || s[len(prefix)] != '_' || s[len(prefix)+1] > '7' {
		return false
	}
	for i := len(prefix) + 1; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z' || c == 'i' || c == 'l' || c == 'o' || c == 'u') {
			return false
		}
	}
	return true
}

func appendID(prefix string, u [16]byte) string {
	b := make([]byte, len(prefix)+27)
	n := copy(b, prefix)
	b[n] = '_'
	// 128 bits in 26 groups of five, the first group holding only three.
	hi, lo := binary.BigEndian.Uint64(u[:8]), binary.BigEndian.Uint64(u[8:])
	for i := len(b) - 1; i > n; i-- {
		b[i] = idAlphabet[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(b)
}

// idClock hands out milliseconds with a 12-bit counter, never the same value
// twice and never one below an earlier one.
type idClock struct {
	mu   sync.Mutex // guards last
	last uint64
}

// lastID is the only state of this package: ids must ascend across all users
// of a process.
var lastID idClock

// idBurst is how far ids may run ahead of the clock: 16 ms at 4096 an instant. A
// clock that is further back was set back, and ids follow it.
const idBurst = 16 << 12

// next reads the clock while others wait: a time read before could be taken for
// one of a clock that was set back.
func (c *idClock) next(clock func() time.Time) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := uint64(max(clock().UnixMilli(), 0)) << 12
	if now <= c.last && c.last-now < idBurst {
		now = c.last + 1
	}
	c.last = now
	return now
}
