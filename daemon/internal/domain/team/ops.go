package team

import (
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// Ops are the operations on teams and their members. All but the last two are
// for signed-in members only, so that a key that leaked cannot make members.
func (s *Service) Ops() []op.Op {
	read, write := op.ClassRead, op.ClassWrite
	return []op.Op{
		{Name: "team.get", Session: op.Viewer, Class: read, Do: op.Func(s.Get),
			Doc: "Returns the team."},
		{Name: "team.update", Session: op.Admin, Class: write, Do: op.Func(s.Update),
			Doc: "Changes the team's name, slug or time zone."},
		{Name: "team.members", Session: op.Viewer, Class: read, Do: op.Func(s.Members),
			Doc: "Lists the team's members."},
		{Name: "team.invite", Session: op.Admin, Class: write, Do: op.Func(s.Invite),
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

		{Name: "brand.get", Method: "GET", Path: "/brand", Scope: op.PostsRead, Do: op.Func(s.GetBrand),
			Doc: "Returns what generated content may say about the team."},
		{Name: "site.get", Method: "GET", Path: "/site", Scope: op.PostsRead, Tool: "get_site", Hints: op.Hints{Title: "Get site"}, Do: op.Func(s.GetSite),
			Doc: "Returns how the team's public pages look and where they lead."},
		{Name: "site.update", Method: "PATCH", Path: "/site", Scope: op.PostsPublish, Tool: "update_site", Hints: op.Hints{Title: "Update site", Destructive: true, Idempotent: true}, Do: op.Func(s.UpdateSite),
			Refuses: []api.Code{api.CodeNotFound},
			Doc:     "Changes the title, look, navigation or chat of the team's public pages: the members that are sent."},
		{Name: "me.get", Method: "GET", Path: "/me", Tool: "whoami", Hints: op.Hints{Title: "Who am I", Default: true}, Do: op.Func(s.Me),
			Doc: "Returns the caller's team, scopes and expiry, and the daemon's version."},
	}
}
