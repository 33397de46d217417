package sdk

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// KeysService manages the team's API keys.
type KeysService struct{ t *transport }

// List returns one page of keys, without secrets.
func (s *KeysService) List(ctx context.Context, q api.PageQuery, options ...CallOption) (*api.Page[api.Key], error) {
	return do[api.Page[api.Key]](ctx, s.t, operation("apiKeys.list", "data"), q, options)
}

// All yields the keys of every page.
func (s *KeysService) All(ctx context.Context, q api.PageQuery, options ...CallOption) iter.Seq2[*api.Key, error] {
	return all(q, func(page api.PageQuery) (*api.Page[api.Key], error) { return s.List(ctx, page, options...) })
}

// Create makes a key; its Secret is never shown again.
func (s *KeysService) Create(ctx context.Context, in api.KeyCreate, options ...CallOption) (*api.Key, error) {
	return s.one(ctx, "apiKeys.create", in, options)
}

// Update changes a key's name, scopes or expiry.
func (s *KeysService) Update(ctx context.Context, in api.KeyUpdate, options ...CallOption) (*api.Key, error) {
	return s.one(ctx, "apiKeys.update", in, options)
}

// Revoke ends a key at once.
func (s *KeysService) Revoke(ctx context.Context, id string, options ...CallOption) (*api.Key, error) {
	return s.one(ctx, "apiKeys.revoke", api.KeyRef{ID: id}, options)
}

// Roll gives a key a new Secret; the old one works for GraceHours more.
func (s *KeysService) Roll(ctx context.Context, in api.KeyRoll, options ...CallOption) (*api.Key, error) {
	return s.one(ctx, "apiKeys.roll", in, options)
}

func (s *KeysService) one(ctx context.Context, name string, in any, options []CallOption) (*api.Key, error) {
	return do[api.Key](ctx, s.t, operation(name, "id"), in, options)
}
