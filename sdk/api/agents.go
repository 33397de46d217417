package api

// The tools that an agent may be given. Their names are those of the toggles.
const (
	ToolCreatePost    = "create_post"
	ToolPostImage     = "generate_post_image"
	ToolCreateArticle = "create_helpdesk_article"
)

// Agent answers visitors on the team's behalf.
type Agent struct {
	Head
	Name              string      `json:"name"`
	AvatarURL         string      `json:"avatarUrl,omitempty"`
	Personality       string      `json:"personality,omitempty"`
	Instructions      string      `json:"instructions,omitempty"`
	Model             string      `json:"model"`
	RespondToChats    bool        `json:"respondToChats"`
	Active            bool        `json:"active" doc:"At most one agent of a team is."`
	Tools             AgentTools  `json:"tools"`
	CannedResponseIDs []string    `json:"cannedResponseIds"`
	Guardrails        []string    `json:"guardrails"`
	HandoffMessage    string      `json:"handoffMessage" doc:"What a visitor reads when a person takes over."`
	Limits            AgentLimits `json:"limits"`
}

// AgentTools are the toggles; with none on, the agent only reads help content.
type AgentTools struct {
	CreatePost    bool `json:"create_post" required:"false"`
	PostImage     bool `json:"generate_post_image" required:"false"`
	CreateArticle bool `json:"create_helpdesk_article" required:"false"`
}

// Allows reports whether the tool of that name is on.
func (t AgentTools) Allows(name string) bool {
	switch name {
	case ToolCreatePost:
		return t.CreatePost
	case ToolPostImage:
		return t.PostImage
	case ToolCreateArticle:
		return t.CreateArticle
	}
	return false
}

// AgentLimits bound what an agent spends. Zero members take the defaults.
type AgentLimits struct {
	MaxToolSteps  int `json:"maxToolSteps,omitempty" minimum:"1" maximum:"8" doc:"Tool calls for one answer; 4 by default."`
	DailyTokens   int `json:"dailyTokens,omitempty" minimum:"0" doc:"Tokens per UTC day; 0 means no limit."`
	MaxReplyChars int `json:"maxReplyChars,omitempty" minimum:"100" maximum:"20000" doc:"4000 by default."`
}

// Names lists the tools that are on.
func (t AgentTools) Names() []string {
	names := []string{}
	for _, name := range []string{ToolCreatePost, ToolPostImage, ToolCreateArticle} {
		if t.Allows(name) {
			names = append(names, name)
		}
	}
	return names
}

// AgentCreate creates an agent, inactive.
type AgentCreate struct {
	Name              string      `json:"name" minLength:"1" maxLength:"120"`
	AvatarURL         string      `json:"avatarUrl,omitempty" maxLength:"2048"`
	Personality       string      `json:"personality,omitempty" maxLength:"2000"`
	Instructions      string      `json:"instructions,omitempty" maxLength:"20000"`
	Model             string      `json:"model,omitempty" maxLength:"100" doc:"One of the four models; the service chooses when absent."`
	RespondToChats    *bool       `json:"respondToChats,omitempty" doc:"On when absent."`
	Tools             AgentTools  `json:"tools,omitzero"`
	CannedResponseIDs []string    `json:"cannedResponseIds,omitempty" maxItems:"100"`
	Guardrails        []string    `json:"guardrails,omitempty" maxItems:"20" doc:"Sentences that the agent must hold to."`
	HandoffMessage    string      `json:"handoffMessage,omitempty" maxLength:"500"`
	Limits            AgentLimits `json:"limits,omitzero"`
}

// AgentRef names an agent.
type AgentRef = Ref

// AgentPatch names an agent and what to change.
type AgentPatch struct {
	AgentRef
	Name              Opt[string]      `json:"name,omitzero" minLength:"1" maxLength:"120"`
	AvatarURL         Opt[string]      `json:"avatarUrl,omitzero" maxLength:"2048" null:"true"`
	Personality       Opt[string]      `json:"personality,omitzero" maxLength:"2000" null:"true"`
	Instructions      Opt[string]      `json:"instructions,omitzero" maxLength:"20000" null:"true"`
	Model             Opt[string]      `json:"model,omitzero" minLength:"1" maxLength:"100"`
	RespondToChats    Opt[bool]        `json:"respondToChats,omitzero"`
	Tools             Opt[AgentTools]  `json:"tools,omitzero" doc:"Replaces all three toggles."`
	CannedResponseIDs Opt[[]string]    `json:"cannedResponseIds,omitzero" maxItems:"100" null:"true"`
	Guardrails        Opt[[]string]    `json:"guardrails,omitzero" maxItems:"20" null:"true"`
	HandoffMessage    Opt[string]      `json:"handoffMessage,omitzero" maxLength:"500" null:"true"`
	Limits            Opt[AgentLimits] `json:"limits,omitzero" null:"true"`
}

// AgentActivated answers an activation.
type AgentActivated struct {
	Agent       Agent     `json:"agent"`
	Deactivated *AgentTag `json:"deactivated" null:"true" doc:"The agent that was active before."`
}

// AgentList is a team's agents for those who may run them.
type AgentList struct {
	Data []AgentSummary `json:"data"`
}

// AgentSummary is an agent in short.
type AgentSummary struct {
	ID     string   `json:"id"`
	Name   string   `json:"name"`
	Active bool     `json:"active"`
	Model  string   `json:"model"`
	Tools  []string `json:"tools" doc:"The tools that are switched on."`
}

// AgentTag names an agent for people.
type AgentTag struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// AgentSetChats switches the answering of chats.
type AgentSetChats struct {
	ID             string `json:"id"`
	RespondToChats bool   `json:"respondToChats"`
}

// AgentSetTools sets some of the toggles; absent ones stay.
type AgentSetTools struct {
	ID            string `json:"id"`
	CreatePost    *bool  `json:"create_post,omitempty"`
	PostImage     *bool  `json:"generate_post_image,omitempty"`
	CreateArticle *bool  `json:"create_helpdesk_article,omitempty"`
}

// AgentLink links canned responses to an agent.
type AgentLink struct {
	ID                string   `json:"id"`
	CannedResponseIDs []string `json:"cannedResponseIds" minItems:"1" maxItems:"100"`
}

// AgentUnlink ends one link.
type AgentUnlink struct {
	ID               string `json:"id"`
	CannedResponseID string `json:"cannedResponseId"`
}

// AgentPreview asks for the prompt that an agent would send for a message.
type AgentPreview struct {
	ID      string `json:"id"`
	Message string `json:"message,omitempty" maxLength:"4000" doc:"A visitor's message; its articles are searched and shown."`
}

// PromptPreview is the effective prompt, in its layers.
type PromptPreview struct {
	Layers []PromptLayer `json:"layers" doc:"Built-in behaviour, then personality and instructions, then context."`
	Prompt string        `json:"prompt" doc:"The layers as the model gets them."`
}

// PromptLayer is one part of a prompt.
type PromptLayer struct {
	Name string `json:"name" doc:"builtin, personality, instructions, guardrails, canned, brand or context."`
	Text string `json:"text"`
}

// AgentTestChat talks to an agent without a visitor; nothing is kept.
type AgentTestChat struct {
	ID       string     `json:"id"`
	Messages []TestTurn `json:"messages" minItems:"1" maxItems:"40" doc:"The conversation so far; the last is the visitor's."`
}

// TestTurn is one message of a test conversation.
type TestTurn struct {
	From string `json:"from" enum:"visitor,agent"`
	Text string `json:"text" minLength:"1" maxLength:"4000"`
}

// StopLimit is why an answer ended that became too long.
const StopLimit = "limit"

// AgentAnswer is what an agent would answer.
type AgentAnswer struct {
	Text          string     `json:"text"`
	HTML          string     `json:"html"`
	Citations     []Citation `json:"citations"`
	ToolCalls     []ToolCall `json:"toolCalls"`
	HandoffReason string     `json:"handoffReason,omitempty" doc:"Set when it would hand over to a person."`
	Unanswered    bool       `json:"unanswered,omitempty" doc:"Set when nothing answers the question and the visitor was asked to put it in other words."`
	CannedID      string     `json:"usedCannedResponseId,omitempty"`
	Stop          string     `json:"stop,omitempty" enum:"limit" doc:"Set when the text was cut at its limit."`
	Provider      string     `json:"provider" doc:"Empty when no model was asked."`
	Model         string     `json:"model"`
	Usage         Usage      `json:"usage"`
	DurationMs    int64      `json:"durationMs"`
}

// AgentStats counts an agent's work.
type AgentStats struct {
	Answers       int   `json:"answers"`
	Handoffs      int   `json:"handoffs"`
	Conversations int   `json:"conversations"`
	Usage         Usage `json:"usage"`
	TokensToday   int   `json:"tokensToday"`
	RatedGood     int   `json:"ratedGood"`
	RatedBad      int   `json:"ratedBad"`
}

// CannedResponse is an answer that the team wrote in advance.
type CannedResponse struct {
	Head
	Shortcut  string   `json:"shortcut" doc:"Unique per team."`
	Title     string   `json:"title"`
	Body      string   `json:"body" doc:"Markdown; {{ name }} are variables."`
	Variables []string `json:"variables" doc:"Names of the variables in the body."`
}

// CannedCreate creates a canned response.
type CannedCreate struct {
	Shortcut string `json:"shortcut" minLength:"1" maxLength:"60" pattern:"^[a-z0-9][a-z0-9_-]*$"`
	Title    string `json:"title" minLength:"1" maxLength:"200"`
	Body     string `json:"body" minLength:"1" maxLength:"4000"`
}

// CannedPatch names a canned response and what to change.
type CannedPatch struct {
	Ref
	Shortcut Opt[string] `json:"shortcut,omitzero" minLength:"1" maxLength:"60" pattern:"^[a-z0-9][a-z0-9_-]*$"`
	Title    Opt[string] `json:"title,omitzero" minLength:"1" maxLength:"200"`
	Body     Opt[string] `json:"body,omitzero" minLength:"1" maxLength:"4000"`
}

// CannedQuery filters canned responses.
type CannedQuery struct {
	PageQuery
	Q string `json:"q,omitempty" maxLength:"200" doc:"Words in shortcut, title or body."`
}

// CannedMatch asks which canned responses fit a message.
type CannedMatch struct {
	Message string `json:"message" minLength:"1" maxLength:"4000"`
	AgentID string `json:"agentId,omitempty" doc:"Only those linked to this agent."`
	Limit   int    `json:"limit,omitempty" default:"5" minimum:"1" maximum:"20"`
}

// CannedMatches answers CannedMatch, best first.
type CannedMatches struct {
	Data []CannedHit `json:"data"`
}

// CannedHit is one canned response that fits.
type CannedHit struct {
	CannedResponse CannedResponse `json:"cannedResponse"`
	Score          float64        `json:"score" doc:"0 to 1."`
}
