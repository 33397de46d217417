package access

import (
	"context"
	"net/http"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/daemon/internal/status"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// maxKeys is how many keys that are not revoked a team may have.
const maxKeys = 50

// key is the record behind api.Key.
type key struct {
	ID       string   `json:"-"`
	Name     string   `json:"n"`
	Scopes   string   `json:"s"`
	Last4    string   `json:"l"`
	LastUsed api.Time `json:"lu,omitempty"`
	Expires  api.Time `json:"e,omitempty"`
	Revoked  api.Time `json:"r,omitempty"`
	Created  api.Time `json:"c"`
	Updated  api.Time `json:"u"`
	Version  int      `json:"v"`
	Secret   string   `json:"i"`           // id of the current secret's record
	Rolled   string   `json:"o,omitempty"` // id of the one before

	plain string // a new secret, until it is stored as what recognises it
}

var keys = kv.NewTable("key",
	kv.Index[key]{Name: "c", Keys: func(_ *key, add func([]byte)) { add(nil) }},
	kv.Index[key]{Name: "live", Keys: func(v *key, add func([]byte)) {
		if v.Revoked == 0 {
			add(nil)
		}
	}},
)

// collection keeps the keys.
func (s *Service) collection() *resource.Collection[key] {
	return resource.New(s.store, func() time.Time { return s.Now() }, resource.Kind[key]{
		Table: keys, Index: "c", Prefix: "key", Noun: "key",
		Head: func(v *key) resource.Head {
			return resource.Head{ID: &v.ID, Version: &v.Version, CreatedAt: &v.Created, UpdatedAt: &v.Updated}
		},
		Validate: func(tx kv.Tx, who op.Caller, before, after *key) error {
			if before == nil {
				if err := roomForKey(tx, who.Team); err != nil {
					return err
				}
			}
			if after.plain == "" {
				return nil
			}
			return after.arm(tx, who.Team)
		},
	})
}

// roomForKey refuses one more key than a team may have.
func roomForKey(tx kv.Tx, team string) error {
	live, err := keys.List(tx, team, kv.Page[key]{Index: "live", Limit: maxKeys, Skip: op.Unreadable})
	if err == nil && len(live.Records) == maxKeys {
		err = api.NewError(http.StatusConflict, api.CodeQuotaExceeded,
			"A team can have %d keys. Revoke one that is not used any more.", maxKeys)
	}
	return err
}

func (s *Service) showKey(id string, v *key) (api.Key, error) {
	out := api.Key{
		ID: id, Name: v.Name, Scopes: parseScopes(v.Scopes).Names(), Last4: v.Last4, State: "active",
		LastUsedAt: v.LastUsed, ExpiresAt: v.Expires, RevokedAt: v.Revoked,
		CreatedAt: v.Created, UpdatedAt: v.Updated, Version: v.Version,
	}
	switch now := s.now(); {
	case v.Revoked != 0:
		out.State = "revoked"
	case v.Expires != 0 && v.Expires <= now:
		out.State = "expired"
	}
	return out, nil
}

// Keys lists the team's keys, revoked ones included.
func (s *Service) Keys(ctx context.Context, who op.Caller, q api.PageQuery) (page api.Page[api.Key], err error) {
	err = s.store.View(ctx, func(tx kv.Tx) (err error) {
		page, err = op.List(tx, keys, who.Team, "", q, kv.Page[key]{Index: "c"}, s.showKey)
		return err
	})
	return page, err
}

// CreateKey makes a key and returns its secret, this once.
func (s *Service) CreateKey(ctx context.Context, who op.Caller, in api.KeyCreate) (out api.Key, err error) {
	scopes, err := chosenScopes(in.Scopes)
	if err == nil {
		err = s.inFuture(in.ExpiresAt)
	}
	if err != nil {
		return out, err
	}
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Key, error) {
		return s.addKey(tx, &who, key{Name: in.Name, Scopes: scopes.String(), Expires: in.ExpiresAt, plain: newKey()})
	})
}

// FirstKey makes the key that a new team begins with: it may do everything.
func (s *Service) FirstKey(tx kv.Tx, who *op.Caller) (api.Key, error) {
	return s.addKey(tx, who, key{Name: "first key", Scopes: op.AllScopes.String(), plain: newKey()})
}

// addKey stores a new key of who's team and answers with its secret.
func (s *Service) addKey(tx kv.Tx, who *op.Caller, k key) (out api.Key, err error) {
	if k, err = s.keys.CreateIn(tx, *who, k); err != nil {
		return out, err
	}
	out, _ = s.showKey(k.ID, &k)
	out.Secret = api.Secret(k.plain)
	return out, s.Audit(tx, who, "apiKeys.create", k.ID, detail{"name": k.Name, "scopes": k.Scopes})
}

// arm makes plain the current secret of the key.
func (k *key) arm(tx kv.Tx, team string) error {
	f := fingerprint(k.plain)
	k.Secret, k.Last4 = f.id(), k.plain[len(k.plain)-4:]
	return secrets.Insert(tx, "", k.Secret, &secret{
		Hash: f[:], Team: team, Key: k.ID, Name: k.Name, Scopes: k.Scopes, Expires: k.Expires,
	})
}

// UpdateKey changes a key's name, scopes or expiry.
func (s *Service) UpdateKey(ctx context.Context, who op.Caller, in api.KeyUpdate) (api.Key, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Key, error) {
		return s.changeKey(tx, &who, in.ID, "apiKeys.update", func(k *key) error { return s.applyKey(k, &in) })
	})
}

func (s *Service) applyKey(k *key, in *api.KeyUpdate) error {
	if in.Scopes.Set {
		scopes, err := chosenScopes(in.Scopes.Value)
		if err != nil {
			return err
		}
		k.Scopes = scopes.String()
	}
	if err := s.inFuture(in.ExpiresAt.Value); err != nil {
		return err
	}
	in.Name.Apply(&k.Name)
	in.ExpiresAt.Apply(&k.Expires)
	return nil
}

// RevokeKey ends a key and its secrets at once, for good. A key that is revoked
// already stays as it is.
func (s *Service) RevokeKey(ctx context.Context, who op.Caller, in api.KeyRef) (api.Key, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Key, error) {
		k, err := keys.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Key{}, err
		}
		if k.Revoked != 0 {
			return s.showKey(in.ID, k)
		}
		return s.changeKey(tx, &who, in.ID, "apiKeys.revoke", func(k *key) error {
			k.Revoked = s.now()
			return nil
		})
	})
}

// RollKey gives a key another secret and returns it, this once. The secret that
// it had works for the hours of grace; one that was rolled before that ends now.
func (s *Service) RollKey(ctx context.Context, who op.Caller, in api.KeyRoll) (api.Key, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Key, error) {
		plain := newKey()
		out, err := s.changeKey(tx, &who, in.ID, "apiKeys.roll", func(k *key) error {
			k.plain = plain
			return s.retire(tx, k, time.Duration(in.GraceHours)*time.Hour)
		})
		out.Secret = api.Secret(plain)
		return out, err
	})
}

// retire ends the secret of a key after the grace, and the one before it now.
func (s *Service) retire(tx kv.Tx, k *key, grace time.Duration) error {
	if k.Rolled != "" {
		if err := secrets.Delete(tx, "", k.Rolled); err != nil {
			return err
		}
	}
	old, err := secrets.Get(tx, "", k.Secret)
	if err != nil {
		return err
	}
	old.Until = api.TimeOf(s.Now().Add(grace))
	k.Rolled = k.Secret
	return secrets.Put(tx, "", k.Secret, old)
}

// changeKey applies change to a key that is not revoked, and to what its secrets
// may do.
func (s *Service) changeKey(tx kv.Tx, who *op.Caller, id, action string, change func(*key) error) (out api.Key, err error) {
	k, err := s.keys.ChangeIn(tx, *who, api.Ref{ID: id}, func(_ kv.Tx, k *key) error {
		if k.Revoked != 0 {
			return status.Refuse("revoked", "active", "A revoked key stays revoked. Create another.")
		}
		return change(k)
	})
	if err != nil {
		return out, err
	}
	for _, ref := range []string{k.Secret, k.Rolled} {
		if err := k.tell(tx, ref); err != nil {
			return out, err
		}
	}
	out, _ = s.showKey(id, &k)
	return out, s.Audit(tx, who, action, id, detail{"name": k.Name, "scopes": k.Scopes})
}

// tell brings a secret up to date with its key.
func (k *key) tell(tx kv.Tx, id string) error {
	if id == "" {
		return nil
	}
	v, err := secrets.Get(tx, "", id)
	if err != nil {
		return err
	}
	v.Name, v.Scopes, v.Expires, v.Revoked = k.Name, k.Scopes, k.Expires, k.Revoked
	return secrets.Put(tx, "", id, v)
}

// chosenScopes reads the scopes of a key; none chosen is reading only.
func chosenScopes(names []string) (op.Scope, error) {
	if len(names) == 0 {
		names = []string{"read-only"}
	}
	set, unknown := op.ParseScopes(names)
	if len(unknown) > 0 {
		e := api.Invalid("/scopes", "enum", "There is no scope %q.", unknown[0])
		e.Allowed = append([]string{"*", "read-only", "publisher", "operator", "full"}, op.ScopeNames()...)
		return 0, e
	}
	return set, nil
}

func (s *Service) inFuture(at api.Time) error {
	if at != 0 && at <= s.now() {
		return api.Invalid("/expiresAt", "in_past", "The key would have expired already.")
	}
	return nil
}
