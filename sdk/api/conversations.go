package api

// The states of a conversation.
const (
	ConversationBot      = "bot"  // an agent answers
	ConversationOpen     = "open" // a person is to answer
	ConversationSnoozed  = "snoozed"
	ConversationResolved = "resolved"
)

// The kinds of author of a message.
const (
	AuthorVisitor = "visitor"
	AuthorAgent   = "agent"
	AuthorUser    = "user"
	AuthorSystem  = "system"
)

// The reasons for handing a conversation to a person.
const (
	HandoffRequested     = "customer_request"
	HandoffUnknown       = "missing_knowledge"
	HandoffUnsupported   = "unsupported_request"
	HandoffPolicy        = "policy_restriction"
	HandoffToolFailure   = "tool_failure"
	HandoffClarification = "pending_clarification"
	HandoffUsage         = "usage_limit"
)

// Conversation is one visitor's chat with the team.
type Conversation struct {
	ID            string          `json:"id"`
	State         string          `json:"state" enum:"bot,open,snoozed,resolved"`
	SiteID        string          `json:"siteId"`
	Visitor       Visitor         `json:"visitor"`
	PersonID      string          `json:"personId,omitempty"`
	AssigneeID    string          `json:"assigneeId,omitempty"`
	AgentID       string          `json:"agentId,omitempty"`
	Unread        int             `json:"unread" doc:"Messages of the visitor since a member last looked."`
	Tags          []string        `json:"tags"`
	Rating        int             `json:"rating" enum:"-1,0,1" doc:"1 good, -1 bad, 0 none."`
	HandoffReason string          `json:"handoffReason,omitempty"`
	LastMessage   *MessageSummary `json:"lastMessage" null:"true"`
	LastSeq       int             `json:"lastSeq" doc:"seq of the latest message."`
	ReadSeq       int             `json:"readSeq" doc:"Up to where the visitor has read."`
	SnoozedUntil  Time            `json:"snoozedUntil" null:"true"`
	StartedAt     Time            `json:"startedAt"`
	Version       int             `json:"version"`
	CreatedAt     Time            `json:"createdAt"`
	UpdatedAt     Time            `json:"updatedAt"`
}

// ConversationDetail is a conversation with its latest messages, in the order
// of their seq.
type ConversationDetail struct {
	Conversation
	Messages []Message `json:"messages"`
}

// Visitor is who chats.
type Visitor struct {
	ID        string `json:"id"`
	Name      string `json:"name,omitempty"`
	Email     string `json:"email,omitempty"`
	Verified  bool   `json:"verified" doc:"The site proved who it is."`
	PageURL   string `json:"pageUrl,omitempty"`
	PageTitle string `json:"pageTitle,omitempty"`
	Locale    string `json:"locale,omitempty"`
}

// MessageSummary is the latest message for a list.
type MessageSummary struct {
	Seq    int    `json:"seq"`
	Author string `json:"author" enum:"visitor,agent,user,system"`
	Text   string `json:"text" doc:"The first 140 characters."`
	At     Time   `json:"at"`
}

// Message is one message of a conversation.
type Message struct {
	ID             string        `json:"id"`
	ConversationID string        `json:"conversationId"`
	Seq            int           `json:"seq" doc:"1, 2, 3 … within the conversation."`
	Author         MessageAuthor `json:"author"`
	Note           bool          `json:"note,omitempty" doc:"For members only; the visitor never sees it."`
	Suggested      bool          `json:"suggested,omitempty" doc:"A note that an AI client proposes as a reply; a person may send it."`
	Text           string        `json:"text" doc:"As it was written; Markdown of agents and members."`
	HTML           string        `json:"html,omitempty" doc:"The text as safe HTML."`
	Citations      []Citation    `json:"citations"`
	CannedID       string        `json:"usedCannedResponseId,omitempty"`
	ToolCalls      []ToolCall    `json:"toolCalls"`
	Rating         int           `json:"rating" enum:"-1,0,1"`
	Stop           string        `json:"stop,omitempty" doc:"Why an answer ended early: canceled, error or limit."`
	Provider       string        `json:"provider,omitempty"`
	Model          string        `json:"model,omitempty"`
	Usage          *Usage        `json:"usage,omitempty"`
	CreatedAt      Time          `json:"createdAt"`
}

// MessageAuthor is who wrote a message.
type MessageAuthor struct {
	Type string `json:"type" enum:"visitor,agent,user,system"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Citation is a passage of an article that an answer rests on.
type Citation struct {
	ArticleID string `json:"articleId"`
	Title     string `json:"title"`
	URL       string `json:"url"`
	Quote     string `json:"quote,omitempty" doc:"Word for word from the article; without one, the article is offered, not quoted."`
	Anchor    string `json:"anchor,omitempty" doc:"Id of the section's heading on the page, which the address names."`
	Heading   string `json:"heading,omitempty" doc:"Of the section."`
}

// ToolCall is a tool that an agent used.
type ToolCall struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	State  string `json:"state" enum:"running,done,refused,failed"`
	Result string `json:"result,omitempty" doc:"Such as the id of the draft that was made."`
}

// ConversationQuery filters the inbox, latest message first.
type ConversationQuery struct {
	PageQuery
	State      string `json:"state,omitempty" enum:"bot,open,snoozed,resolved"`
	AssigneeID string `json:"assigneeId,omitempty" maxLength:"40" doc:"A member's id, or me."`
	Unread     bool   `json:"unread,omitempty"`
	PersonID   string `json:"personId,omitempty" maxLength:"100"`
	Tag        string `json:"tag,omitempty" maxLength:"60"`
	Q          string `json:"q,omitempty" maxLength:"200" doc:"Words of the visitor's name or address, a tag or the latest message."`
}

// ConversationRef names a conversation.
type ConversationRef struct {
	ID string `json:"id" form:"id" doc:"Id of the conversation."`
}

// MessageQuery lists messages in their order.
type MessageQuery struct {
	ID    string `json:"id" form:"id" doc:"Id of the conversation."`
	Since int    `json:"since,omitempty" minimum:"0" doc:"Messages after this seq."`
	Limit int    `json:"limit,omitempty" default:"50" minimum:"1" maximum:"200"`
}

// MessageList is messages in ascending order of seq.
type MessageList struct {
	Data    []Message `json:"data"`
	HasMore bool      `json:"hasMore"`
}

// Reply is a member's message to the visitor. It takes the conversation over
// from the agent: an answer being written is canceled.
type Reply struct {
	ID       string `json:"id" form:"id" doc:"Id of the conversation."`
	Text     string `json:"text" minLength:"1" maxLength:"4000" doc:"Markdown."`
	CannedID string `json:"cannedResponseId,omitempty" maxLength:"40"`
}

// ConversationNote is a note for members.
type ConversationNote struct {
	ID   string `json:"id" form:"id"`
	Text string `json:"text" minLength:"1" maxLength:"4000"`
}

// ConversationAssign gives a conversation to a member; "" to none.
type ConversationAssign struct {
	ID         string `json:"id" form:"id"`
	AssigneeID string `json:"assigneeId,omitempty" maxLength:"40" doc:"A member's id, me, or empty for none."`
}

// ConversationSetState moves a conversation: open, snoozed (with until) or
// resolved. The state bot is reached by returnToBot.
type ConversationSetState struct {
	ID    string `json:"id" form:"id"`
	State string `json:"state" enum:"open,snoozed,resolved"`
	Until Time   `json:"until,omitzero" doc:"For snoozed."`
}

// ConversationTag changes the tags of a conversation.
type ConversationTag struct {
	ID     string   `json:"id" form:"id"`
	Add    []string `json:"add,omitempty" maxItems:"20"`
	Remove []string `json:"remove,omitempty" maxItems:"20"`
}

// MessageRate rates an agent's message.
type MessageRate struct {
	ID        string `json:"id" form:"id" doc:"Id of the conversation."`
	MessageID string `json:"messageId" form:"id"`
	Rating    int    `json:"rating" enum:"-1,0,1"`
}

// ConversationLink says which person a conversation is with; "" for nobody known.
type ConversationLink struct {
	ID       string `json:"id" form:"id"`
	PersonID string `json:"personId,omitempty" maxLength:"100"`
}

// ConversationTyping tells the visitor that a member is writing, or ceased to.
type ConversationTyping struct {
	ID string `json:"id" form:"id"`
	On bool   `json:"on"`
}

// ConversationEvent is one live message about conversations. In an inbox only
// "conversation" and "deleted" come; a watched conversation also sends the
// others. A second start for the same message takes back its text so far.
type ConversationEvent struct {
	Type         string        `json:"type" enum:"conversation,deleted,message,start,delta,tool,cancel,typing,presence"`
	Conversation *Conversation `json:"conversation,omitempty"`
	Message      *Message      `json:"message,omitempty"`
	MessageID    string        `json:"messageId,omitempty" doc:"Of start, delta, tool and cancel."`
	Text         string        `json:"text,omitempty" doc:"Of delta."`
	Tool         *ToolCall     `json:"tool,omitempty"`
	From         string        `json:"from,omitempty" doc:"Who types: visitor, agent or user."`
	On           bool          `json:"on,omitempty" doc:"Of typing and presence."`
}

// ConversationWatch follows one conversation from a seq on.
type ConversationWatch struct {
	ID          string `json:"id"`
	Since       int    `json:"since,omitempty" minimum:"0"`
	LastEventID string `json:"lastEventId,omitempty" maxLength:"100"`
}

// InboxWatch follows all conversations.
type InboxWatch struct {
	LastEventID string `json:"lastEventId,omitempty" maxLength:"100"`
}

// Site is a website that embeds the widget.
type Site struct {
	ID             string     `json:"id" doc:"Public: data-site of the snippet."`
	Name           string     `json:"name"`
	AllowedOrigins []string   `json:"allowedOrigins" doc:"Such as https://www.acme.example; empty allows none."`
	Color          string     `json:"color" doc:"#rrggbb."`
	Greeting       string     `json:"greeting"`
	Locale         string     `json:"locale,omitempty"`
	RequireConsent bool       `json:"requireConsent" doc:"Nothing is stored or connected before consent."`
	Identity       string     `json:"identity" enum:"off,optional,required" doc:"Whether the site proves who its visitors are."`
	Secret         SiteSecret `json:"secret"`
	Version        int        `json:"version"`
	CreatedAt      Time       `json:"createdAt"`
	UpdatedAt      Time       `json:"updatedAt"`
}

// SiteSecret describes the secret that signs identities.
type SiteSecret struct {
	Set     bool   `json:"set"`
	Last4   string `json:"last4,omitempty"`
	Version int    `json:"version,omitempty" doc:"Counts the rotations. One ends what visitors have proven before it."`
	Form    string `json:"form,omitempty" enum:"jwt,hmac" doc:"Of a secret from before the forms had keys of their own: the one form that it signs itself, by what the site first sent."`
}

// SiteCreate creates a site.
type SiteCreate struct {
	Name           string   `json:"name" minLength:"1" maxLength:"120"`
	AllowedOrigins []string `json:"allowedOrigins,omitempty" maxItems:"50"`
	Color          string   `json:"color,omitempty" pattern:"^#[0-9a-fA-F]{6}$"`
	Greeting       string   `json:"greeting,omitempty" maxLength:"500"`
	Locale         string   `json:"locale,omitempty" form:"locale" maxLength:"35"`
	RequireConsent bool     `json:"requireConsent,omitempty"`
	Identity       string   `json:"identity,omitempty" enum:"off,optional,required" default:"off"`
}

// SiteRef names a site.
type SiteRef = Ref

// SiteGet names a site to read.
type SiteGet struct {
	ID string `json:"id" form:"id" doc:"Id of the site."`
}

// SiteInstall asks for the markup of a site.
type SiteInstall struct {
	ID    string `json:"id" form:"id" doc:"Id of the site."`
	Nonce string `json:"nonce,omitempty" maxLength:"200" doc:"The nonce of the page's content security policy, or the expression of your templates that prints it."`
}

// SitePatch names a site and what to change.
type SitePatch struct {
	SiteRef
	Name           Opt[string]   `json:"name,omitzero" minLength:"1" maxLength:"120"`
	AllowedOrigins Opt[[]string] `json:"allowedOrigins,omitzero" maxItems:"50" null:"true"`
	Color          Opt[string]   `json:"color,omitzero" pattern:"^#[0-9a-fA-F]{6}$" null:"true"`
	Greeting       Opt[string]   `json:"greeting,omitzero" maxLength:"500" null:"true"`
	Locale         Opt[string]   `json:"locale,omitzero" maxLength:"35" null:"true"`
	RequireConsent Opt[bool]     `json:"requireConsent,omitzero"`
	Identity       Opt[string]   `json:"identity,omitzero" enum:"off,optional,required"`
}

// SiteSecretRolled carries a new signing secret once.
type SiteSecretRolled struct {
	Site   Site   `json:"site"`
	Secret Secret `json:"secret" doc:"Shown once. The keys of both forms of proof are made of it: HMAC-SHA256 of 'svc identity jwt v1' signs HS256 tokens, that of 'svc identity hmac v1' ids."`
}

// SiteSnippet is the markup to paste.
type SiteSnippet struct {
	HTML string `json:"html"`
}
