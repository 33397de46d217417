package cli

import (
	"context"
	"strconv"
	"strings"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

var agentView = output.View[api.Agent]{
	ID: func(g *api.Agent) string { return g.ID },
	Columns: []output.Column[api.Agent]{
		{Name: "id", Value: func(g *api.Agent) string { return g.ID }},
		{Name: "name", Value: func(g *api.Agent) string { return g.Name }, Flex: true},
		{Name: "state", Value: agentState},
		{Name: "model", Value: func(g *api.Agent) string { return g.Model }},
		{Name: "tools", Value: func(g *api.Agent) string { return strings.Join(g.Tools.Names(), " ") }},
		{Name: "canned", Value: func(g *api.Agent) string { return strconv.Itoa(len(g.CannedResponseIDs)) }, Wide: true},
		{Name: "personality", Value: func(g *api.Agent) string { return g.Personality }, Wide: true, Flex: true},
		wide(when("updated", func(g *api.Agent) api.Time { return g.UpdatedAt })),
	},
}

func agentState(g *api.Agent) string {
	switch {
	case g.Active && g.RespondToChats:
		return "active"
	case g.Active:
		return "active, silent"
	}
	return "inactive"
}

var agentStatsView = output.View[api.AgentStats]{
	ID: func(*api.AgentStats) string { return "" },
	Columns: []output.Column[api.AgentStats]{
		number("answers", func(s *api.AgentStats) int { return s.Answers }),
		number("handoffs", func(s *api.AgentStats) int { return s.Handoffs }),
		number("conversations", func(s *api.AgentStats) int { return s.Conversations }),
		number("rated good", func(s *api.AgentStats) int { return s.RatedGood }),
		number("rated bad", func(s *api.AgentStats) int { return s.RatedBad }),
		number("tokens today", func(s *api.AgentStats) int { return s.TokensToday }),
		number("tokens in", func(s *api.AgentStats) int { return s.Usage.InputTokens }),
		number("tokens out", func(s *api.AgentStats) int { return s.Usage.OutputTokens }),
	},
}

func number[T any](name string, of func(*T) int) output.Column[T] {
	return output.Column[T]{Name: name, Value: func(record *T) string { return strconv.Itoa(of(record)) }}
}

func newAgent(a *app) *cobra.Command {
	return group("agent", "Agents that answer visitors (needs a session)", []string{"agents"},
		newAgentList(a),
		newAgentOne(a, "get AGENT", "Show an agent", func(_ context.Context, _ *sdk.Dashboard, g *api.Agent) (*api.Agent, error) { return g, nil }),
		newAgentCreate(a), newAgentUpdate(a), newAgentApply(a),
		newAgentOne(a, "duplicate AGENT", "Create an inactive agent with the settings of another",
			func(ctx context.Context, d *sdk.Dashboard, g *api.Agent) (*api.Agent, error) {
				return d.Agents.Duplicate(ctx, g.ID)
			}),
		newAgentDelete(a), newAgentActivate(a),
		newAgentOne(a, "deactivate AGENT", "End an agent's answering",
			func(ctx context.Context, d *sdk.Dashboard, g *api.Agent) (*api.Agent, error) {
				return d.Agents.Deactivate(ctx, g.ID)
			}),
		newAgentTools(a), newAgentCanned(a), newAgentChat(a), newAgentPreview(a), newAgentStats(a))
}

func newAgentList(a *app) *cobra.Command {
	var l listFlags
	cmd := &cobra.Command{
		Use: "list", Short: "List agents, newest first", Aliases: []string{"ls"}, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := a.dashboard()
			if err != nil {
				return err
			}
			return showList(a, l, agentView, d.Agents.All(cmd.Context(), l.page()))
		},
	}
	l.add(cmd)
	return cmd
}

// openAgent finds an agent by its id or name.
func (a *app) openAgent(ctx context.Context, ref string) (*sdk.Dashboard, *api.Agent, error) {
	d, err := a.dashboard()
	if err != nil {
		return nil, nil, err
	}
	g, err := findAgent(ctx, d, ref)
	return d, g, err
}

func findAgent(ctx context.Context, d *sdk.Dashboard, ref string) (*api.Agent, error) {
	if strings.HasPrefix(ref, "agt_") {
		return d.Agents.Get(ctx, ref)
	}
	g, err := agentNamed(ctx, d, ref)
	if err == nil && g == nil {
		err = &failure{Exit: exitNotFound, Code: "not_found", Message: "there is no agent " + ref, Hint: "svcctl agent list"}
	}
	return g, err
}

// agentNamed is the only agent of that name, nil for none.
func agentNamed(ctx context.Context, d *sdk.Dashboard, name string) (found *api.Agent, err error) {
	for g, err := range d.Agents.All(ctx, api.PageQuery{Limit: 100}) {
		switch {
		case err != nil:
			return nil, err
		case g.Name == name && found != nil:
			return nil, usage("several agents are named %s; use an id", name)
		case g.Name == name:
			found = g
		}
	}
	return found, nil
}

// newAgentOne is a verb that takes an agent and shows one.
func newAgentOne(a *app, use, short string, run func(context.Context, *sdk.Dashboard, *api.Agent) (*api.Agent, error)) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: exactly("the agent's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, g, err := a.openAgent(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if g, err = run(cmd.Context(), d, g); err != nil {
				return err
			}
			return showOne(a, agentView, g)
		},
	}
}

func newAgentDelete(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "delete AGENT", Short: "Delete an agent", Args: exactly("the agent's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, g, err := a.openAgent(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := a.confirm("deleting "+g.ID, g.Name); err != nil {
				return err
			}
			if err := d.Agents.Delete(cmd.Context(), g.ID); err != nil {
				return err
			}
			a.io.Say("deleted %s", g.ID)
			return nil
		},
	}
}

func newAgentActivate(a *app) *cobra.Command {
	return newAgentOne(a, "activate AGENT", "Make an agent the one that answers", func(ctx context.Context, d *sdk.Dashboard, g *api.Agent) (*api.Agent, error) {
		done, err := d.Agents.Activate(ctx, g.ID)
		if err != nil {
			return nil, err
		}
		if done.Deactivated != nil {
			a.io.Say("%s (%s) does not answer any more", done.Deactivated.Name, done.Deactivated.ID)
		}
		return &done.Agent, nil
	})
}

func newAgentStats(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "stats AGENT", Short: "Count an agent's answers, handoffs and tokens", Args: exactly("the agent's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, g, err := a.openAgent(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			stats, err := d.Agents.Stats(cmd.Context(), g.ID)
			if err != nil {
				return err
			}
			return showOne(a, agentStatsView, stats)
		},
	}
}

func newAgentPreview(a *app) *cobra.Command {
	message := ""
	cmd := &cobra.Command{
		Use: "preview AGENT", Short: "Show the prompt that an agent would send", Args: exactly("the agent's name or id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, g, err := a.openAgent(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			prompt, err := d.Agents.PreviewPrompt(cmd.Context(), api.AgentPreview{ID: g.ID, Message: message})
			if err != nil {
				return err
			}
			p, err := a.printer()
			if err != nil {
				return err
			}
			if p.Structured() {
				return p.Value(prompt)
			}
			return a.printText(prompt.Prompt + "\n")
		},
	}
	cmd.Flags().StringVarP(&message, "message", "m", "", "a visitor's message; the articles found for it are shown")
	return cmd
}
