package sites

import "edgesvc.dev/svc/daemon/internal/op"

// Ops are the operations on sites, for signed-in members.
func (s *Service) Ops() []op.Op {
	read, write := op.ClassRead, op.ClassWrite
	return []op.Op{
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
		{Name: "sites.rotateSecret", Session: op.Admin, Class: write, Do: op.Func(s.RotateSiteSecret),
			Doc: "Gives a site another secret for signing who its visitors are, and answers with it, once. The one before ends at once."},
		{Name: "sites.installSnippet", Session: op.Viewer, Class: read, Do: op.Func(s.InstallSnippet),
			Doc: "Returns the markup to paste into the site's pages."},
	}
}
