// Package chat is svcctl chat: conversations with visitors.
package chat

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var view = output.View[api.Conversation]{
	ID: func(c *api.Conversation) string { return c.ID },
	Columns: []output.Column[api.Conversation]{
		{Name: "visitor", Value: visitor, Flex: true},
		{Name: "state", Value: state},
		{Name: "new", Value: func(c *api.Conversation) string { return strconv.Itoa(c.Unread) }},
		{Name: "latest", Value: latest, Flex: true},
		kit.When("age", at),
		{Name: "id", Value: func(c *api.Conversation) string { return c.ID }},
		{Name: "assignee", Value: func(c *api.Conversation) string { return c.AssigneeID }, Wide: true},
		{Name: "tags", Value: func(c *api.Conversation) string { return strings.Join(c.Tags, ",") }, Wide: true, Flex: true},
		{Name: "page", Value: func(c *api.Conversation) string { return c.Visitor.PageURL }, Wide: true, Flex: true},
		{Name: "rating", Value: func(c *api.Conversation) string { return strconv.Itoa(c.Rating) }, Wide: true},
	},
}

// visitor names a visitor; what was not proven is marked.
func visitor(c *api.Conversation) string {
	v := &c.Visitor
	name := v.Name
	if name == "" {
		name = v.Email
	}
	switch {
	case name == "":
		return "visitor " + v.ID[max(0, len(v.ID)-4):]
	case v.Verified:
		return name + " ✓"
	}
	return name
}

func state(c *api.Conversation) string {
	if c.HandoffReason != "" {
		return c.State + " (" + c.HandoffReason + ")"
	}
	return c.State
}

func latest(c *api.Conversation) string {
	if c.LastMessage == nil {
		return ""
	}
	return c.LastMessage.Author + ": " + c.LastMessage.Text
}

func at(c *api.Conversation) api.Time {
	if c.LastMessage == nil {
		return c.CreatedAt
	}
	return c.LastMessage.At
}

// New is the command chat.
func New(a *kit.App) *cobra.Command {
	return kit.Group("chat", "Conversations with visitors", []string{"chats", "conversation", "conversations"},
		newInbox(a), newSearch(a), newOpen(a), newTail(a), newReply(a), newNote(a),
		newTakeover(a), newHandback(a), newClose(a), newAssign(a), newTag(a), newExport(a))
}

func newInbox(a *kit.App) *cobra.Command {
	list := inbox("inbox")
	list.Aliases = []string{"list", "ls"}
	cmd := list.New(a)
	cmd.Short = "List conversations, latest message first"
	cmd.Example = "  svcctl chat inbox --unread\n  svcctl chat inbox --state open --assignee usr_01j…"
	return cmd
}

func inbox(verb string) *crud.Lister[api.Conversation, api.ConversationQuery] {
	return &crud.Lister[api.Conversation, api.ConversationQuery]{
		Path: "chat", Verb: verb, Plural: "conversations", View: view, Flags: map[string]string{"q": "-", "assigneeId": "assignee"},
		Help: map[string]string{
			"unread": "with messages that no member has seen", "state": "in this state", "assigneeId": "assigned to the member with this id", "tag": "with this tag", "personId": "of the person with this id",
		},
		Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.Conversation, api.ConversationQuery] { return c.Conversations.List }),
	}
}

func newSearch(a *kit.App) *cobra.Command {
	list := inbox("search")
	words := ""
	list.More = func(*cobra.Command) func(map[string]json.RawMessage) {
		return func(query map[string]json.RawMessage) { query["q"], _ = json.Marshal(words) } // a string is always JSON
	}
	cmd := list.New(a)
	run := cmd.RunE
	cmd.Use, cmd.Short, cmd.Args, cmd.Example = "search WORDS...", "Find conversations by visitor, tag or latest message", kit.AtLeast("words to look for"), "  svcctl chat search lin refund"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		words = strings.Join(args, " ")
		return run(cmd, args)
	}
	return cmd
}

// says is a verb that writes a text into a conversation.
func says(a *kit.App, use, short, done string, do func(context.Context, *sdk.ConversationsService, string, string, []sdk.CallOption) (*api.Message, error)) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: kit.Exactly("the conversation's id", "the text, or - for standard input"), Example: example(use),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.TextArgument(args[1])
			if err != nil {
				return err
			}
			c, err := a.Writer(w)
			if err != nil {
				return err
			}
			m, err := do(cmd.Context(), c.Conversations, args[0], text, w.Options())
			if err != nil {
				return err
			}
			return said(a, m, done)
		},
	}
	w.Add(cmd)
	return cmd
}

func said(a *kit.App, m *api.Message, done string) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	if p.Structured() {
		return p.Value(m)
	}
	a.IO.Say("%s", done)
	return a.PrintText(m.ID + "\n")
}

func newReply(a *kit.App) *cobra.Command {
	return says(a, "reply CONV TEXT", "Send a message to the visitor; it takes the conversation over", "sent",
		func(ctx context.Context, s *sdk.ConversationsService, id, text string, options []sdk.CallOption) (*api.Message, error) {
			return s.Reply(ctx, api.Reply{ID: id, Text: text}, options...)
		})
}

func newNote(a *kit.App) *cobra.Command {
	return says(a, "note CONV TEXT", "Add a note that only members see", "noted",
		func(ctx context.Context, s *sdk.ConversationsService, id, text string, options []sdk.CallOption) (*api.Message, error) {
			return s.Note(ctx, api.ConversationNote{ID: id, Text: text}, options...)
		})
}

// example is a command line of a verb.
func example(use string) string {
	return "  svcctl chat " + strings.NewReplacer("CONV", "conv_01j…", "MEMBER", "usr_01j…", "TEXT", "'It ships today.'").Replace(use)
}

// one is a verb that changes a conversation and shows it.
func one(a *kit.App, use, short string, args cobra.PositionalArgs, do func(*cobra.Command, *sdk.Client, []string, []sdk.CallOption) (*api.Conversation, error)) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args, Example: example(use),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Writer(w)
			if err != nil {
				return err
			}
			conversation, err := do(cmd, c, args, w.Options())
			if err != nil {
				return err
			}
			return kit.ShowOne(a, view, conversation)
		},
	}
	w.Add(cmd)
	return cmd
}

func newTakeover(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "takeover CONV", Short: "Assign a conversation to yourself and stop the agent (needs a session)", Args: kit.Exactly("the conversation's id"), Example: "  svcctl chat takeover conv_01j…",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.MemberWriter(w)
			if err != nil {
				return err
			}
			conversation, err := c.Conversations.TakeOver(cmd.Context(), api.Ref{ID: args[0]}, w.Options()...)
			if err != nil {
				return err
			}
			return kit.ShowOne(a, view, conversation)
		},
	}
	w.Add(cmd)
	return cmd
}

func newHandback(a *kit.App) *cobra.Command {
	return one(a, "handback CONV", "Let the active agent answer again", kit.Exactly("the conversation's id"),
		func(cmd *cobra.Command, c *sdk.Client, args []string, options []sdk.CallOption) (*api.Conversation, error) {
			return c.Conversations.ReturnToBot(cmd.Context(), api.Ref{ID: args[0]}, options...)
		})
}

func newClose(a *kit.App) *cobra.Command {
	return one(a, "close CONV", "Resolve a conversation", kit.Exactly("the conversation's id"),
		func(cmd *cobra.Command, c *sdk.Client, args []string, options []sdk.CallOption) (*api.Conversation, error) {
			return c.Conversations.SetState(cmd.Context(), api.ConversationSetState{ID: args[0], State: api.ConversationResolved}, options...)
		})
}

func newAssign(a *kit.App) *cobra.Command {
	return one(a, "assign CONV MEMBER", "Give a conversation to a member by id, or to none", kit.Exactly("the conversation's id", "the member's id, or none"),
		func(cmd *cobra.Command, c *sdk.Client, args []string, options []sdk.CallOption) (*api.Conversation, error) {
			in := api.ConversationAssign{ID: args[0], AssigneeID: args[1]}
			if in.AssigneeID == "none" {
				in.AssigneeID = ""
			}
			return c.Conversations.Assign(cmd.Context(), in, options...)
		})
}

func newTag(a *kit.App) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: "tag CONV +TAG... -TAG...", Short: "Add and remove tags", Args: kit.AtLeast("the conversation's id"),
		Long:    "Adds the tags with +, removes those with -. A tag of one letter that is also a flag, such as -o, goes after --.",
		Example: "  svcctl chat tag conv_01j… +vip -trial",
	}
	w.Add(cmd)
	return a.TakesChanges(cmd, func(cmd *cobra.Command, args []string, changes []kit.Change) error {
		in := api.ConversationTag{ID: args[0], Add: args[1:]}
		for _, c := range changes {
			if c.Add {
				in.Add = append(in.Add, c.Name)
			} else {
				in.Remove = append(in.Remove, c.Name)
			}
		}
		if len(in.Add)+len(in.Remove) == 0 {
			return &kit.Failure{Exit: kit.ExitUsage, Code: "usage", Message: cmd.CommandPath() + " needs a tag such as +vip, or -vip to remove it", Hint: cmd.UseLine()}
		}
		client, err := a.Writer(w)
		if err != nil {
			return err
		}
		conversation, err := client.Conversations.Tag(cmd.Context(), in, w.Options()...)
		if err != nil {
			return err
		}
		return kit.ShowOne(a, view, conversation)
	})
}

// Names are the ids of the latest conversations, for completion.
func Names(ctx context.Context, a *kit.App) ([]string, error) { return inbox("inbox").Names(ctx, a) }
