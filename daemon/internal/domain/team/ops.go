package team

import "edgesvc.dev/svc/daemon/internal/op"

// Ops are the operations of teams. All but the last two are for signed-in
// members only, so that a key that leaked can neither make keys nor members.
func (s *Service) Ops() []op.Op {
	read, write, login := op.ClassRead, op.ClassWrite, op.ClassLogin
	ops := []op.Op{
		{Name: "auth.login", Open: true, Class: login, Secret: true, Do: op.Func(s.Login),
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
		{Name: "apiKeys.create", Session: op.Admin, Class: write, Secret: true, Do: op.Func(s.CreateKey),
			Doc: "Creates an API key and answers with its secret, once. Without scopes it can only read."},
		{Name: "apiKeys.update", Session: op.Admin, Class: write, Do: op.Func(s.UpdateKey),
			Doc: "Changes the name, scopes or expiry of an API key."},
		{Name: "apiKeys.revoke", Frees: true, Session: op.Admin, Class: write, Do: op.Func(s.RevokeKey),
			Doc: "Ends an API key at once and for good."},
		{Name: "apiKeys.roll", Session: op.Admin, Class: write, Secret: true, Do: op.Func(s.RollKey),
			Doc: "Gives an API key another secret; the one before works for graceHours more."},

		{Name: "team.get", Session: op.Viewer, Class: read, Do: op.Func(s.Get),
			Doc: "Returns the team."},
		{Name: "team.update", Session: op.Admin, Class: write, Do: op.Func(s.Update),
			Doc: "Changes the team's name or slug."},
		{Name: "team.members", Session: op.Viewer, Class: read, Do: op.Func(s.Members),
			Doc: "Lists the team's members."},
		{Name: "team.invite", Session: op.Admin, Class: write, Secret: true, Do: op.Func(s.Invite),
			Doc: "Adds a member and answers with a sign-in link, once. For one who has not signed in yet, another link replaces the first."},
		{Name: "team.setRole", Session: op.Admin, Class: write, Do: op.Func(s.SetRole),
			Doc: "Changes a member's role. Only owners make and unmake owners."},
		{Name: "team.remove", Frees: true, Session: op.Admin, Class: write, Do: op.Func(s.Remove),
			Doc: "Removes a member and ends their sessions."},
		{Name: "team.brand.get", Session: op.Viewer, Class: read, Do: op.Func(s.GetBrand),
			Doc: "Returns what generated content may say about the team."},
		{Name: "team.brand.update", Session: op.Editor, Class: write, Do: op.Func(s.UpdateBrand),
			Doc: "Replaces what generated content may say about the team."},
		{Name: "team.usage", Session: op.Viewer, Class: read, Do: op.Func(s.Usage),
			Doc: "Returns how many bytes the team stores, and how many it may."},
		{Name: "team.auditLog", Session: op.Admin, Class: read, Do: op.Func(s.AuditLog),
			Doc: "Lists privileged acts: who did what to which object, and when."},

		{Name: "sites.list", Session: op.Viewer, Class: read, Do: op.Func(s.Sites),
			Doc: "Lists the websites that embed the widget."},
		{Name: "sites.get", Session: op.Viewer, Class: read, Do: op.Func(s.Site),
			Doc: "Returns one site."},
		{Name: "sites.create", Session: op.Admin, Class: write, Do: op.Func(s.CreateSite),
			Doc: "Adds a site. The widget runs on the pages of its allowed origins only."},
		{Name: "sites.update", Session: op.Admin, Class: write, Do: op.Func(s.UpdateSite),
			Doc: "Changes a site's name, allowed origins, look, consent or identity."},
		{Name: "sites.delete", Frees: true, Session: op.Admin, Class: write, Hints: op.Hints{Destructive: true}, Do: op.Func(s.DeleteSite),
			Doc: "Removes a site: its widget stops. The conversations stay."},
		{Name: "sites.rotateSecret", Session: op.Admin, Class: write, Secret: true, Do: op.Func(s.RotateSiteSecret),
			Doc: "Gives a site another secret for signing who its visitors are, and answers with it, once. The one before ends at once."},
		{Name: "sites.installSnippet", Session: op.Viewer, Class: read, Do: op.Func(s.InstallSnippet),
			Doc: "Returns the markup to paste into the site's pages."},

		{Name: "brand.get", Method: "GET", Path: "/brand", Scope: op.PostsRead, Do: op.Func(s.GetBrand),
			Doc: "Returns what generated content may say about the team."},
		{Name: "me.get", Method: "GET", Path: "/me", Tool: "whoami", Hints: op.Hints{Title: "Who am I", Default: true}, Do: op.Func(s.Me),
			Doc: "Returns the caller's team, scopes and expiry, and the daemon's version."},
	}
	for i := range ops {
		ops[i].Hints.ReadOnly = ops[i].Class == read
	}
	return ops
}
