package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"
)

// anthropic speaks the Messages API, always streamed, for the same reason as
// openAI does.
type anthropic struct {
	provider string
	endpoint Endpoint
	lane     *lane
	server   *server
	messages sdk.MessageService
}

func newAnthropic(e Endpoint, base *http.Client, l Limits) *anthropic {
	address := cmp.Or(e.BaseURL, anthropicBaseURL)
	opts := []option.RequestOption{
		option.WithBaseURL(address), option.WithHTTPClient(guarded(base, l.Silence)), option.WithMaxRetries(0),
	}
	header := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if e.Key != "" {
		opts = append(opts, option.WithAPIKey(e.Key))
		header.Set("X-Api-Key", e.Key)
	}
	provider := e.provider(ProviderAnthropic, anthropicBaseURL)
	return &anthropic{
		provider: provider, endpoint: e, lane: newLane(l.AtOnce),
		server:   newServer(provider, address, "/v1/models", header, base),
		messages: sdk.NewMessageService(opts...),
	}
}

func (a *anthropic) label() string { return a.provider }
func (a *anthropic) way() *lane    { return a.lane }

func (a *anthropic) complete(ctx context.Context, c call) (Response, error) {
	stream := a.messages.NewStreaming(ctx, a.params(c))
	defer stream.Close()
	var (
		msg      sdk.Message
		text     strings.Builder
		inputs   = map[int][]byte{} // by block; Accumulate empties what is no JSON
		complete bool
	)
	for stream.Next() {
		event := stream.Current()
		if err := msg.Accumulate(event); err != nil {
			return Response{}, brokenAnswer(a.provider, "the stream's events do not fit together")
		}
		switch {
		case event.Type == "message_stop":
			complete = true
		case event.Type == "content_block_delta" && event.Delta.Type == "text_delta":
			text.WriteString(event.Delta.Text)
			if c.OnDelta != nil {
				c.OnDelta(event.Delta.Text)
			}
		case event.Type == "content_block_delta" && event.Delta.Type == "input_json_delta":
			i := int(event.Index)
			inputs[i] = append(inputs[i], event.Delta.PartialJSON...)
		}
	}
	if err := stream.Err(); err != nil {
		return Response{}, a.failure(err)
	}
	if !complete {
		return Response{}, brokenAnswer(a.provider, "the stream broke off before the answer was complete")
	}
	return a.response(c, msg, text.String(), inputs)
}

func (a *anthropic) response(c call, msg sdk.Message, text string, inputs map[int][]byte) (Response, error) {
	out := Response{
		Text:       text,
		StopReason: anthropicStop(msg.StopReason),
		Usage: Usage{
			InputTokens:  msg.Usage.InputTokens + msg.Usage.CacheCreationInputTokens + msg.Usage.CacheReadInputTokens,
			OutputTokens: msg.Usage.OutputTokens,
		},
	}
	plain := true
	for i, block := range msg.Content {
		switch block.Type {
		case "text":
		case "tool_use":
			out.ToolCalls = append(out.ToolCalls, toolCall(block.ID, block.Name, cmp.Or(string(inputs[i]), string(block.Input))))
		default:
			plain = false
		}
	}
	if !plain {
		raw, err := json.Marshal(msg.ToParam())
		if err != nil {
			return Response{}, brokenAnswer(a.provider, "the answer cannot be kept for the next turn")
		}
		out.native = &Native{Model: c.model.ID, Message: raw}
	}
	return out, nil
}

func anthropicStop(reason sdk.StopReason) StopReason {
	switch reason {
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		return StopMaxTokens
	case sdk.StopReasonToolUse:
		return StopToolCalls
	case sdk.StopReasonRefusal:
		return StopRefusal
	default:
		return StopEnd
	}
}

func (a *anthropic) params(c call) sdk.MessageNewParams {
	if a.provider != ProviderAnthropic {
		c.Stable = 0
	}
	p := sdk.MessageNewParams{Model: c.name, MaxTokens: int64(c.maxTokens), Messages: anthropicMessages(c)}
	if c.System != "" {
		p.System = []sdk.TextBlockParam{{Text: c.System}}
	}
	if a.provider == ProviderAnthropic {
		if c.System != "" {
			p.System[0].CacheControl = sdk.NewCacheControlEphemeralParam() // the tools come before it
		}
		p.Thinking = param.Override[sdk.ThinkingConfigParamUnion](map[string]string{"type": c.model.quiet})
	}
	for _, t := range c.Tools {
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: &sdk.ToolParam{
			Name:        t.Name,
			Description: sdk.String(t.Description),
			InputSchema: param.Override[sdk.ToolInputSchemaParam](t.Schema),
		}})
	}
	return p
}

// anthropicMessages puts the results of one turn's calls into one user message,
// as the API wants them, and leaves empty text out, which it refuses.
func anthropicMessages(c call) []sdk.MessageParam {
	var out []sdk.MessageParam
	results := false
	for i, m := range c.Messages {
		switch {
		case m.Role == RoleTool:
			block := sdk.NewToolResultBlock(m.ToolCallID, m.Text, m.ToolError)
			if results {
				last := &out[len(out)-1]
				last.Content = append(last.Content, block)
			} else {
				out = append(out, sdk.NewUserMessage(block))
			}
		case m.Role == RoleAssistant && m.Native != nil && m.Native.Model == c.model.ID:
			out = append(out, param.Override[sdk.MessageParam](m.Native.Message))
		case m.Role == RoleAssistant:
			if blocks := anthropicAssistant(m); len(blocks) > 0 {
				out = append(out, sdk.NewAssistantMessage(blocks...))
			}
		default:
			out = append(out, sdk.NewUserMessage(sdk.NewTextBlock(m.Text)))
		}
		results = m.Role == RoleTool
		if i == c.Stable-1 {
			keepUntil(out)
		}
	}
	return out
}

// keepUntil says that the vendor may keep the messages so far: later requests begin
// with them.
func keepUntil(messages []sdk.MessageParam) {
	if len(messages) == 0 {
		return
	}
	if content := messages[len(messages)-1].Content; len(content) > 0 {
		if control := content[len(content)-1].GetCacheControl(); control != nil {
			*control = sdk.NewCacheControlEphemeralParam()
		}
	}
}

func anthropicAssistant(m Message) []sdk.ContentBlockParamUnion {
	var blocks []sdk.ContentBlockParamUnion
	if m.Text != "" {
		blocks = append(blocks, sdk.NewTextBlock(m.Text))
	}
	for _, tc := range m.ToolCalls {
		blocks = append(blocks, sdk.NewToolUseBlock(tc.ID, tc.Arguments, tc.Name))
	}
	return blocks
}

// failure sorts what the SDK reports; what it does not know is left to sorted.
// An error inside a stream comes with status 200 and tells itself by type.
func (a *anthropic) failure(err error) error {
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return err
	}
	status, header := e.StatusCode, http.Header(nil)
	if e.Response != nil {
		header = e.Response.Header
	}
	if status < 400 {
		status = statusOf(string(e.Type()))
	}
	var body struct {
		Error struct{ Message string }
	}
	_ = json.Unmarshal([]byte(e.RawJSON()), &body) // what cannot be read stays empty
	return answerError(a.provider, status, header, a.endpoint.mask(body.Error.Message))
}

// statusOf gives an error type the status that the API sends it with.
func statusOf(errorType string) int {
	switch errorType {
	case "invalid_request_error":
		return http.StatusBadRequest
	case "authentication_error", "permission_error":
		return http.StatusForbidden
	case "not_found_error":
		return http.StatusNotFound
	case "request_too_large":
		return http.StatusRequestEntityTooLarge
	case "rate_limit_error":
		return http.StatusTooManyRequests
	case "timeout_error":
		return http.StatusRequestTimeout
	default:
		return 529 // overloaded, or an error of the API itself
	}
}
