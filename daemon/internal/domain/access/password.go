package access

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"edgesvc.dev/svc/daemon/internal/refusals"
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/sdk/api"
)

// Cost is that of one argon2id hash (RFC 9106).
type Cost struct {
	Memory uint32 // KiB
	Time   uint32
}

// DefaultCost is what OWASP's Password Storage Cheat Sheet asks for: 19 MiB and
// two passes, about 25 ms on a small machine.
var DefaultCost = Cost{Memory: 19 << 10, Time: 2}

const (
	saltLength = 16
	hashLength = 32

	// hashesAtOnce bounds the memory that a crowd at the door takes; those who
	// wait longer than hashPatience are told to come again.
	hashesAtOnce = 2
	hashPatience = 5 * time.Second
)

// newPassword checks the rules for the password of the account email, and
// hashes it.
func (s *Service) newPassword(ctx context.Context, pointer, email, text string) (p roster.Password, err error) {
	switch {
	case utf8.RuneCountInString(text) < api.MinPassword:
		return p, api.Invalid(pointer, "too_short", "The password must have at least %d characters.", api.MinPassword)
	case strings.EqualFold(text, email):
		return p, api.Invalid(pointer, "not_allowed", "The password must differ from the e-mail address.")
	}
	p = roster.Password{Memory: s.Passwords.Memory, Time: s.Passwords.Time, Salt: make([]byte, saltLength)}
	_, _ = rand.Read(p.Salt) // documented never to fail
	p.Hash, err = s.hash(ctx, &p, text)
	return p, err
}

// matches reports whether text is the password. It takes the same time when
// there is no password to match.
func (s *Service) matches(ctx context.Context, p *roster.Password, text string) (bool, error) {
	against := p
	if len(p.Hash) == 0 {
		against = &roster.Password{Memory: s.Passwords.Memory, Time: s.Passwords.Time, Salt: make([]byte, saltLength)}
	}
	hash, err := s.hash(ctx, against, text)
	return subtle.ConstantTimeCompare(hash, p.Hash) == 1, err
}

func (s *Service) hash(ctx context.Context, p *roster.Password, text string) ([]byte, error) {
	patience, cancel := context.WithTimeout(ctx, hashPatience)
	defer cancel()
	select {
	case s.hashing <- struct{}{}:
		defer func() { <-s.hashing }()
	case <-patience.Done():
		refusals.Overloaded.Count()
		e := api.NewError(http.StatusServiceUnavailable, api.CodeOverloaded, "Too many are signing in at once. Try again.")
		e.RetryAfter = int(hashPatience / time.Second)
		return nil, e
	}
	return argon2.IDKey([]byte(text), p.Salt, p.Time, p.Memory, 1, hashLength), nil
}
