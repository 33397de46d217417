// Package agent is svcctl agent: the agents that answer visitors.
package agent

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/find"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var view = output.View[api.Agent]{
	ID: func(g *api.Agent) string { return g.ID },
	Columns: []output.Column[api.Agent]{
		{Name: "id", Value: func(g *api.Agent) string { return g.ID }},
		{Name: "name", Value: func(g *api.Agent) string { return g.Name }, Flex: true},
		{Name: "state", Value: state},
		{Name: "model", Value: func(g *api.Agent) string { return g.Model }},
		{Name: "tools", Value: func(g *api.Agent) string { return strings.Join(g.Tools.Names(), " ") }},
		{Name: "canned", Value: func(g *api.Agent) string { return strconv.Itoa(len(g.CannedResponseIDs)) }, Wide: true},
		{Name: "personality", Value: func(g *api.Agent) string { return g.Personality }, Wide: true, Flex: true},
		kit.Wide(kit.When("updated", func(g *api.Agent) api.Time { return g.UpdatedAt })),
	},
}

func state(g *api.Agent) string {
	switch {
	case g.Active && g.RespondToChats:
		return "active"
	case g.Active:
		return "active, silent"
	}
	return "inactive"
}

var statsView = output.View[api.AgentStats]{
	ID: func(*api.AgentStats) string { return "" },
	Columns: []output.Column[api.AgentStats]{
		kit.Number("answers", func(s *api.AgentStats) int { return s.Answers }),
		kit.Number("handoffs", func(s *api.AgentStats) int { return s.Handoffs }),
		kit.Number("conversations", func(s *api.AgentStats) int { return s.Conversations }),
		kit.Number("rated good", func(s *api.AgentStats) int { return s.RatedGood }),
		kit.Number("rated bad", func(s *api.AgentStats) int { return s.RatedBad }),
		kit.Number("tokens today", func(s *api.AgentStats) int { return s.TokensToday }),
		kit.Number("tokens in", func(s *api.AgentStats) int { return s.Usage.InputTokens }),
		kit.Number("tokens out", func(s *api.AgentStats) int { return s.Usage.OutputTokens }),
	},
}

// New is the command agent.
func New(a *kit.App) *cobra.Command {
	return kit.Group("agent", "Agents that answer visitors (needs a session)", []string{"agents"},
		newList(a),
		newOne(a, "get AGENT", "Show an agent", func(_ context.Context, _ *sdk.Client, g *api.Agent) (*api.Agent, error) { return g, nil }),
		newCreate(a), newUpdate(a), newApply(a),
		newOne(a, "duplicate AGENT", "Create an inactive agent with the settings of another",
			func(ctx context.Context, d *sdk.Client, g *api.Agent) (*api.Agent, error) {
				return d.Agents.Duplicate(ctx, api.Ref{ID: g.ID})
			}),
		newDelete(a), newActivate(a),
		newOne(a, "deactivate AGENT", "End an agent's answering",
			func(ctx context.Context, d *sdk.Client, g *api.Agent) (*api.Agent, error) {
				return d.Agents.Deactivate(ctx, api.Ref{ID: g.ID})
			}),
		newTools(a), newCanned(a), newChat(a), newPreview(a), newStats(a))
}

func newList(a *kit.App) *cobra.Command {
	var l kit.ListFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List agents, newest first", Aliases: []string{"ls"}, Args: kit.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			return kit.ShowList(a, l, view, d.Agents.All(cmd.Context(), l.Page()))
		},
	}
	l.Add(cmd)
	return cmd
}

// openAgent finds an agent by its id or name.
func openAgent(ctx context.Context, a *kit.App, ref string) (*sdk.Client, *api.Agent, error) {
	d, err := a.Dashboard()
	if err != nil {
		return nil, nil, err
	}
	g, err := find.Agent(ctx, d, ref)
	return d, g, err
}

// newOne is a verb that takes an agent and shows one.
func newOne(a *kit.App, use, short string, run func(context.Context, *sdk.Client, *api.Agent) (*api.Agent, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: kit.Exactly("the agent's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, g, err := openAgent(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			if g, err = run(cmd.Context(), d, g); err != nil {
				return err
			}
			return kit.ShowOne(a, view, g)
		},
	}
}

func newDelete(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "delete AGENT", Short: "Delete an agent", Args: kit.Exactly("the agent's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, g, err := openAgent(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			if err := a.Confirm("deleting "+g.ID, g.Name); err != nil {
				return err
			}
			if err := d.Agents.Delete(cmd.Context(), api.Ref{ID: g.ID}); err != nil {
				return err
			}
			a.IO.Say("deleted %s", g.ID)
			return nil
		},
	}
}

func newActivate(a *kit.App) *cobra.Command {
	return newOne(a, "activate AGENT", "Make an agent the one that answers", func(ctx context.Context, d *sdk.Client, g *api.Agent) (*api.Agent, error) {
		done, err := d.Agents.Activate(ctx, api.Ref{ID: g.ID})
		if err != nil {
			return nil, err
		}
		if done.Deactivated != nil {
			a.IO.Say("%s (%s) does not answer any more", done.Deactivated.Name, done.Deactivated.ID)
		}
		return &done.Agent, nil
	})
}

func newStats(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "stats AGENT", Short: "Count an agent's answers, handoffs and tokens", Args: kit.Exactly("the agent's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, g, err := openAgent(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			stats, err := d.Agents.Stats(cmd.Context(), g.ID)
			if err != nil {
				return err
			}
			return kit.ShowOne(a, statsView, stats)
		},
	}
}

func newPreview(a *kit.App) *cobra.Command {
	message := ""
	cmd := &cobra.Command{
		Use: "preview AGENT", Short: "Show the prompt that an agent would send", Args: kit.Exactly("the agent's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, g, err := openAgent(cmd.Context(), a, args[0])
			if err != nil {
				return err
			}
			prompt, err := d.Agents.PreviewPrompt(cmd.Context(), api.AgentPreview{ID: g.ID, Message: message})
			if err != nil {
				return err
			}
			p, err := a.Printer()
			if err != nil {
				return err
			}
			if p.Structured() {
				return p.Value(prompt)
			}
			return a.PrintText(prompt.Prompt + "\n")
		},
	}
	cmd.Flags().StringVarP(&message, "message", "m", "", "a visitor's message; the articles found for it are shown")
	return cmd
}
