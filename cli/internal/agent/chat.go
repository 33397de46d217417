package agent

import (
	"bufio"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// maxHistory is how many messages of a chat the daemon takes.
const maxHistory = 40

// chat talks to an agent, a line at a time.
type chat struct {
	app   *kit.App
	agent *api.Agent
	turns []api.TestTurn
}

func newChat(a *kit.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "chat AGENT", Short: "Talk to an agent as a visitor would", Example: "  svcctl agent chat Ada\n  echo 'Do you ship to Japan?' | svcctl agent chat Ada",
		Long: "Reads messages, one a line, and prints the agent's answers. Nothing is kept and no tool is run. An empty line or the end of the input ends the chat.",
	}
	return newRead(a, cmd, func(ctx context.Context, client *sdk.Client, g *api.Agent) error {
		c := &chat{app: a, agent: g}
		return c.run(ctx, client)
	})
}

func (c *chat) run(ctx context.Context, d *sdk.Client) error {
	io := c.app.IO
	prompt := func() {
		if io.CanPrompt() {
			_, _ = io.Err.Write([]byte("you> ")) // talk
		}
	}
	if io.CanPrompt() {
		io.Say("%s listens; an empty line ends the chat", terminal.Line(c.agent.Name))
	}
	lines := bufio.NewScanner(io.In)
	for prompt(); lines.Scan(); prompt() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			break
		}
		if err := c.say(ctx, d, line); err != nil {
			return err
		}
	}
	return lines.Err()
}

// say sends a message and prints the answer.
func (c *chat) say(ctx context.Context, d *sdk.Client, line string) error {
	c.turns = append(c.turns, api.TestTurn{From: api.AuthorVisitor, Text: line})
	if over := len(c.turns) - maxHistory + 1; over > 0 {
		c.turns = c.turns[over:]
	}
	answer, err := d.Agents.TestChat(ctx, api.AgentTestChat{ID: c.agent.ID, Messages: c.turns})
	if err != nil {
		return err
	}
	if runes := []rune(answer.Text); len(runes) > 0 {
		c.turns = append(c.turns, api.TestTurn{From: api.AuthorAgent, Text: string(runes[:min(len(runes), 4000)])})
	}
	return c.show(answer)
}

func (c *chat) show(answer *api.AgentAnswer) error {
	p, err := c.app.Printer()
	if err != nil {
		return err
	}
	if p.Structured() {
		return p.Value(answer)
	}
	var b strings.Builder
	b.WriteString(c.agent.Name + "> " + answer.Text + "\n")
	for _, cite := range answer.Citations {
		b.WriteString("  from " + cite.Title + " · " + cite.URL + "\n")
	}
	for _, t := range answer.ToolCalls {
		b.WriteString("  tool " + t.Name + " · " + t.State + "\n")
	}
	if answer.HandoffReason != "" {
		c.app.IO.Say("handed over to a person: %s", answer.HandoffReason)
	}
	return c.app.PrintText(b.String())
}
