package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"hash/crc32"

	"edgesvc.dev/svc/kv"
)

// A key is svc_, 32 random characters of base62 (190 bits), and the CRC-32 (IEEE)
// of those 36 in six more, so that a mistyped key is recognised without the store
// and a scanner of source code can tell a key from noise.
const (
	keyPrefix = "svc_"
	keyRandom = 32
	keySum    = 6
	keyLength = len(keyPrefix) + keyRandom + keySum
	base62    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

func newKey() string {
	key := make([]byte, 0, keyLength)
	key = append(key, keyPrefix...)
	var b [64]byte
	for len(key) < keyLength-keySum {
		_, _ = rand.Read(b[:]) // documented never to fail
		for _, c := range b {
			// 248 is the last multiple of 62: what is above would favour some characters.
			if c < 248 && len(key) < keyLength-keySum {
				key = append(key, base62[c%62])
			}
		}
	}
	sum := checksum(key)
	return string(append(key, sum[:]...))
}

func checksum(b []byte) (sum [keySum]byte) {
	n := crc32.ChecksumIEEE(b)
	for i := keySum - 1; i >= 0; i-- {
		sum[i] = base62[n%62]
		n /= 62
	}
	return sum
}

// ParseKey returns the fingerprint of a key; ok says whether it has the form of
// one, checksum included. It hashes what it is given in either case.
func ParseKey(s string) (f Fingerprint, ok bool) {
	b := []byte(s)
	f = sha256.Sum256(b)
	if len(s) != keyLength || s[:len(keyPrefix)] != keyPrefix {
		return f, false
	}
	body, tail := b[:keyLength-keySum], s[keyLength-keySum:]
	for _, c := range body[len(keyPrefix):] {
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return f, false
		}
	}
	sum := checksum(body)
	return f, string(sum[:]) == tail
}

// The other secrets are their prefix and 256 random bits.
const (
	sessionPrefix = "sess_"
	linkPrefix    = "link_"
)

// Fingerprint is the SHA-256 of a secret. The secrets are random, so a plain hash
// cannot be reversed by trying.
type Fingerprint [sha256.Size]byte

func fingerprint(secret string) Fingerprint { return sha256.Sum256([]byte(secret)) }

// id is where the record of a secret is kept: under the first half of its
// fingerprint. The whole is in the record.
func (f *Fingerprint) id() string { return hex.EncodeToString(f[:len(f)/2]) }

// recognised is a record that is found by a secret.
type recognised interface{ fingerprint() []byte }

// find returns the record of the secret with fingerprint f. What a wrong guess
// shares with a right one does not show in the time that the comparison takes.
func find[T any, P interface {
	*T
	recognised
}](tx kv.Tx, t *kv.Table[T], f *Fingerprint) (*T, error) {
	v, err := t.Get(tx, "", f.id())
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare(P(v).fingerprint(), f[:]) != 1 {
		return nil, &kv.NotFoundError{Table: t.Name(), ID: f.id()}
	}
	return v, nil
}
