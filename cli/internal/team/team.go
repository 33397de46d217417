// Package team is svcctl team, brand, member, session and audit: who works in a
// team, and what they did.
package team

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var team = crud.Single[api.Team, api.TeamPatch]{
	Name: "team", Short: "The team (needs a session)", Kind: "the team",
	Columns: crud.Columns[api.Team]("id name slug timezone created=createdAt +version"),
	Connect: (*kit.App).Dashboard,
	Get: func(ctx context.Context, c *sdk.Client, options ...sdk.CallOption) (*api.Team, error) {
		return c.Team.Get(ctx, options...)
	},
	Update: func(ctx context.Context, c *sdk.Client, in api.TeamPatch, options ...sdk.CallOption) (*api.Team, error) {
		return c.Team.Update(ctx, in, options...)
	},
}

// New is the command team.
func New(a *kit.App) *cobra.Command { return team.Command(a) }

var brand = crud.Single[api.Brand, api.Brand]{
	Name: "brand", Short: "What generated texts may say about the team (needs a session)", Kind: "the brand", Set: "set", Whole: true,
	Columns: crud.Columns[api.Brand]("description~ audience~ voice~ facts~ logo=logoUrl~"),
	Help:    map[string]string{"description": "what the team does", "audience": "for whom it writes", "logoUrl": "address of the logo"},
	Connect: (*kit.App).Dashboard,
	Get: func(ctx context.Context, c *sdk.Client, options ...sdk.CallOption) (*api.Brand, error) {
		return c.Team.Brand(ctx, options...)
	},
	Update: func(ctx context.Context, c *sdk.Client, in api.Brand, options ...sdk.CallOption) (*api.Brand, error) {
		return c.Team.SetBrand(ctx, in, options...)
	},
}

// NewBrand is the command brand.
func NewBrand(a *kit.App) *cobra.Command { return brand.Command(a) }

var audit = crud.Lister[api.AuditEntry, api.PageQuery]{
	Path: "audit", Plural: "privileged acts, newest first",
	Columns: crud.Columns[api.AuditEntry]("action target~ age=createdAt +detail~ +request=requestId id"),
	Connect: crud.Member(func(c *sdk.Client) crud.Pages[api.AuditEntry, api.PageQuery] { return c.Team.AuditLog }),
}

// NewAudit is the command audit.
func NewAudit(a *kit.App) *cobra.Command {
	return kit.Group("audit", "Who did what with keys, members and settings (needs a session)", nil, audit.New(a))
}
