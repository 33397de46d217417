package daemon

import (
	"context"
	"fmt"
	"strings"

	"edgesvc.dev/svc/daemon/internal/team"
)

// First is a new team, with what is shown only once.
type First struct {
	TeamID     string `json:"teamId"`
	TeamSlug   string `json:"teamSlug"`
	OwnerEmail string `json:"ownerEmail"`
	Key        string `json:"key"`
	SignInLink string `json:"signInLink"`
}

// Bootstrap makes a team, its owner and a key that may do everything. It must
// come after SetBase, which the link needs.
func (d *Daemon) Bootstrap(ctx context.Context, name, slug, email string) (First, error) {
	made, err := d.team.CreateTeam(ctx, team.Bootstrap{TeamName: name, TeamSlug: slug, Email: email})
	if err != nil {
		return First{}, fmt.Errorf("make the team %s: %w", slug, err)
	}
	return First{
		TeamID: made.Team.ID, TeamSlug: made.Team.Slug, OwnerEmail: made.User.Email, Key: made.Key.Secret,
		SignInLink: strings.TrimSuffix(d.base, "/") + "/sign-in?token=" + made.LinkToken,
	}, nil
}
