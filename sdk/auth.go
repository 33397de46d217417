package sdk

import (
	"context"

	"edgesvc.dev/svc/sdk/api"
)

// AuthService manages sessions and the password of the signed-in member.
type AuthService struct{ t *transport }

// Session returns the session itself.
func (s *AuthService) Session(ctx context.Context, options ...CallOption) (*api.Session, error) {
	return do[api.Session](ctx, s.t, operation("auth.session", "id"), nil, options)
}

// Sessions returns one page of the member's sessions.
func (s *AuthService) Sessions(ctx context.Context, q api.PageQuery, options ...CallOption) (*api.Page[api.Session], error) {
	return do[api.Page[api.Session]](ctx, s.t, operation("auth.sessions", "data"), q, options)
}

// Logout ends the session.
func (s *AuthService) Logout(ctx context.Context, options ...CallOption) error {
	return none(ctx, s.t, "auth.logout", nil, options)
}

// RevokeSession ends another session of the member.
func (s *AuthService) RevokeSession(ctx context.Context, id string, options ...CallOption) error {
	return none(ctx, s.t, "auth.revokeSession", api.SessionRef{ID: id}, options)
}

// ChangePassword sets a new password and ends the member's other sessions.
func (s *AuthService) ChangePassword(ctx context.Context, in api.PasswordChange, options ...CallOption) error {
	return none(ctx, s.t, "auth.changePassword", in, options)
}

// none calls a session operation whose answer says nothing.
func none(ctx context.Context, t *transport, name string, in any, options []CallOption) error {
	_, err := do[struct{}](ctx, t, operation(name, ""), in, options)
	return err
}
