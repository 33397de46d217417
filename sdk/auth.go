package sdk

import (
	"context"

	"edgesvc.dev/svc/sdk/api"
)

// AuthService manages sessions and the password of the signed-in member.
type AuthService struct{ rows }

// Session returns the session itself.
func (s *AuthService) Session(ctx context.Context, options ...CallOption) (*api.Session, error) {
	return do[api.Session](ctx, s.t, "auth.session", nil, options)
}

// Sessions returns one page of the member's sessions.
func (s *AuthService) Sessions(ctx context.Context, q api.PageQuery, options ...CallOption) (*api.Page[api.Session], error) {
	return do[api.Page[api.Session]](ctx, s.t, "auth.sessions", q, options)
}

// Logout ends the session.
func (s *AuthService) Logout(ctx context.Context, options ...CallOption) error {
	return s.run(ctx, "logout", nil, options)
}

// RevokeSession ends another session of the member.
func (s *AuthService) RevokeSession(ctx context.Context, ref api.Ref, options ...CallOption) error {
	return s.run(ctx, "revokeSession", ref, options)
}

// ChangePassword sets a new password and ends the member's other sessions.
func (s *AuthService) ChangePassword(ctx context.Context, in api.PasswordChange, options ...CallOption) error {
	return s.run(ctx, "changePassword", in, options)
}
