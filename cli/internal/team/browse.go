package team

import (
	"context"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk/api"
)

// Browse is the team, its brand, members, the caller's sessions and the audit log
// for screens.
func Browse(a *kit.App) []browse.Noun {
	ended := sessions.Browse(a, crud.Screen[api.Session]{Title: "Your sessions", Members: true, Verbs: []browse.Verb{{
		Key: "D", Name: "revoke", Doc: "End a session at once", Typed: true,
		Do: func(ctx context.Context, row *browse.Row) (string, error) {
			c, err := a.Dashboard()
			if err != nil {
				return "", err
			}
			return "revoked " + row.ID, revoke(ctx, c, api.Ref{ID: row.ID})
		},
	}}})
	ended.Command = func(*browse.Row) string { return "svcctl session list" }
	acts := audit.Browse(a, crud.Screen[api.AuditEntry]{Title: "Audit log", Members: true})
	acts.Command = func(*browse.Row) string { return "svcctl audit list" }
	return []browse.Noun{member.Browse(a, crud.Screen[api.User]{Members: true}), ended, acts, team.Browse(a, true), brand.Browse(a, true)}
}
