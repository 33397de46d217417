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

var chatView = output.View[api.Conversation]{
	ID: func(c *api.Conversation) string { return c.ID },
	Columns: []output.Column[api.Conversation]{
		{Name: "visitor", Value: chatVisitor, Flex: true},
		{Name: "state", Value: chatState},
		{Name: "new", Value: func(c *api.Conversation) string { return strconv.Itoa(c.Unread) }},
		{Name: "latest", Value: chatLatest, Flex: true},
		when("age", chatAt),
		{Name: "id", Value: func(c *api.Conversation) string { return c.ID }},
		{Name: "assignee", Value: func(c *api.Conversation) string { return c.AssigneeID }, Wide: true},
		{Name: "tags", Value: func(c *api.Conversation) string { return strings.Join(c.Tags, ",") }, Wide: true, Flex: true},
		{Name: "page", Value: func(c *api.Conversation) string { return c.Visitor.PageURL }, Wide: true, Flex: true},
		{Name: "rating", Value: func(c *api.Conversation) string { return strconv.Itoa(c.Rating) }, Wide: true},
	},
}

// chatVisitor names a visitor; what was not proven is marked.
func chatVisitor(c *api.Conversation) string {
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

func chatState(c *api.Conversation) string {
	if c.HandoffReason != "" {
		return c.State + " (" + c.HandoffReason + ")"
	}
	return c.State
}

func chatLatest(c *api.Conversation) string {
	if c.LastMessage == nil {
		return ""
	}
	return c.LastMessage.Author + ": " + c.LastMessage.Text
}

func chatAt(c *api.Conversation) api.Time {
	if c.LastMessage == nil {
		return c.CreatedAt
	}
	return c.LastMessage.At
}

func newChat(a *app) *cobra.Command {
	return group("chat", "Conversations with visitors", []string{"chats", "conversation", "conversations"},
		newChatInbox(a), newChatSearch(a), newChatOpen(a), newChatTail(a), newChatReply(a), newChatNote(a),
		newChatTakeover(a), newChatHandback(a), newChatClose(a), newChatAssign(a), newChatTag(a), newChatExport(a))
}

func newChatInbox(a *app) *cobra.Command {
	var l listFlags
	var q api.ConversationQuery
	cmd := &cobra.Command{
		Use: "inbox", Short: "List conversations, latest message first", Aliases: []string{"list", "ls"}, Args: exactly(),
		Example: "  svcctl chat inbox --unread\n  svcctl chat inbox --state open --assignee me",
		RunE: func(cmd *cobra.Command, _ []string) error {
			q.PageQuery, q.State = l.page(), strings.ToLower(q.State)
			return a.showChats(cmd.Context(), l, q)
		},
	}
	l.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&q.Unread, "unread", false, "with messages that no member has seen")
	f.StringVar(&q.State, "state", "", "bot, open, snoozed or resolved")
	f.StringVar(&q.AssigneeID, "assignee", "", "given to this member; me needs a session's id")
	f.StringVar(&q.Tag, "tag", "", "with this tag")
	return cmd
}

func newChatSearch(a *app) *cobra.Command {
	var l listFlags
	cmd := &cobra.Command{
		Use: "search WORDS...", Short: "Find conversations by visitor, tag or latest message", Args: atLeast("words to look for"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.showChats(cmd.Context(), l, api.ConversationQuery{PageQuery: l.page(), Q: strings.Join(args, " ")})
		},
	}
	l.add(cmd)
	return cmd
}

func (a *app) showChats(ctx context.Context, l listFlags, q api.ConversationQuery) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	return showList(a, l, chatView, c.Conversations.All(ctx, q))
}

// chatSays is a verb that writes a text into a conversation.
func chatSays(a *app, use, short, done string, do func(context.Context, *sdk.ConversationsService, string, string, []sdk.CallOption) (*api.Message, error)) *cobra.Command {
	var w writeFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: exactly("the conversation's id", "the text, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.textArgument(args[1])
			if err != nil {
				return err
			}
			c, err := a.writer(w)
			if err != nil {
				return err
			}
			m, err := do(cmd.Context(), c.Conversations, args[0], text, w.options())
			if err != nil {
				return err
			}
			return a.said(m, done)
		},
	}
	w.add(cmd)
	return cmd
}

func (a *app) said(m *api.Message, done string) error {
	p, err := a.printer()
	if err != nil {
		return err
	}
	if p.Structured() {
		return p.Value(m)
	}
	a.io.Say("%s", done)
	return a.printText(m.ID + "\n")
}

func newChatReply(a *app) *cobra.Command {
	return chatSays(a, "reply CONV TEXT", "Send a message to the visitor; it takes the conversation over", "sent",
		func(ctx context.Context, s *sdk.ConversationsService, id, text string, options []sdk.CallOption) (*api.Message, error) {
			return s.Reply(ctx, api.Reply{ID: id, Text: text}, options...)
		})
}

func newChatNote(a *app) *cobra.Command {
	return chatSays(a, "note CONV TEXT", "Add a note that only members see", "noted",
		func(ctx context.Context, s *sdk.ConversationsService, id, text string, options []sdk.CallOption) (*api.Message, error) {
			return s.Note(ctx, api.ConversationNote{ID: id, Text: text}, options...)
		})
}

// chatOne is a verb that changes a conversation and shows it.
func chatOne(a *app, use, short string, args cobra.PositionalArgs, do func(*cobra.Command, *sdk.Client, []string, []sdk.CallOption) (*api.Conversation, error)) *cobra.Command {
	var w writeFlags
	cmd := &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.writer(w)
			if err != nil {
				return err
			}
			conversation, err := do(cmd, c, args, w.options())
			if err != nil {
				return err
			}
			return showOne(a, chatView, conversation)
		},
	}
	w.add(cmd)
	return cmd
}

func newChatTakeover(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "takeover CONV", Short: "Assign a conversation to yourself and stop the agent (needs a session)", Args: exactly("the conversation's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := a.dashboard()
			if err != nil {
				return err
			}
			c, err := d.Conversations.TakeOver(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return showOne(a, chatView, c)
		},
	}
}

func newChatHandback(a *app) *cobra.Command {
	return chatOne(a, "handback CONV", "Let the active agent answer again", exactly("the conversation's id"),
		func(cmd *cobra.Command, c *sdk.Client, args []string, options []sdk.CallOption) (*api.Conversation, error) {
			return c.Conversations.ReturnToBot(cmd.Context(), args[0], options...)
		})
}

func newChatClose(a *app) *cobra.Command {
	return chatOne(a, "close CONV", "Resolve a conversation", exactly("the conversation's id"),
		func(cmd *cobra.Command, c *sdk.Client, args []string, options []sdk.CallOption) (*api.Conversation, error) {
			return c.Conversations.SetState(cmd.Context(), api.ConversationSetState{ID: args[0], State: api.ConversationResolved}, options...)
		})
}

func newChatAssign(a *app) *cobra.Command {
	return chatOne(a, "assign CONV MEMBER", "Give a conversation to a member by id, or to none", exactly("the conversation's id", "the member's id, or none"),
		func(cmd *cobra.Command, c *sdk.Client, args []string, options []sdk.CallOption) (*api.Conversation, error) {
			in := api.ConversationAssign{ID: args[0], AssigneeID: args[1]}
			if in.AssigneeID == "none" {
				in.AssigneeID = ""
			}
			return c.Conversations.Assign(cmd.Context(), in, options...)
		})
}

func newChatTag(a *app) *cobra.Command {
	var w writeFlags
	cmd := &cobra.Command{
		Use: "tag CONV +TAG... -TAG...", Short: "Add and remove tags", Args: atLeast("the conversation's id"),
		Long:    "Adds the tags with +, removes those with -. A tag of one letter that is also a flag, such as -o, goes after --.",
		Example: "  svcctl chat tag conv_01j… +vip -trial",
	}
	w.add(cmd)
	return a.takesChanges(cmd, func(cmd *cobra.Command, args []string, changes []change) error {
		in := api.ConversationTag{ID: args[0], Add: args[1:]}
		for _, c := range changes {
			if c.add {
				in.Add = append(in.Add, c.name)
			} else {
				in.Remove = append(in.Remove, c.name)
			}
		}
		if len(in.Add)+len(in.Remove) == 0 {
			return &failure{Exit: exitUsage, Code: "usage", Message: cmd.CommandPath() + " needs a tag such as +vip, or -vip to remove it", Hint: cmd.UseLine()}
		}
		client, err := a.writer(w)
		if err != nil {
			return err
		}
		conversation, err := client.Conversations.Tag(cmd.Context(), in, w.options()...)
		if err != nil {
			return err
		}
		return showOne(a, chatView, conversation)
	})
}
