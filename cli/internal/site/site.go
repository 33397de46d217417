// Package site is svcctl site: how a team's public pages look and where they
// lead.
package site

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var site = crud.Single[api.PublicSite, api.PublicSitePatch]{
	Name: "site", Short: "The public pages: title, look, navigation, chat", Kind: "the public pages", Set: "set",
	Columns: append(crud.Columns[api.PublicSite]("url title~ tagline~ accent=accentColor chat logo=logoUrl~ icon=iconUrl~ +version"),
		output.Column[api.PublicSite]{Name: "navigation", Value: navigation}),
	Help: map[string]string{
		"title": "name on the pages; the team's where it is empty", "tagline": "a sentence below the title; the brand's description where it is empty",
		"navigation": "a link in the head of the pages, such as 'Docs=https://docs.acme.example' or 'Help=/help'",
		"chatSiteId": "site whose chat it is, see svcctl widget list",
	},
	Connect: (*kit.App).Client,
	Get: func(ctx context.Context, c *sdk.Client, options ...sdk.CallOption) (*api.PublicSite, error) {
		return c.PublicSite(ctx, options...)
	},
	Update: func(ctx context.Context, c *sdk.Client, in api.PublicSitePatch, options ...sdk.CallOption) (*api.PublicSite, error) {
		return c.UpdatePublicSite(ctx, in, options...)
	},
}

func navigation(s *api.PublicSite) string {
	links := make([]string, len(s.Navigation))
	for i, l := range s.Navigation {
		links[i] = l.Label + "=" + l.URL
	}
	return strings.Join(links, " ")
}

// Browse is the settings of the public pages for a screen.
func Browse(a *kit.App) browse.Noun { return site.Browse(a, false) }

// New is the command site.
func New(a *kit.App) *cobra.Command {
	return kit.Group(site.Name, site.Short, nil, append(site.Commands(a), newOpen(a))...)
}

func newOpen(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "open", Short: "Open the public pages in the browser", Args: kit.Exactly(),
		Example: "  svcctl site open",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			s, err := c.PublicSite(cmd.Context())
			if err != nil {
				return err
			}
			return a.Open(s.URL)
		},
	}
}
