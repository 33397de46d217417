package chat

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

func newOpen(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "open CONV", Short: "Show a conversation with its messages", Aliases: []string{"get", "show"}, Args: kit.Exactly("the conversation's id"),
		Example: "  svcctl chat open conv_01j…",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			detail, err := c.Conversations.Get(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			p, err := a.Printer()
			if err != nil {
				return err
			}
			if p.Structured() {
				return p.Value(detail)
			}
			if err := output.One(p, view, &detail.Conversation); err != nil || p.Format == "ids" || p.Format == "csv" {
				return err
			}
			a.IO.Say("")
			return printTranscript(cmd.Context(), a, c, args[0])
		},
	}
}

func printTranscript(ctx context.Context, a *kit.App, c *sdk.Client, id string) error {
	for m, err := range c.Conversations.Transcript(ctx, id) {
		if err != nil {
			return err
		}
		if err := printMessage(a, m); err != nil {
			return err
		}
	}
	return nil
}

// printMessage writes a message for a person: who, when and what, of which
// nothing can steer the terminal.
func printMessage(a *kit.App, m *api.Message) error {
	_, err := fmt.Fprintf(a.IO.Out, "%s%s\n", messageHead(a, m), indented(m.Text))
	if err != nil {
		return err
	}
	for _, card := range m.Citations {
		if _, err := fmt.Fprintf(a.IO.Out, "    ▸ %s\n", terminal.Line(card.Title)); err != nil {
			return err
		}
	}
	return nil
}

// messageHead says who wrote and when. Who it is never shows by colour alone.
func messageHead(a *kit.App, m *api.Message) string {
	who := m.Author.Name
	if who == "" {
		who = m.Author.Type
	}
	who = terminal.Line(who)
	switch {
	case m.Suggested:
		who += " suggests"
	case m.Note:
		who += " notes"
	case m.Author.Type == api.AuthorAgent:
		who += " (agent)"
	}
	style := a.IO.OutStyle()
	return style.Bold(who) + "  " + style.Dim(m.CreatedAt.Time().Local().Format("2006-01-02 15:04")) + "\n"
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(terminal.Clean(text), "\n", "\n  ")
}

type tail struct {
	app    *kit.App
	follow bool
	since  int
}

func newTail(a *kit.App) *cobra.Command {
	o := &tail{app: a}
	cmd := &cobra.Command{
		Use: "tail CONV", Short: "Show the messages of a conversation, and with -f those that come", Args: kit.Exactly("the conversation's id"),
		Example: "  svcctl chat tail conv_01j… -f",
		Long: "Shows messages in their order. -f goes on until Ctrl-C and says who is writing; it needs a session.\n" +
			"With --json each message, or with -f each live event, is a line of JSON.",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), args[0]) },
	}
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on with what comes")
	cmd.Flags().IntVar(&o.since, "since", 0, "messages after this seq")
	return cmd
}

func (o *tail) run(ctx context.Context, id string) error {
	p, err := o.app.Printer()
	if err != nil {
		return err
	}
	if p.Format == "json" && p.JQ == "" {
		p.Format = "jsonl" // a stream has no end to wait for
	}
	if o.follow {
		return o.live(ctx, p, id)
	}
	c, err := o.app.Client()
	if err != nil {
		return err
	}
	for m, err := range c.Conversations.Transcript(ctx, id) {
		if err == nil && m.Seq > o.since {
			if p.Structured() {
				err = p.Value(m)
			} else {
				err = printMessage(o.app, m)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// live prints the messages that come, and says on standard error what else
// happens. An answer shows when it is whole: until then it may be taken back.
func (o *tail) live(ctx context.Context, p output.Printer, id string) error {
	d, err := o.app.Dashboard()
	if err != nil {
		return err
	}
	for event, err := range d.Conversations.Conversation(ctx, api.ConversationWatch{ID: id, Since: o.since}) {
		switch {
		case err != nil:
			return err
		case p.Structured():
			err = p.Value(event)
		default:
			err = o.event(&event)
		}
		if err != nil || event.Type == "deleted" {
			return err
		}
	}
	return nil
}

func (o *tail) event(e *api.ConversationEvent) error {
	io := o.app.IO
	switch e.Type {
	case "message":
		return printMessage(o.app, e.Message)
	case "start":
		io.Say("the agent is writing …")
	case "cancel":
		io.Say("the agent was stopped")
	case "tool":
		io.Say("tool %s: %s", terminal.Line(e.Tool.Name), e.Tool.State)
	case "typing":
		if e.On && e.From == api.AuthorVisitor {
			io.Say("the visitor is writing …")
		}
	case "presence":
		io.Say("the visitor is %s", map[bool]string{true: "here", false: "gone"}[e.On])
	case "deleted":
		io.Say("the conversation was deleted")
	}
	return nil
}

func newExport(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "export CONV", Short: "Write a whole conversation as Markdown, or as JSON with --json", Args: kit.Exactly("the conversation's id"),
		Example: "  svcctl chat export conv_01j… > talk.md",
		RunE:    func(cmd *cobra.Command, args []string) error { return exportChat(cmd.Context(), a, args[0]) },
	}
}

func exportChat(ctx context.Context, a *kit.App, id string) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	detail, err := c.Conversations.Get(ctx, id)
	if err != nil {
		return err
	}
	detail.Messages = nil
	for m, err := range c.Conversations.Transcript(ctx, id) {
		if err != nil {
			return err
		}
		detail.Messages = append(detail.Messages, *m)
	}
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if p.Structured() {
		return p.Value(detail)
	}
	return a.PrintText(markdown(detail))
}

func markdown(c *api.ConversationDetail) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Conversation with %s\n\n%s · %s · begun %s\n", visitor(&c.Conversation), c.ID, c.State, c.StartedAt)
	for i := range c.Messages {
		m := &c.Messages[i]
		who := m.Author.Type
		if m.Author.Name != "" {
			who = m.Author.Name + " (" + who + ")"
		}
		if m.Note {
			who += ", note"
		}
		fmt.Fprintf(&b, "\n## %s · %s\n\n%s\n", who, m.CreatedAt, m.Text)
		for _, card := range m.Citations {
			fmt.Fprintf(&b, "\n- [%s](%s)\n", card.Title, card.URL)
		}
	}
	return b.String()
}
