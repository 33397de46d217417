package post

import (
	"context"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/postfile"
	"edgesvc.dev/svc/sdk/api"
)

// BrowseRevisions is the earlier texts of a post for a screen.
func BrowseRevisions(a *kit.App) browse.Noun {
	n := revisions.Browse(a, crud.Screen[api.Revision]{
		Changed: "post.", Text: func(r *api.Revision) (string, error) { return postfile.Markdown(r.Content) },
		Verbs: []browse.Verb{crud.Restoring("the present text of the post", func(ctx context.Context, row *browse.Row, n int) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			id, err := texts.FindID(ctx, c, row.Of)
			if err != nil {
				return err
			}
			_, err = c.Posts.RestoreRevision(ctx, api.RevisionRef{ID: id, N: n})
			return err
		})},
	})
	n.Title = "Earlier texts of a post"
	n.Command = func(row *browse.Row) string { return "svcctl post revision list " + row.Of }
	return n
}
