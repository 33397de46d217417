package kv

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Key encodes parts as one key that sorts as the tuple does: part by part, a
// shorter part before its extensions. A part may hold any bytes.
func Key(parts ...string) []byte {
	n := 0
	for _, p := range parts {
		n += len(p) + 1
	}
	key := make([]byte, 0, n)
	for _, p := range parts {
		key = AppendPart(key, p)
	}
	return key
}

// AppendPart appends one part to a key. A zero byte inside the part is escaped
// as 00 FF, the end of the part is 00, as in FoundationDB's tuple layer.
func AppendPart(key []byte, part string) []byte {
	if strings.IndexByte(part, 0) < 0 {
		return append(append(key, part...), 0)
	}
	for i := range len(part) {
		key = append(key, part[i])
		if part[i] == 0 {
			key = append(key, 0xff)
		}
	}
	return append(key, 0)
}

// SplitPart returns the first part of key and the rest; ok is false when key
// holds no complete part.
func SplitPart(key []byte) (part string, rest []byte, ok bool) {
	i := bytes.IndexByte(key, 0)
	if i >= 0 && (i+1 == len(key) || key[i+1] != 0xff) {
		return string(key[:i]), key[i+1:], true
	}
	var b []byte
	for i := 0; i < len(key); i++ {
		if key[i] != 0 {
			b = append(b, key[i])
			continue
		}
		if i+1 == len(key) || key[i+1] != 0xff {
			return string(b), key[i+1:], true
		}
		b = append(b, 0)
		i++
	}
	return "", nil, false
}

// Uint64 is n as a part of fixed width that sorts by value.
func Uint64(n uint64) string {
	return string(binary.BigEndian.AppendUint64(nil, n))
}

// ParseUint64 reverses Uint64; ok is false when s is not eight bytes.
func ParseUint64(s string) (n uint64, ok bool) {
	if len(s) != 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64([]byte(s)), true
}

// Next adds one to the counter stored at key and returns the new value: the
// first is 1. Every transaction that calls it writes the key, so a backend with
// snapshots detects two that ran at once.
func Next(tx Tx, key []byte) (uint64, error) {
	n, err := Count(tx, key)
	if err != nil {
		return 0, err
	}
	n++
	return n, tx.Put(key, sealValue(nil, key, "", binary.BigEndian.AppendUint64(nil, n), false))
}

// Count is the value that Next returned last for the counter, 0 for none.
func Count(tx Tx, key []byte) (uint64, error) {
	v, err := tx.Get(key)
	if err != nil || v == nil {
		return 0, err
	}
	f, reason := openValue(key, v)
	if reason == "" && len(f.payload) != 8 {
		reason = "counter is not eight bytes"
	}
	if reason != "" {
		return 0, &CorruptError{Key: bytes.Clone(key), Reason: reason}
	}
	return binary.BigEndian.Uint64(f.payload), nil
}
