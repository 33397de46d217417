package post

import (
	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/sdk/api"
)

// BrowseSync is the plan of a folder of posts for a screen.
func BrowseSync(a *kit.App) browse.Noun { return syncer(a).Browse(a, "sync") }

// BrowseRevisions is the earlier texts of a post for a screen.
func BrowseRevisions(a *kit.App) browse.Noun {
	n := revisions.Browse(a, crud.Screen[api.Revision]{
		Changed: "post.", Text: func(r *api.Revision) (string, error) { return postfile.Markdown(r.Content) },
		Verbs: []browse.Verb{texts.BrowseRestore(a, restore)},
	})
	n.Title = "Earlier texts of a post"
	n.Command = func(row *browse.Row) string { return "svcctl post revision list " + row.Of }
	return n
}
