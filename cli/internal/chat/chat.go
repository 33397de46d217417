// Package chat is svcctl chat: conversations with visitors.
package chat

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

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
	var l kit.ListFlags
	var q api.ConversationQuery
	cmd := &cobra.Command{
		Use: "inbox", Short: "List conversations, latest message first", Aliases: []string{"list", "ls"}, Args: kit.Exactly(),
		Example: "  svcctl chat inbox --unread\n  svcctl chat inbox --state open --assignee me",
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.PageQuery, q.State = l.Page(), strings.ToLower(q.State)
			return showChats(cmd.Context(), a, l, q)
		},
	}
	l.Add(cmd)
	f := cmd.Flags()
	f.BoolVar(&q.Unread, "unread", false, "with messages that no member has seen")
	f.StringVar(&q.State, "state", "", "bot, open, snoozed or resolved")
	f.StringVar(&q.AssigneeID, "assignee", "", "given to this member; me needs a session's id")
	f.StringVar(&q.Tag, "tag", "", "with this tag")
	return cmd
}

func newSearch(a *kit.App) *cobra.Command {
	var l kit.ListFlags
	cmd := &cobra.Command{
		Use: "search WORDS...", Short: "Find conversations by visitor, tag or latest message", Args: kit.AtLeast("words to look for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return showChats(cmd.Context(), a, l, api.ConversationQuery{PageQuery: l.Page(), Q: strings.Join(args, " ")})
		},
	}
	l.Add(cmd)
	return cmd
}

func showChats(ctx context.Context, a *kit.App, l kit.ListFlags, q api.ConversationQuery) error {
	c, err := a.Client()
	if err != nil {
		return err
	}
	return kit.ShowList(a, l, view, c.Conversations.All(ctx, q))
}

// says is a verb that writes a text into a conversation.
func says(a *kit.App, use, short, done string, do func(context.Context, *sdk.ConversationsService, string, string, []sdk.CallOption) (*api.Message, error)) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: kit.Exactly("the conversation's id", "the text, or - for standard input"),
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

// one is a verb that changes a conversation and shows it.
func one(a *kit.App, use, short string, args cobra.PositionalArgs, do func(*cobra.Command, *sdk.Client, []string, []sdk.CallOption) (*api.Conversation, error)) *cobra.Command {
	var w kit.WriteFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
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
	return &cobra.Command{
		Use: "takeover CONV", Short: "Assign a conversation to yourself and stop the agent (needs a session)", Args: kit.Exactly("the conversation's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.Dashboard()
			if err != nil {
				return err
			}
			c, err := d.Conversations.TakeOver(cmd.Context(), api.Ref{ID: args[0]})
			if err != nil {
				return err
			}
			return kit.ShowOne(a, view, c)
		},
	}
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
