package team

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/roster"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Me says who the caller is and what it may do.
func (s *Service) Me(ctx context.Context, who op.Caller, _ api.None) (out api.Me, err error) {
	out = api.Me{Actor: who.Actor, Scopes: who.Scopes.Names(), ExpiresAt: who.ExpiresAt, Version: s.Version}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		t, err := roster.Teams.Get(tx, "", who.Team)
		if err != nil {
			return err
		}
		out.Team = api.TeamRef{ID: who.Team, Name: t.Name, Slug: t.Slug}
		if who.Kind != op.Session {
			out.KeyName = who.Name
			return nil
		}
		m, err := roster.Members.Get(tx, who.Team, who.Actor.ID)
		if err != nil {
			return err
		}
		u := m.Show(who.Actor.ID)
		out.User, out.Role = &u, m.Role
		return nil
	})
	return out, err
}
