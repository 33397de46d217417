// Package agent is svcctl agent: the agents that answer visitors.
package agent

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/nouns"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

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
	noun := &nouns.Agent
	return noun.Command(a, newApply(a),
		noun.NewAct(a, crud.Act[api.Agent]{Verb: "duplicate", Short: "Create an inactive agent with the settings of another", Done: "created",
			Do: by(func(ctx context.Context, c *sdk.Client, ref api.Ref, options []sdk.CallOption) (*api.Agent, error) {
				return c.Agents.Duplicate(ctx, ref, options...)
			})}),
		noun.NewAct(a, crud.Act[api.Agent]{Verb: "activate", Short: "Make an agent the one that answers", Long: "Makes an agent the one that answers visitors. Deactivates the previous agent and names it.", Do: activate}),
		noun.NewAct(a, crud.Act[api.Agent]{Verb: "deactivate", Short: "Stop an agent from answering", Do: by(func(ctx context.Context, c *sdk.Client, ref api.Ref, options []sdk.CallOption) (*api.Agent, error) {
			return c.Agents.Deactivate(ctx, ref, options...)
		})}),
		newTools(a), newCanned(a), newChat(a), newPreview(a), newStats(a))
}

// by makes a change in the session of svcctl login.
func by(do func(context.Context, *sdk.Client, api.Ref, []sdk.CallOption) (*api.Agent, error)) func(context.Context, *kit.App, api.Ref, kit.WriteFlags) (*api.Agent, error) {
	return func(ctx context.Context, a *kit.App, ref api.Ref, w kit.WriteFlags) (*api.Agent, error) {
		c, err := a.Dashboard()
		if err != nil {
			return nil, err
		}
		return do(ctx, c, ref, w.Options())
	}
}

func activate(ctx context.Context, a *kit.App, ref api.Ref, w kit.WriteFlags) (*api.Agent, error) {
	c, err := a.Dashboard()
	if err != nil {
		return nil, err
	}
	done, err := c.Agents.Activate(ctx, ref, w.Options()...)
	if err != nil {
		return nil, err
	}
	if done.Deactivated != nil {
		a.IO.Say("%s (%s) does not answer any more", terminal.Line(done.Deactivated.Name), done.Deactivated.ID)
	}
	return &done.Agent, nil
}

// openAgent finds an agent by its id or name.
func openAgent(ctx context.Context, a *kit.App, ref string) (*sdk.Client, *api.Agent, error) {
	c, err := a.Dashboard()
	if err != nil {
		return nil, nil, err
	}
	g, err := nouns.Agent.Open(ctx, a, ref)
	return c, g, err
}

// newRead is a command about one agent that changes nothing.
func newRead(a *kit.App, cmd *cobra.Command, run func(ctx context.Context, c *sdk.Client, g *api.Agent) error) *cobra.Command {
	cmd.Args = kit.Exactly("the agent's name or id")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, g, err := openAgent(cmd.Context(), a, args[0])
		if err != nil {
			return err
		}
		return run(cmd.Context(), c, g)
	}
	a.CompleteFirst(cmd, nouns.Agent.Names)
	return cmd
}

func newStats(a *kit.App) *cobra.Command {
	cmd := &cobra.Command{Use: "stats AGENT", Short: "Count an agent's answers, handoffs and tokens", Example: "  svcctl agent stats Ada"}
	return newRead(a, cmd, func(ctx context.Context, c *sdk.Client, g *api.Agent) error {
		stats, err := c.Agents.Stats(ctx, g.ID)
		if err != nil {
			return err
		}
		return kit.ShowOne(a, statsView, stats)
	})
}

func newPreview(a *kit.App) *cobra.Command {
	message := ""
	cmd := &cobra.Command{Use: "preview AGENT", Short: "Show the prompt that an agent would send", Example: "  svcctl agent preview Ada --message 'Do you ship to Japan?'"}
	cmd.Flags().StringVarP(&message, "message", "m", "", "a visitor's message; the articles found for it are shown")
	return newRead(a, cmd, func(ctx context.Context, c *sdk.Client, g *api.Agent) error {
		prompt, err := c.Agents.PreviewPrompt(ctx, api.AgentPreview{ID: g.ID, Message: message})
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
	})
}
