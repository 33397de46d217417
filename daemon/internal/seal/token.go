package seal

import (
	"crypto/rand"
	"encoding/base64"
)

// Token returns a new secret: the prefix and 256 random bits.
func Token(prefix string) string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // documented never to fail
	return prefix + base64.RawURLEncoding.EncodeToString(b[:])
}
