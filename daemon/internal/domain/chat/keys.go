package chat

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Sealer keeps bytes so that they can be read again at the same place only.
type Sealer interface {
	Seal(place string, plaintext []byte) []byte
	Unseal(place string, sealed []byte) ([]byte, error)
}

// keys sign what names visitors. They belong to the daemon.
type keys struct {
	ids    []byte   // makes the ids of proven visitors
	tokens []byte   // signs tokens
	old    []byte   // did both before keys were sealed; nil where it never was
	former api.Time // until then, tokens that old signed are accepted
}

// secretKey is the stored form of keys.
type secretKey struct {
	// Clear is the one key that stood here before keys were sealed.
	Clear []byte `json:"k,omitempty"`
	// Sealed has ids and tokens after each other, and old where there is one,
	// sealed with each secret.key that the daemon ran with, the latest first: one
	// that comes back has its visitors again.
	Sealed [][]byte `json:"s,omitempty"`
	Former api.Time `json:"f,omitempty"`
}

var secrets = kv.NewTable[secretKey]("chatsecret")

const (
	secretID    = "visitors"
	secretPlace = "chat/visitors"
	keyBytes    = 32
	maxSealed   = 8

	// formerLife is how long tokens of the earlier form are accepted: whoever
	// comes meanwhile gets one of the present form. It is short, because the key
	// that signed them may be in a copy of the file.
	formerLife = 7 * 24 * time.Hour
)

// keys returns the daemon's keys, which the first to ask makes or seals.
func (s *Service) keys(ctx context.Context) (*keys, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.signing != nil {
		return s.signing, nil
	}
	fresh := make([]byte, 2*keyBytes)
	if _, err := rand.Read(fresh); err != nil {
		return nil, fmt.Errorf("make the visitors' keys: %w", err)
	}
	var k *keys
	var was secretKey
	err := s.store.Update(ctx, func(tx kv.Tx) error {
		stored, err := secrets.Get(tx, "", secretID)
		if missing(err) {
			stored = &secretKey{}
			err = secrets.Insert(tx, "", secretID, stored)
		}
		if err != nil {
			return err
		}
		was = *stored
		if k = s.open(stored); k != nil {
			return nil
		}
		k = s.renew(stored, slices.Clone(fresh))
		return secrets.Put(tx, "", secretID, stored)
	})
	if err != nil {
		return nil, fmt.Errorf("open the visitors' keys: %w", err)
	}
	if was.Clear != nil {
		slog.InfoContext(ctx, "the visitors' key was stored in the clear; it is sealed from now on")
		if err := s.overwrite(ctx); err != nil {
			slog.WarnContext(ctx, "the visitors' former key could not be overwritten on the disk", "err", err)
		}
	}
	if len(was.Sealed) > 0 && slices.Equal(k.tokens, fresh[keyBytes:2*keyBytes]) {
		slog.WarnContext(ctx, "the visitors' keys were sealed with another secret.key: visitors begin new conversations. They have theirs again when the former secret.key is back")
	}
	s.signing = k
	return k, nil
}

// open returns the keys that can be unsealed, nil for none.
func (s *Service) open(stored *secretKey) *keys {
	for _, sealed := range stored.Sealed {
		plain, err := s.Seal.Unseal(secretPlace, sealed)
		if err == nil && len(plain) >= 2*keyBytes {
			return keysOf(plain, stored.Former)
		}
	}
	return nil
}

func keysOf(plain []byte, former api.Time) *keys {
	k := &keys{ids: plain[:keyBytes], tokens: plain[keyBytes : 2*keyBytes], former: former}
	if len(plain) == 3*keyBytes {
		k.old = plain[2*keyBytes:]
	}
	return k
}

// renew puts fresh keys into stored. The key that was clear signs and names
// nobody from now on, for it may be in a copy of the file or in its free pages.
// It finds the conversations of before: that of a visitor whom the site proves
// again, and for formerLife that of a visitor with a token of then, unless the
// site had proven who that is.
func (s *Service) renew(stored *secretKey, fresh []byte) *keys {
	plain := fresh
	if len(stored.Clear) == keyBytes {
		plain = append(plain, stored.Clear...)
		stored.Former = api.TimeOf(s.Now().Add(formerLife))
	}
	stored.Clear = nil
	stored.Sealed = append([][]byte{s.Seal.Seal(secretPlace, plain)}, stored.Sealed[:min(len(stored.Sealed), maxSealed-1)]...)
	return keysOf(plain, stored.Former)
}

// What overwrite writes: about as many pages as records.
const (
	scratchRecords = 1024
	scratchBytes   = 3 << 10
)

// overwrite fills free pages of the file, among them the one that the clear key
// was on: a page that is given up keeps its bytes until it is used again, and a
// backup copies it. In a store with more free pages than these it may be missed;
// what the key still opens is little, see renew.
func (s *Service) overwrite(ctx context.Context) error {
	var ids []string
	for i := range scratchRecords {
		ids = append(ids, fmt.Sprintf("scratch-%04d", i))
	}
	filler := &secretKey{Sealed: [][]byte{make([]byte, scratchBytes)}}
	err := s.store.Update(ctx, func(tx kv.Tx) error {
		for _, id := range ids {
			if err := secrets.Insert(tx, "", id, filler); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.store.Update(ctx, func(tx kv.Tx) error {
		for _, id := range ids {
			if err := secrets.Delete(tx, "", id); err != nil {
				return err
			}
		}
		return nil
	})
}
