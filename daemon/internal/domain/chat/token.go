package chat

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"strings"

	"edgesvc.dev/svc/kv"
)

// secretKey signs the tokens of all visitors. It belongs to the daemon.
type secretKey struct {
	Key []byte `json:"k"`
}

var secrets = kv.NewTable[secretKey]("chatsecret")

const secretID = "visitors"

// key returns the key, which the first to ask makes.
func (s *Service) key(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.secret != nil {
		return s.secret, nil
	}
	fresh := make([]byte, 32)
	if _, err := rand.Read(fresh); err != nil {
		return nil, fmt.Errorf("make the visitors' key: %w", err)
	}
	var stored []byte
	err := s.store.Update(ctx, func(tx kv.Tx) error {
		k, err := secrets.Get(tx, "", secretID)
		if missing(err) {
			stored = fresh
			return secrets.Insert(tx, "", secretID, &secretKey{Key: fresh})
		}
		if err == nil {
			stored = k.Key
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.secret = stored
	return stored, nil
}

// keyring makes and checks what names visitors of one site.
type keyring struct {
	key        []byte
	team, site string
}

func (k keyring) sum(purpose string, parts ...string) []byte {
	h := hmac.New(sha256.New, k.key)
	h.Write(kv.Key(append([]string{purpose, k.team, k.site}, parts...)...))
	return h.Sum(nil)
}

const visitorPrefix = "vis_"

var base32ID = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// visitorID is 16 bytes as the TypeID form has them.
func visitorID(b []byte) string {
	return visitorPrefix + base32ID.EncodeToString(append(make([]byte, 4), b[:16]...))[6:]
}

func newVisitorID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // documented never to fail
	return visitorID(b)
}

// proven is the id of the visitor whom the site knows by this id: the same on
// every device, and to be guessed by nobody.
func (k keyring) proven(siteID string) string { return visitorID(k.sum("identity", siteID)) }

const tokenBytes = 24

// token proves to be the visitor id, and whether the site has proven who that
// is. It is worth nothing at another site.
func (k keyring) token(id string, proven bool) string {
	purpose := "visitor"
	if proven {
		purpose = "proven"
	}
	return id + "." + base64.RawURLEncoding.EncodeToString(k.sum(purpose, id)[:tokenBytes])
}

// visitor returns whom a token is for; ok is false for a token that was not made
// for this site.
func (k keyring) visitor(token string) (id string, proven, ok bool) {
	id, _, ok = strings.Cut(token, ".")
	if !ok || !strings.HasPrefix(id, visitorPrefix) {
		return "", false, false
	}
	proven = hmac.Equal([]byte(token), []byte(k.token(id, true)))
	return id, proven, proven || hmac.Equal([]byte(token), []byte(k.token(id, false)))
}
