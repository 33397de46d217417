package llm_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
)

// What compatible servers send otherwise than the vendor does, word for word.
func TestHabitsOfCompatibleServers(t *testing.T) {
	for _, c := range []struct {
		name   string
		stream string
		check  func(llm.Response) bool
	}{
		{"every call has index 0, the turn ends with stop",
			`data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1,"model":"qwen3","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_a","index":0,"type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1,"model":"qwen3","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_b","index":0,"type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Rome\"}"}}]},"finish_reason":null}]}

data: {"id":"chatcmpl-9","object":"chat.completion.chunk","created":1,"model":"qwen3","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}

data: [DONE]

`, func(r llm.Response) bool {
				return len(r.ToolCalls) == 2 && r.StopReason == llm.StopToolCalls && string(r.ToolCalls[1].Arguments) == `{"city":"Rome"}`
			}},
		{"two calls are opened before their arguments, which take turns",
			`data: {"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_a","index":0,"type":"function","function":{"name":"get_weather","arguments":"{"}}]}}]}

data: {"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_b","index":1,"type":"function","function":{"name":"get_time","arguments":"{\"zone\":"}}]}}]}

data: {"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"city\":\"Oslo\"}"}}]}}]}

data: {"id":"1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"\"CET\"}"}}]}}]}

data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: [DONE]

`, func(r llm.Response) bool {
				return len(r.ToolCalls) == 2 && r.StopReason == llm.StopToolCalls && r.ToolCalls[0].Name == "get_weather" &&
					string(r.ToolCalls[0].Arguments) == `{"city":"Oslo"}` && r.ToolCalls[1].ID == "call_b" && string(r.ToolCalls[1].Arguments) == `{"zone":"CET"}`
			}},
		{"comments, carriage returns, no usage and no end mark",
			": loading model\r\n\r\n" +
				"data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\r\n\r\n" +
				"data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo.\"},\"finish_reason\":\"stop\"}]}\r\n\r\n",
			func(r llm.Response) bool {
				return r.Text == "Hello." && r.StopReason == llm.StopEnd && r.Usage == llm.Usage{}
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, c.stream)
			}))
			t.Cleanup(server.Close)
			got, err := llm.Open(llm.Config{OpenAI: llm.Endpoint{Key: "ollama", BaseURL: server.URL + "/v1"}}).Complete(t.Context(),
				llm.Request{Model: "gpt-6-luna", Messages: []llm.Message{{Role: llm.RoleUser, Text: "Go."}}})
			if err != nil || !c.check(got) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
