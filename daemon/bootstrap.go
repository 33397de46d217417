package daemon

import (
	"context"
	"fmt"

	"edgesvc.dev/svc/daemon/internal/domain/team"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

const greeting = "Hello! How can we help?"

// First is a new team, with what is shown only once.
type First struct {
	TeamID     string `json:"teamId"`
	TeamSlug   string `json:"teamSlug"`
	OwnerEmail string `json:"ownerEmail"`
	Key        string `json:"key"`
	SignInLink string `json:"signInLink"`
	SiteID     string `json:"siteId"`
}

// Bootstrap makes a team, its owner, a key that may do everything, a site whose
// only page is the daemon's demo, and an agent that answers there. It must come
// after SetBase, which the link and the site need.
func (d *Daemon) Bootstrap(ctx context.Context, name, slug, email string) (First, error) {
	made, err := d.team.CreateTeam(ctx, team.Bootstrap{TeamName: name, TeamSlug: slug, Email: email})
	if err != nil {
		return First{}, fmt.Errorf("make the team %s: %w", slug, err)
	}
	who := op.Caller{Kind: op.System, Team: made.Team.ID, Actor: api.Actor{Type: "system", ID: "setup"}}
	site, err := d.sites.CreateSite(ctx, who, api.SiteCreate{Name: name, AllowedOrigins: []string{d.base}, Greeting: greeting, Identity: "off"})
	if err != nil {
		return First{}, fmt.Errorf("make the site of %s: %w", slug, err)
	}
	agent, err := d.agents.Create(ctx, who, api.Agent{Name: "Nova", RespondToChats: true})
	if err != nil {
		return First{}, fmt.Errorf("make the agent of %s: %w", slug, err)
	}
	if _, err := d.agents.Activate(ctx, who, api.AgentRef{ID: agent.ID}); err != nil {
		return First{}, fmt.Errorf("activate the agent of %s: %w", slug, err)
	}
	return First{
		TeamID: made.Team.ID, TeamSlug: made.Team.Slug, OwnerEmail: made.User.Email, Key: string(made.Key.Secret),
		SignInLink: string(made.Link),
		SiteID:     site.ID,
	}, nil
}
