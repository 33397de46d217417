package llmtest

import (
	"encoding/base64"
	"net/http"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
)

// OpenAI starts a fake of the Chat Completions and images endpoints. With its
// own URL configured it plays a compatible server, through Vendor the vendor.
func OpenAI(t testing.TB, steps ...Step) *Server {
	return start(t, openAI{}, "/v1", steps)
}

// OpenAIConfig is a Config under which the GPT models and images are asked from
// the fake as from the vendor, without pauses between tries.
func (s *Server) OpenAIConfig() llm.Config {
	return llm.Config{OpenAI: llm.Endpoint{Key: OpenAIKey}, HTTP: s.Vendor(), Wait: NoWait}
}

type openAI struct{}

func (openAI) check(r *http.Request, body map[string]any) (int, string) {
	if r.Header.Get("Authorization") != "Bearer "+OpenAIKey {
		return http.StatusUnauthorized, "Incorrect API key provided: " + r.Header.Get("Authorization")
	}
	switch r.URL.Path {
	case "/v1/images/generations":
		if body["prompt"] == nil || body["model"] == nil {
			return http.StatusBadRequest, "prompt and model are required"
		}
		return 0, ""
	case "/v1/chat/completions":
		return checkChat(body)
	default:
		return http.StatusNotFound, "unknown path " + r.URL.Path
	}
}

// checkChat refuses what the vendor refuses of a request that should stream.
func checkChat(body map[string]any) (int, string) {
	messages := list(body["messages"])
	switch {
	case body["stream"] != true:
		return http.StatusBadRequest, "this fake only streams"
	case len(messages) == 0:
		return http.StatusBadRequest, "messages must not be empty"
	case body["temperature"] != nil:
		return http.StatusBadRequest, "temperature is not supported with this model"
	case body["tools"] != nil && body["max_completion_tokens"] != nil && body["reasoning_effort"] != "none":
		return http.StatusBadRequest, "function tools need reasoning_effort none in /v1/chat/completions"
	}
	open := map[any]bool{}
	for _, m := range messages {
		for _, call := range list(m["tool_calls"]) {
			open[call["id"]] = true
		}
		if m["role"] == "tool" {
			if !open[m["tool_call_id"]] {
				return http.StatusBadRequest, "a tool message must answer a preceding tool call"
			}
			delete(open, m["tool_call_id"])
		}
	}
	if len(open) > 0 {
		return http.StatusBadRequest, "a tool call has no tool message"
	}
	return 0, ""
}

func (openAI) fail(w http.ResponseWriter, s Step) {
	for name, values := range s.header {
		w.Header()[name] = values
	}
	writeJSON(w, s.status, map[string]any{"error": map[string]any{
		"message": s.message, "type": "api_error", "param": nil, "code": s.code,
	}})
}

func (openAI) stream(e *events, s Step, body map[string]any) {
	chunk := func(delta map[string]any, finish any) {
		e.send("", map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"], "usage": nil,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}})
	}
	field := "content"
	if s.stop == llm.StopRefusal {
		field = "refusal"
	}
	chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	for i, d := range s.deltas {
		chunk(map[string]any{field: d}, nil)
		e.gate(i)
	}
	for i, call := range s.tools {
		function := map[string]any{"name": call.Name, "arguments": ""}
		chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": call.ID, "type": "function", "function": function}}}, nil)
		for _, half := range halves(call.Arguments) {
			chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": half}}}}, nil)
		}
	}
	e.accident()
	if s.midway {
		e.send("", map[string]any{"error": map[string]any{"message": s.message, "type": "server_error", "code": nil}})
		return
	}
	chunk(map[string]any{}, openAIFinish(s.stop))
	if options, _ := body["stream_options"].(map[string]any); options["include_usage"] == true {
		e.send("", map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"], "choices": []any{},
			"usage": map[string]any{"prompt_tokens": InputTokens, "completion_tokens": OutputTokens, "total_tokens": InputTokens + OutputTokens}})
	}
	e.raw("", "[DONE]")
}

func openAIFinish(stop llm.StopReason) string {
	switch stop {
	case llm.StopMaxTokens:
		return "length"
	case llm.StopToolCalls:
		return "tool_calls"
	default:
		return "stop"
	}
}

func writeImage(w http.ResponseWriter, raw []byte) {
	data := []any{map[string]any{"b64_json": base64.StdEncoding.EncodeToString(raw)}}
	writeJSON(w, http.StatusOK, map[string]any{"created": 1, "data": data})
}
