// Package llm writes text and draws images with language models: four fixed
// models of two vendors behind one Client, and an offline client that answers
// where no key is configured.
//
// It knows the vendors' wire formats, their limits and their failures. It does
// not know what a post, a job or an agent is: a caller brings its prompt, and
// beside it the structured task from which the offline client computes an
// answer without a network. Keys and prompts are never logged and never appear
// in an error.
package llm

import (
	"context"
	"encoding/json"
)

// Providers, as they label an answer.
const (
	ProviderOpenAI    = "openai"
	ProviderAnthropic = "anthropic"
	// ProviderCompatible is a server that speaks a vendor's protocol at another
	// address: Ollama, vLLM, llama.cpp, a gateway.
	ProviderCompatible = "compatible"
	// ProviderOffline computed the answer in this process.
	ProviderOffline = "offline"
)

// Client completes a conversation. Implementations are safe for concurrent
// use. An error is a *Error, or wraps context.Canceled when the caller left.
type Client interface {
	Complete(ctx context.Context, req Request) (Response, error)
}

// Request is one turn to be written.
type Request struct {
	Model    string // one of Models
	System   string
	Messages []Message
	// Stable is how many of the first messages later requests begin with, too, as
	// they do with System and Tools. A vendor that wants to be told where what it may
	// keep ends is told so.
	Stable int
	Tools  []Tool
	// MaxTokens bounds the answer; zero means 8192. The vendors run without
	// thinking ahead, so all of it is there for the visible answer.
	MaxTokens int

	// OnDelta receives the text while it is written, in order, from the
	// goroutine that called Complete. The texts joined are Response.Text.
	OnDelta func(text string)
	// OnRestart allows a new try after text was delivered: it is called first,
	// and what OnDelta delivered before it is void. Without it a failure after
	// the first delta is returned instead, so a reader never sees text twice.
	OnRestart func()

	// Offline describes the task to the offline client; vendors never see it.
	Offline *OfflineTask
}

// Role is who speaks in a Message.
type Role string

// The roles. The system prompt is not a message: it is Request.System.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one turn of the conversation so far. An assistant's message
// carries text, tool calls or both; a tool's message answers one call.
type Message struct {
	Role      Role
	Text      string
	ToolCalls []ToolCall

	ToolCallID string // with RoleTool: the ToolCall.ID that this answers
	ToolError  bool   // with RoleTool: Text says why the tool failed

	// Native is set by Response.Message; carry it along unchanged.
	Native *Native
}

// Native keeps an assistant's turn in the vendor's own form where that holds
// more than text and calls, such as signed thinking that the vendor wants back
// between tool calls. It is replayed to the model that wrote it, and ignored by
// every other.
type Native struct {
	Model   string          `json:"model"`
	Message json.RawMessage `json:"message"`
}

// Tool is a function that the model may ask for.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments, an object
}

// ToolCall is the model asking for a Tool. Arguments is a valid JSON object;
// whether it fits the schema is for the tool to check.
type ToolCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage
	// Malformed is what the model wrote as arguments when that is not a JSON
	// object. Arguments is then {}: the call is not to be carried out, and the
	// model is told so.
	Malformed string
}

// StopReason is why the model stopped writing.
type StopReason string

// The reasons that the vendors' own are mapped to.
const (
	StopEnd       StopReason = "end"
	StopMaxTokens StopReason = "max_tokens" // Text is cut short
	StopToolCalls StopReason = "tool_calls"
	StopRefusal   StopReason = "refusal" // the vendor declined; Text may explain
)

// Response is a complete answer. A stream that broke off is an error, never a
// Response with less text.
type Response struct {
	Text       string
	ToolCalls  []ToolCall
	Usage      Usage
	Provider   string // one of the Provider constants
	Model      string // the id that was asked for, one of Models
	StopReason StopReason
	Unanswered bool // the offline client found nothing, and asks to put the question otherwise

	native *Native
}

// Usage counts tokens as the vendor bills them; zero offline, and where a
// compatible server does not tell.
type Usage struct {
	InputTokens  int64
	OutputTokens int64
}

// Message is the answer as the next request's history wants it.
func (r Response) Message() Message {
	return Message{Role: RoleAssistant, Text: r.Text, ToolCalls: r.ToolCalls, Native: r.native}
}
