package llmtest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
)

// Anthropic starts a fake of the Messages endpoint.
func Anthropic(t testing.TB, steps ...Step) *Server {
	return start(t, anthropic{}, "", steps)
}

// AnthropicConfig is a Config under which the Claude models are asked from the
// fake as from the vendor, without pauses between tries.
func (s *Server) AnthropicConfig() llm.Config {
	return llm.Config{Anthropic: llm.Endpoint{Key: AnthropicKey}, HTTP: s.Vendor(), Wait: NoWait}
}

type anthropic struct{}

const signature = "c2lnbmVk"

func (anthropic) check(r *http.Request, body map[string]any) (int, string) {
	thinking, _ := body["thinking"].(map[string]any)
	limit, _ := body["max_tokens"].(float64)
	switch {
	case r.URL.Path != "/v1/messages":
		return http.StatusNotFound, "unknown path " + r.URL.Path
	case r.Header.Get("X-Api-Key") != AnthropicKey:
		return http.StatusUnauthorized, "invalid x-api-key " + r.Header.Get("X-Api-Key")
	case r.Header.Get("Anthropic-Version") == "":
		return http.StatusBadRequest, "anthropic-version: header is required"
	case body["stream"] != true:
		return http.StatusBadRequest, "this fake only streams"
	case limit < 1:
		return http.StatusBadRequest, "max_tokens: field required"
	case body["temperature"] != nil:
		return http.StatusBadRequest, "temperature is not supported for this model"
	case body["model"] == "claude-sonnet-5-5" && thinking["type"] == "disabled":
		return http.StatusBadRequest, `"thinking.type.disabled" is not supported for this model`
	case strings.Count(fmt.Sprint(body), "cache_control") > 4:
		return http.StatusBadRequest, "A maximum of 4 blocks with cache_control may be provided."
	}
	return checkMessages(list(body["messages"]))
}

// checkMessages refuses what the vendor refuses: empty text, and calls whose
// results are not all in the very next message.
func checkMessages(messages []map[string]any) (int, string) {
	if len(messages) == 0 || messages[0]["role"] != "user" || messages[len(messages)-1]["role"] != "user" {
		return http.StatusBadRequest, "messages must begin and end with a user turn"
	}
	var open map[any]bool
	for i, m := range messages {
		calls := map[any]bool{}
		for _, block := range list(m["content"]) {
			switch block["type"] {
			case "text":
				if block["text"] == "" {
					return http.StatusBadRequest, "text content blocks must be non-empty"
				}
			case "thinking":
				if block["signature"] != signature {
					return http.StatusBadRequest, "thinking blocks must be sent back unchanged"
				}
			case "tool_use":
				calls[block["id"]] = true
			case "tool_result":
				if !open[block["tool_use_id"]] {
					return http.StatusBadRequest, "tool_result without a tool_use in the message before"
				}
				delete(open, block["tool_use_id"])
			}
		}
		if len(open) > 0 {
			return http.StatusBadRequest, fmt.Sprintf("messages.%d: tool_use ids were found without tool_result blocks", i)
		}
		open = calls
	}
	return 0, ""
}

func (anthropic) fail(w http.ResponseWriter, s Step) {
	for name, values := range s.header {
		w.Header()[name] = values
	}
	writeJSON(w, s.status, anthropicError(errorType(s.status), s.message))
}

func errorType(status int) string {
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case http.StatusInternalServerError:
		return "api_error"
	case 529:
		return "overloaded_error"
	default:
		return "invalid_request_error"
	}
}

func anthropicError(kind, message string) map[string]any {
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}}
}

func (anthropic) stream(e *events, s Step, body map[string]any) {
	e.send("message_start", map[string]any{"type": "message_start", "message": map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": map[string]any{"input_tokens": InputTokens, "output_tokens": 1}}})
	e.send("ping", map[string]any{"type": "ping"})
	index := 0
	block := func(start map[string]any, deltas func(send func(delta map[string]any))) {
		e.send("content_block_start", map[string]any{"type": "content_block_start", "index": index, "content_block": start})
		deltas(func(delta map[string]any) {
			e.send("content_block_delta", map[string]any{"type": "content_block_delta", "index": index, "delta": delta})
		})
		e.send("content_block_stop", map[string]any{"type": "content_block_stop", "index": index})
		index++
	}
	if s.thought != "" {
		block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, func(send func(map[string]any)) {
			send(map[string]any{"type": "thinking_delta", "thinking": s.thought})
			send(map[string]any{"type": "signature_delta", "signature": signature})
		})
	}
	if len(s.deltas) > 0 {
		block(map[string]any{"type": "text", "text": ""}, func(send func(map[string]any)) {
			for i, d := range s.deltas {
				send(map[string]any{"type": "text_delta", "text": d})
				e.gate(i)
			}
			e.accident()
		})
	}
	e.accident()
	if s.midway {
		e.send("error", anthropicError("overloaded_error", s.message))
		return
	}
	for _, call := range s.tools {
		block(map[string]any{"type": "tool_use", "id": call.ID, "name": call.Name, "input": map[string]any{}}, func(send func(map[string]any)) {
			for _, half := range halves(call.Arguments) {
				send(map[string]any{"type": "input_json_delta", "partial_json": half})
			}
		})
	}
	e.send("message_delta", map[string]any{"type": "message_delta",
		"delta": map[string]any{"stop_reason": anthropicStop(s.stop), "stop_sequence": nil}, "usage": map[string]any{"output_tokens": OutputTokens}})
	e.send("message_stop", map[string]any{"type": "message_stop"})
}

func anthropicStop(stop llm.StopReason) string {
	switch stop {
	case llm.StopMaxTokens:
		return "max_tokens"
	case llm.StopToolCalls:
		return "tool_use"
	case llm.StopRefusal:
		return "refusal"
	default:
		return "end_turn"
	}
}
