package widget

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/terminal"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// trial is a chat that this terminal has as a visitor of the site.
type trial struct {
	out     io.Writer
	chat    *sdk.Chat
	next    func() (api.ChatOut, error, bool)
	agent   string // who answers
	writing bool   // an answer is being printed
	human   bool   // nobody but a person answers now
}

func newTry(a *kit.App) *cobra.Command {
	o := &onSite{app: a}
	patient := time.Minute
	cmd := &cobra.Command{
		Use: "try [MESSAGE...]", Short: "Chat on the site as a visitor does",
		Long:    "Begins a conversation as a new visitor, sends the messages one after the other and prints the answers as they are written. Without messages it reads them from standard input, one a line. The conversation is a real one: it is in the inbox.",
		Example: "  svcctl widget try 'Do you ship to Japan?'",
		RunE: func(cmd *cobra.Command, args []string) error {
			_, site, err := o.find(cmd.Context())
			if err != nil {
				return err
			}
			chat, err := sdk.OpenChat(cmd.Context(), a.Settings.URL, site.ID, "")
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeoutCause(cmd.Context(), patient, errNoAnswer())
			defer cancel()
			next, stop := iter.Pull2(chat.Frames(ctx))
			defer stop()
			t := &trial{out: a.IO.Out, chat: chat, next: next, agent: "agent"}
			for line := range said(args, a.IO.In) {
				if err := t.say(ctx, line); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().DurationVar(&patient, "timeout", patient, "how long to wait for the answers")
	return o.add(cmd)
}

// said yields the messages, from the input where there are no arguments.
func said(args []string, in io.Reader) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, line := range args {
			if !yield(line) {
				return
			}
		}
		if len(args) > 0 {
			return
		}
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			if line := strings.TrimSpace(lines.Text()); line != "" && !yield(line) {
				return
			}
		}
	}
}

func errNoAnswer() error {
	return &kit.Failure{Exit: kit.ExitTimeout, Code: "timeout", Message: "no answer came in time; the conversation is in the inbox", Hint: "svcctl chat inbox"}
}

// say sends a message and prints what comes back until the answer is whole, or
// it is clear that a person will give it.
func (t *trial) say(ctx context.Context, line string) error {
	fmt.Fprintf(t.out, "you: %s\n", terminal.Line(line))
	ack, err := t.chat.Send(ctx, line)
	if err != nil {
		return err
	}
	for !t.human {
		f, err, ok := t.next()
		if !ok || err != nil {
			return err
		}
		if t.show(&f) && f.Seq > ack.Seq {
			return nil
		}
	}
	fmt.Fprintln(t.out, "     (a person will answer; the message is in the inbox)")
	return nil
}

// show prints a frame, and reports that an answer is whole with it.
func (t *trial) show(f *api.ChatOut) bool {
	switch {
	case f.T == "ready":
		if t.human = f.Agent == nil; !t.human {
			t.agent = terminal.Line(f.Agent.Name)
		}
	case f.T == "handoff":
		t.human = f.To == "operator" && f.State == "" // until a person comes, the agent answers
	case f.T == "delta":
		t.print(f.Text)
	case f.T == "done" && f.Stop != "canceled", f.T == "msg" && f.From != "visitor":
		if !t.writing {
			t.print(f.Text)
		}
		t.writing = false
		fmt.Fprintln(t.out)
		for _, c := range f.Cards {
			fmt.Fprintf(t.out, "     ▸ %s  %s\n", terminal.Line(c.Title), terminal.Line(c.URL))
		}
		return true
	}
	return false
}

// print goes on with an answer.
func (t *trial) print(text string) {
	if !t.writing {
		fmt.Fprintf(t.out, "%s: ", t.agent)
		t.writing = true
	}
	text = strings.ReplaceAll(terminal.Clean(text), " \n", "\n")
	fmt.Fprint(t.out, strings.ReplaceAll(text, "\n", "\n  "))
}
