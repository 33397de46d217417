// Package canned is svcctl canned: the replies that members and agents reuse.
package canned

import (
	"fmt"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/nouns"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk/api"
)

// New is the command canned.
func New(a *kit.App) *cobra.Command { return nouns.Canned.Command(a, newMatch(a)) }

var hitView = output.View[api.CannedHit]{
	ID: func(h *api.CannedHit) string { return h.CannedResponse.ID },
	Columns: []output.Column[api.CannedHit]{
		{Name: "score", Value: func(h *api.CannedHit) string { return fmt.Sprintf("%.2f", h.Score) }},
		{Name: "id", Value: func(h *api.CannedHit) string { return h.CannedResponse.ID }},
		{Name: "shortcut", Value: func(h *api.CannedHit) string { return h.CannedResponse.Shortcut }},
		{Name: "title", Value: func(h *api.CannedHit) string { return h.CannedResponse.Title }, Flex: true},
	},
}

func newMatch(a *kit.App) *cobra.Command {
	agent := ""
	cmd := &cobra.Command{
		Use: "match MESSAGE", Short: "Find the canned responses that fit a message", Args: kit.Exactly("the message, or - for standard input"),
		Example: "  svcctl canned match 'How long does a refund take?' --agent Ada",
		RunE: func(cmd *cobra.Command, args []string) error {
			message, err := a.TextArgument(args[0])
			if err != nil {
				return err
			}
			c, err := a.Dashboard()
			if err != nil {
				return err
			}
			in := api.CannedMatch{Message: message}
			if agent != "" {
				if in.AgentID, err = nouns.Agent.ID(cmd.Context(), a, agent); err != nil {
					return err
				}
			}
			hits, err := c.Canned.Match(cmd.Context(), in)
			if err != nil {
				return err
			}
			return kit.ShowList(a, kit.ListFlags{All: true}, hitView, kit.List(hits.Data))
		},
	}
	nouns.Agent.Lookup("agent", "only those linked to this agent, by its name or id").Add(a, cmd, &agent)
	return cmd
}
