package sdk

import (
	"context"

	"edgesvc.dev/svc/sdk/api"
)

// TeamService manages the team of the signed-in member.
type TeamService struct{ t *transport }

// Get returns the team.
func (s *TeamService) Get(ctx context.Context, options ...CallOption) (*api.Team, error) {
	return do[api.Team](ctx, s.t, operation("team.get", "id"), nil, options)
}

// Update changes the team's name or slug.
func (s *TeamService) Update(ctx context.Context, in api.TeamPatch, options ...CallOption) (*api.Team, error) {
	return do[api.Team](ctx, s.t, operation("team.update", "id"), in, options)
}

// Members returns one page of members.
func (s *TeamService) Members(ctx context.Context, q api.PageQuery, options ...CallOption) (*api.Page[api.User], error) {
	return do[api.Page[api.User]](ctx, s.t, operation("team.members", "data"), q, options)
}

// Invite adds a member; the answer's Link is never shown again.
func (s *TeamService) Invite(ctx context.Context, in api.MemberInvite, options ...CallOption) (*api.MemberInvited, error) {
	return do[api.MemberInvited](ctx, s.t, operation("team.invite", "link"), in, options)
}

// SetRole changes a member's role.
func (s *TeamService) SetRole(ctx context.Context, in api.MemberRole, options ...CallOption) (*api.User, error) {
	return do[api.User](ctx, s.t, operation("team.setRole", "id"), in, options)
}

// Remove takes a member out of the team and ends their sessions.
func (s *TeamService) Remove(ctx context.Context, id string, options ...CallOption) error {
	return none(ctx, s.t, "team.remove", api.MemberRef{ID: id}, options)
}

// Brand returns what generated content may say about the team.
func (s *TeamService) Brand(ctx context.Context, options ...CallOption) (*api.Brand, error) {
	return do[api.Brand](ctx, s.t, operation("team.brand.get", ""), nil, options)
}

// SetBrand replaces what generated content may say about the team.
func (s *TeamService) SetBrand(ctx context.Context, in api.Brand, options ...CallOption) (*api.Brand, error) {
	return do[api.Brand](ctx, s.t, operation("team.brand.update", ""), in, options)
}

// AuditLog returns one page of privileged acts.
func (s *TeamService) AuditLog(ctx context.Context, q api.PageQuery, options ...CallOption) (*api.Page[api.AuditEntry], error) {
	return do[api.Page[api.AuditEntry]](ctx, s.t, operation("team.auditLog", "data"), q, options)
}
