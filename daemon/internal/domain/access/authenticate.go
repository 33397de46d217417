package access

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/refusals"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// secret is all that a request with a key needs to know, in the one record that
// its fingerprint leads to. The key's own record is what members see; changes are
// written to both in one transaction.
type secret struct {
	Hash    []byte   `json:"h"`
	Team    string   `json:"t"`
	Key     string   `json:"k"`
	Name    string   `json:"n"`
	Scopes  string   `json:"s"`           // as op.Scope prints them: stays right when scopes are added
	Expires api.Time `json:"e,omitempty"` // of the key
	Until   api.Time `json:"u,omitempty"` // of this secret, after the key was rolled
	Revoked api.Time `json:"r,omitempty"`
}

func (v *secret) fingerprint() []byte { return v.Hash }

var secrets = kv.NewTable[secret]("secret")

// Authenticate turns a team API key into its caller. Its refusals are
// missing_key, invalid_key, revoked_key, expired_key, and rate_limited for an
// address that has tried too many that are wrong; a right key is never refused
// for what others tried.
func (s *Service) Authenticate(ctx context.Context, bearer, address string) (op.Caller, error) {
	if bearer == "" {
		return op.Caller{}, api.NewError(http.StatusUnauthorized, api.CodeMissingKey,
			"Send a team API key as Authorization: Bearer svc_….")
	}
	f, ok := ParseKey(bearer)
	if !ok {
		return op.Caller{}, s.wrong(address, invalidKey())
	}
	v, err := s.secret(ctx, &f)
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		return op.Caller{}, s.wrong(address, invalidKey())
	}
	if err != nil {
		return op.Caller{}, err
	}
	now := s.now()
	if e := v.refusal(now); e != nil {
		return op.Caller{}, s.wrong(address, e)
	}
	s.notes.used(v.Team, v.Key, now)
	return op.Caller{
		Kind: op.Key, Credential: v.Key, Team: v.Team,
		Actor: api.Actor{Type: "key", ID: v.Key}, Name: v.Name,
		Scopes: parseScopes(v.Scopes), ExpiresAt: v.Expires, Address: address,
	}, nil
}

func (s *Service) secret(ctx context.Context, f *Fingerprint) (*secret, error) {
	return s.secrets.find(f, func() (v *secret, err error) {
		err = s.store.View(ctx, func(tx kv.Tx) (err error) {
			v, err = find(tx, secrets, f)
			return err
		})
		return v, err
	})
}

func invalidKey() *api.Error {
	return api.NewError(http.StatusUnauthorized, api.CodeInvalidKey, "This is not a key of any team. Check that it was copied whole.")
}

func (v *secret) refusal(now api.Time) *api.Error {
	switch {
	case v.Revoked != 0:
		return api.NewError(http.StatusUnauthorized, api.CodeRevokedKey, "This key was revoked at %s.", v.Revoked)
	case v.Until != 0 && v.Until <= now:
		return api.NewError(http.StatusUnauthorized, api.CodeRevokedKey, "This key was replaced by another, and ended at %s.", v.Until)
	case v.Expires != 0 && v.Expires <= now:
		return api.NewError(http.StatusUnauthorized, api.CodeExpiredKey, "This key expired at %s.", v.Expires)
	}
	return nil
}

// wrong counts a credential that did not work against its address.
func (s *Service) wrong(address string, e *api.Error) error {
	if wait := s.guesses.spend(origin(address), s.Now()); wait > 0 {
		return tooMany(wait)
	}
	refusals.BadKey.Count()
	return e
}

func parseScopes(text string) op.Scope {
	if text == "*" {
		return op.AllScopes
	}
	set, _ := op.ParseScopes(strings.Fields(text))
	return set
}
