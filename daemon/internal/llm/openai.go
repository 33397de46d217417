package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"
)

// openAI speaks Chat Completions, the protocol that compatible servers share,
// and the images endpoint. It always streams: an answer that is not streamed
// sends its first byte when it is complete, which the first-byte limit would
// take for a dead connection.
type openAI struct {
	provider string
	endpoint Endpoint
	lane     *lane
	server   *server
	chat     sdk.ChatCompletionService
	images   sdk.ImageService
}

// newOpenAI builds the two services alone: the SDK's whole client would read
// the environment, and link every other API of the vendor.
func newOpenAI(e Endpoint, base *http.Client, l Limits) *openAI {
	address, provider := cmp.Or(e.BaseURL, openAIBaseURL), e.provider(ProviderOpenAI, openAIBaseURL)
	opts := []option.RequestOption{option.WithBaseURL(address), option.WithMaxRetries(0)}
	header := http.Header{}
	if e.Key != "" {
		opts = append(opts, option.WithAPIKey(e.Key))
		header.Set("Authorization", "Bearer "+e.Key)
	}
	return &openAI{
		provider: provider,
		endpoint: e,
		lane:     newLane(l.AtOnce),
		server:   newServer(provider, address, "/models", header, base),
		chat:     sdk.NewChatCompletionService(append(opts, option.WithHTTPClient(guarded(base, l.Silence)))...),
		images:   sdk.NewImageService(append(opts, option.WithHTTPClient(guarded(base, 0)))...),
	}
}

func (o *openAI) label() string { return o.provider }
func (o *openAI) way() *lane    { return o.lane }

func (o *openAI) complete(ctx context.Context, c call) (Response, error) {
	stream := o.chat.NewStreaming(ctx, o.params(c))
	defer stream.Close()
	var (
		text   strings.Builder
		calls  []*openAICall
		out    Response
		finish string
	)
	for stream.Next() {
		chunk := stream.Current()
		if chunk.Usage.TotalTokens > 0 {
			out.Usage = Usage{InputTokens: chunk.Usage.PromptTokens, OutputTokens: chunk.Usage.CompletionTokens}
		}
		for _, choice := range chunk.Choices {
			finish = cmp.Or(choice.FinishReason, finish)
			piece := choice.Delta.Content + choice.Delta.Refusal
			if choice.Delta.Refusal != "" {
				out.StopReason = StopRefusal
			}
			text.WriteString(piece)
			if piece != "" && c.OnDelta != nil {
				c.OnDelta(piece)
			}
			for _, d := range choice.Delta.ToolCalls {
				calls = addToolDelta(calls, d)
			}
		}
	}
	if err := stream.Err(); err != nil {
		return Response{}, o.failure(err)
	}
	if finish == "" {
		return Response{}, brokenAnswer(o.provider, "the stream broke off before the answer was complete")
	}
	out.Text = text.String()
	out.StopReason = cmp.Or(out.StopReason, openAIStop(finish))
	for _, c := range calls {
		out.ToolCalls = append(out.ToolCalls, toolCall(c.id, c.name, c.args.String()))
	}
	// Compatible servers end a turn with calls as "stop".
	if len(calls) > 0 && out.StopReason == StopEnd {
		out.StopReason = StopToolCalls
	}
	return out, nil
}

// openAICall collects one tool call, whose arguments come in pieces. A
// strings.Builder that was written to must not be copied, and a list of calls
// that grows copies its elements: hold pointers.
type openAICall struct {
	index    int64
	id, name string
	args     strings.Builder
}

// addToolDelta joins a piece to its call. Calls are told apart by index, except
// that some compatible servers send every call with index 0 and a new id.
func addToolDelta(calls []*openAICall, d sdk.ChatCompletionChunkChoiceDeltaToolCall) []*openAICall {
	i := len(calls) - 1
	for ; i >= 0; i-- {
		if calls[i].index == d.Index && (d.ID == "" || calls[i].id == d.ID) {
			break
		}
	}
	if i < 0 {
		calls = append(calls, &openAICall{index: d.Index, id: d.ID})
		i = len(calls) - 1
	}
	calls[i].name = cmp.Or(calls[i].name, d.Function.Name)
	calls[i].args.WriteString(d.Function.Arguments)
	return calls
}

func openAIStop(finish string) StopReason {
	switch finish {
	case "length":
		return StopMaxTokens
	case "tool_calls":
		return StopToolCalls
	case "content_filter":
		return StopRefusal
	default:
		return StopEnd
	}
}

func (o *openAI) params(c call) sdk.ChatCompletionNewParams {
	p := sdk.ChatCompletionNewParams{
		Model:         c.name,
		Messages:      openAIMessages(c.Request),
		StreamOptions: sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
	}
	if o.provider == ProviderOpenAI {
		p.MaxCompletionTokens = sdk.Int(int64(c.maxTokens))
		p.ReasoningEffort = shared.ReasoningEffort(c.model.quiet)
	} else {
		p.MaxTokens = sdk.Int(int64(c.maxTokens))
	}
	for _, t := range c.Tools {
		p.Tools = append(p.Tools, sdk.ChatCompletionFunctionTool(param.Override[shared.FunctionDefinitionParam](map[string]any{
			"name": t.Name, "description": t.Description, "parameters": t.Schema,
		})))
	}
	return p
}

func openAIMessages(req Request) []sdk.ChatCompletionMessageParamUnion {
	var out []sdk.ChatCompletionMessageParamUnion
	if req.System != "" {
		out = append(out, sdk.SystemMessage(req.System))
	}
	for _, m := range req.Messages {
		switch m.Role {
		case RoleTool:
			out = append(out, openAIToolResult(m))
		case RoleAssistant:
			out = append(out, openAIAssistant(m))
		default:
			out = append(out, sdk.UserMessage(m.Text))
		}
	}
	return out
}

// openAIToolResult says a failure in words: the protocol has no field for it.
func openAIToolResult(m Message) sdk.ChatCompletionMessageParamUnion {
	text := m.Text
	if m.ToolError {
		text = "Error: " + text
	}
	return sdk.ToolMessage(text, m.ToolCallID)
}

func openAIAssistant(m Message) sdk.ChatCompletionMessageParamUnion {
	a := sdk.ChatCompletionAssistantMessageParam{}
	if m.Text != "" || len(m.ToolCalls) == 0 {
		a.Content.OfString = sdk.String(m.Text)
	}
	for _, tc := range m.ToolCalls {
		a.ToolCalls = append(a.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID:       tc.ID,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: tc.Name, Arguments: string(tc.Arguments)},
			},
		})
	}
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: &a}
}

// failure sorts what the SDK reports; what it does not know is left to sorted.
func (o *openAI) failure(err error) error {
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		var header http.Header
		if e.Response != nil {
			header = e.Response.Header
		}
		return o.sorted(e.StatusCode, header, e.Code, e.Message)
	}
	if e, ok := errors.AsType[*ssestream.StreamError](err); ok {
		var body struct {
			Error struct {
				Code, Type, Message string
			}
		}
		_ = json.Unmarshal(e.Event.Data, &body) // what cannot be read stays empty
		status := http.StatusBadGateway
		if body.Error.Code == "rate_limit_exceeded" || body.Error.Type == "rate_limit_error" {
			status = http.StatusTooManyRequests
		}
		return o.sorted(status, nil, body.Error.Code, "in the stream: "+body.Error.Message)
	}
	return err
}

func (o *openAI) sorted(status int, header http.Header, code, message string) *Error {
	e := answerError(o.provider, status, header, o.endpoint.mask(message))
	if code == "insufficient_quota" {
		e.Retryable = false // the account is empty; waiting fills nothing
	}
	return e
}
