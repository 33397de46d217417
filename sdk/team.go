package sdk

import (
	"context"

	"edgesvc.dev/svc/sdk/api"
)

// TeamService manages the team of the signed-in member, in a member's session.
type TeamService struct{ rows }

// Get returns the team.
func (s *TeamService) Get(ctx context.Context, options ...CallOption) (*api.Team, error) {
	return do[api.Team](ctx, s.t, "team.get", nil, options)
}

// Update changes the team's name or slug.
func (s *TeamService) Update(ctx context.Context, in api.TeamPatch, options ...CallOption) (*api.Team, error) {
	return do[api.Team](ctx, s.t, "team.update", in, options)
}

// Members returns one page of members.
func (s *TeamService) Members(ctx context.Context, q api.PageQuery, options ...CallOption) (*api.Page[api.User], error) {
	return do[api.Page[api.User]](ctx, s.t, "team.members", q, options)
}

// Invite adds a member; the answer's Link is never shown again.
func (s *TeamService) Invite(ctx context.Context, in api.MemberInvite, options ...CallOption) (*api.MemberInvited, error) {
	return do[api.MemberInvited](ctx, s.t, "team.invite", in, options)
}

// SetRole changes a member's role.
func (s *TeamService) SetRole(ctx context.Context, in api.MemberRole, options ...CallOption) (*api.User, error) {
	return do[api.User](ctx, s.t, "team.setRole", in, options)
}

// Remove takes a member out of the team and ends their sessions.
func (s *TeamService) Remove(ctx context.Context, ref api.Ref, options ...CallOption) error {
	return s.run(ctx, "remove", ref, options)
}

// Brand returns what generated content may say about the team.
func (s *TeamService) Brand(ctx context.Context, options ...CallOption) (*api.Brand, error) {
	return do[api.Brand](ctx, s.t, "team.brand.get", nil, options)
}

// SetBrand replaces what generated content may say about the team.
func (s *TeamService) SetBrand(ctx context.Context, in api.Brand, options ...CallOption) (*api.Brand, error) {
	return do[api.Brand](ctx, s.t, "team.brand.update", in, options)
}

// Usage returns what the team takes of the server.
func (s *TeamService) Usage(ctx context.Context, options ...CallOption) (*api.TeamUsage, error) {
	return do[api.TeamUsage](ctx, s.t, "team.usage", nil, options)
}

// AuditLog returns one page of privileged acts.
func (s *TeamService) AuditLog(ctx context.Context, q api.PageQuery, options ...CallOption) (*api.Page[api.AuditEntry], error) {
	return do[api.Page[api.AuditEntry]](ctx, s.t, "team.auditLog", q, options)
}
