package sdk

import (
	"context"

	"edgesvc.dev/svc/sdk/api"
)

// KeysService manages the team's API keys, in a member's session. Lists have no
// secrets.
type KeysService struct {
	Lister[api.Key, api.PageQuery]
}

// Create makes a key; its Secret is never shown again.
func (s *KeysService) Create(ctx context.Context, in api.KeyCreate, options ...CallOption) (*api.Key, error) {
	return s.one(ctx, "create", in, options)
}

// Update changes a key's name, scopes or expiry.
func (s *KeysService) Update(ctx context.Context, patch api.KeyUpdate, options ...CallOption) (*api.Key, error) {
	return s.one(ctx, "update", patch, options)
}

// Revoke ends a key at once.
func (s *KeysService) Revoke(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Key, error) {
	return s.one(ctx, "revoke", ref, options)
}

// Roll gives a key a new Secret; the old one works for GraceHours more.
func (s *KeysService) Roll(ctx context.Context, in api.KeyRoll, options ...CallOption) (*api.Key, error) {
	return s.one(ctx, "roll", in, options)
}

func (s *KeysService) one(ctx context.Context, verb string, in any, options []CallOption) (*api.Key, error) {
	return do[api.Key](ctx, s.t, s.name(verb), in, options)
}
