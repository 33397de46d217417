package access

import "edgesvc.dev/svc/daemon/internal/op"

// Ops are the operations on sessions and keys. All but auth.login are for
// signed-in members only, so that a key that leaked cannot make keys.
func (s *Service) Ops() []op.Op {
	read, write, login := op.ClassRead, op.ClassWrite, op.ClassLogin
	return []op.Op{
		{Name: "auth.login", Open: true, Class: login, Do: op.Func(s.Login),
			Doc: "Signs a member in, by e-mail address and password or by a sign-in link, and answers with the session's token, once."},
		{Name: "auth.logout", Frees: true, Session: op.Viewer, Class: write, Do: op.Func(s.Logout),
			Doc: "Ends the session."},
		{Name: "auth.session", Session: op.Viewer, Class: read, Do: op.Func(s.Session),
			Doc: "Returns the session itself."},
		{Name: "auth.sessions", Session: op.Viewer, Class: read, Do: op.Func(s.Sessions),
			Doc: "Lists the member's sessions."},
		{Name: "auth.revokeSession", Frees: true, Session: op.Viewer, Class: write, Do: op.Func(s.RevokeSession),
			Doc: "Ends another session of the member; admins may end those of other members."},
		{Name: "auth.changePassword", Frees: true, Session: op.Viewer, Class: login, Do: op.Func(s.ChangePassword),
			Doc: "Sets the member's password and ends the other sessions."},

		{Name: "apiKeys.list", Session: op.Admin, Class: read, Do: op.Func(s.Keys),
			Doc: "Lists the team's API keys without their secrets."},
		{Name: "apiKeys.create", Session: op.Admin, Class: write, Do: op.Func(s.CreateKey),
			Doc: "Creates an API key and answers with its secret, once. Without scopes it can only read."},
		{Name: "apiKeys.update", Session: op.Admin, Class: write, Do: op.Func(s.UpdateKey),
			Doc: "Changes the name, scopes or expiry of an API key."},
		{Name: "apiKeys.revoke", Frees: true, Session: op.Admin, Class: write, Do: op.Func(s.RevokeKey),
			Doc: "Ends an API key at once and for good."},
		{Name: "apiKeys.roll", Session: op.Admin, Class: write, Do: op.Func(s.RollKey),
			Doc: "Gives an API key another secret; the one before works for graceHours more."},
	}
}
