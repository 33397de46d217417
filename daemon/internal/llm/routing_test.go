package llm_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
)

func TestRedirectIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the key went to another host: %v", r.Header)
	}))
	t.Cleanup(elsewhere.Close)
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	t.Cleanup(server.Close)
	for _, model := range []string{"gpt-6-luna", "claude-haiku-5-5"} {
		_, err := llm.Open(llm.Config{
			OpenAI:    llm.Endpoint{Key: llmtest.OpenAIKey, BaseURL: server.URL},
			Anthropic: llm.Endpoint{Key: llmtest.AnthropicKey, BaseURL: server.URL},
			Wait:      llmtest.NoWait,
		}).Complete(t.Context(), llm.Request{Model: model, Messages: []llm.Message{{Role: llm.RoleUser, Text: "Go."}}})
		if e := kindOf(t, err); e.Kind != llm.KindProvider {
			t.Errorf("error = %+v", e)
		}
	}
}

func TestAccountWithoutMoneyIsNotAskedAgain(t *testing.T) {
	server := llmtest.OpenAI(t, llmtest.Quota())
	_, err := llm.Open(server.OpenAIConfig()).Complete(t.Context(), llm.Request{Model: "gpt-6-luna", Messages: []llm.Message{{Role: llm.RoleUser, Text: "Go."}}})
	if e := kindOf(t, err); e.Kind != llm.KindRateLimited || e.Retryable {
		t.Errorf("error = %+v", e)
	}
}

// A thought goes back with a call whose arguments were not JSON.
func TestSignedThoughtBesideMalformedArguments(t *testing.T) {
	server := llmtest.Anthropic(t, llmtest.Thinking("Rain?", llmtest.Call("call_1", "get_weather", `{"city":`)), llmtest.Text("Rain."))
	client := llm.Open(server.AnthropicConfig())
	req := llm.Request{Model: "claude-sonnet-5-5", Tools: []llm.Tool{weather()}, Messages: []llm.Message{{Role: llm.RoleUser, Text: "Weather?"}}}
	first, err := client.Complete(t.Context(), req)
	if err != nil || len(first.ToolCalls) != 1 || first.ToolCalls[0].Malformed == "" {
		t.Fatalf("got %+v, %v", first, err)
	}
	req.Messages = append(req.Messages, first.Message(), llm.Message{Role: llm.RoleTool, ToolCallID: "call_1", Text: "no JSON", ToolError: true})
	if got, err := client.Complete(t.Context(), req); err != nil || got.Text != "Rain." || !strings.Contains(asJSON(server.Requests()[1].Body), `"input":{}`) {
		t.Errorf("got %+v, %v: %s", got, err, asJSON(server.Requests()[1].Body))
	}
}

func TestSignedThoughtsGoBackToTheirModelOnly(t *testing.T) {
	server := llmtest.Anthropic(t, llmtest.Thinking("The user wants rain.", llmtest.Call("call_1", "get_weather", `{"city":"Oslo"}`)),
		llmtest.Text("Rain."), llmtest.Text("Rain."))
	client := llm.Open(server.AnthropicConfig())
	req := llm.Request{Model: "claude-sonnet-5-5", Tools: []llm.Tool{weather()}, Messages: []llm.Message{{Role: llm.RoleUser, Text: "Weather?"}}}
	first, err := client.Complete(t.Context(), req)
	if err != nil || first.Text != "" {
		t.Fatalf("got %+v, %v", first, err)
	}
	req.Messages = append(req.Messages, first.Message(), llm.Message{Role: llm.RoleTool, ToolCallID: "call_1", Text: "rain"})
	for _, model := range []string{"claude-sonnet-5-5", "claude-haiku-5-5"} {
		req.Model = model
		if _, err := client.Complete(t.Context(), req); err != nil {
			t.Fatalf("%s: %v", model, err)
		}
	}
	requests := server.Requests()
	if body := asJSON(requests[1].Body); !strings.Contains(body, "The user wants rain.") {
		t.Errorf("the thought did not go back: %s", body)
	}
	if body := asJSON(requests[2].Body); strings.Contains(body, "The user wants rain.") {
		t.Errorf("the thought went to another model: %s", body)
	}
}

func TestWhatGoesToWhichServer(t *testing.T) {
	for _, c := range []struct {
		subject string
		want    map[string]any
		absent  []string
	}{
		{"openai", map[string]any{"model": "gpt-6.1-terra", "reasoning_effort": "none", "max_completion_tokens": 500.0}, []string{"max_tokens"}},
		{"anthropic", map[string]any{"model": "claude-sonnet-5-5", "max_tokens": 500.0}, []string{"reasoning_effort"}},
		{"compatible openai", map[string]any{"model": "llama3.3:70b", "max_tokens": 500.0}, []string{"max_completion_tokens", "reasoning_effort"}},
		{"compatible anthropic", map[string]any{"model": "claude-haiku-5-5", "max_tokens": 500.0}, []string{"thinking"}},
	} {
		t.Run(c.subject, func(t *testing.T) {
			all := vendors()
			s := all[slices.IndexFunc(all, func(s subject) bool { return s.name == c.subject })]
			server, config := s.start(t, llmtest.Text("Done."))
			req := ask(s, "Go.")
			req.MaxTokens = 500
			if _, err := llm.Open(config).Complete(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			body := server.Requests()[0].Body
			for name, want := range c.want {
				if body[name] != want {
					t.Errorf("%s = %v, want %v", name, body[name], want)
				}
			}
			for _, name := range c.absent {
				if _, there := body[name]; there {
					t.Errorf("%s was sent", name)
				}
			}
		})
	}
}

// A gateway in front of the vendor is spoken to as the vendor, and a compatible
// server at the vendor's address as one.
func TestDialectGoesBeforeTheAddress(t *testing.T) {
	for _, c := range []struct {
		subject  string
		dialect  llm.Dialect
		provider string
		want     map[string]any
		absent   []string
	}{
		{"compatible openai", llm.DialectVendor, "openai", map[string]any{"reasoning_effort": "none", "max_completion_tokens": 500.0}, []string{"max_tokens"}},
		{"compatible anthropic", llm.DialectVendor, "anthropic", map[string]any{"max_tokens": 500.0, "thinking": map[string]any{"type": "disabled"}}, nil},
		{"openai", llm.DialectCompatible, "compatible", map[string]any{"max_tokens": 500.0}, []string{"max_completion_tokens", "reasoning_effort"}},
		{"anthropic", llm.DialectCompatible, "compatible", map[string]any{"max_tokens": 500.0}, []string{"thinking"}},
	} {
		all := vendors()
		s := all[slices.IndexFunc(all, func(s subject) bool { return s.name == c.subject })]
		server, config := s.start(t, llmtest.Text("Done."))
		config.OpenAI.Dialect, config.Anthropic.Dialect = c.dialect, c.dialect
		req := ask(s, "Go.")
		req.MaxTokens = 500
		got, err := llm.Open(config).Complete(t.Context(), req)
		if err != nil || got.Provider != c.provider {
			t.Fatalf("%s: %+v, %v", c.subject, got, err)
		}
		body := server.Requests()[0].Body
		for name, want := range c.want {
			if asJSON(body[name]) != asJSON(want) {
				t.Errorf("%s: %s = %v, want %v", c.subject, name, body[name], want)
			}
		}
		for _, name := range c.absent {
			if _, there := body[name]; there {
				t.Errorf("%s: %s was sent", c.subject, name)
			}
		}
	}
}

// Ollama and its like want no key, and get none.
func TestCompatibleServerWithoutAKey(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "" {
			t.Errorf("sent %v", r.Header)
		}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"type":"invalid_request_error","message":"no such model"}}`)
	}))
	t.Cleanup(server.Close)
	for _, c := range []struct {
		model  string
		config llm.Config
	}{
		{"gpt-6-luna", llm.Config{OpenAI: llm.Endpoint{BaseURL: server.URL + "/v1"}}},
		{"claude-haiku-5-5", llm.Config{Anthropic: llm.Endpoint{BaseURL: server.URL}}},
	} {
		_, err := llm.Open(c.config).Complete(t.Context(), llm.Request{Model: c.model, Messages: []llm.Message{{Role: llm.RoleUser, Text: "Hi"}}})
		if e := kindOf(t, err); e.Provider != "compatible" || e.Message != "HTTP 400: no such model" || e.Status != http.StatusBadRequest {
			t.Errorf("%+v", e)
		}
	}
}

func TestMappedClaudeGoesToTheCompatibleServer(t *testing.T) {
	server := llmtest.OpenAI(t, llmtest.Text("Hello."))
	config := llm.Config{OpenAI: llm.Endpoint{Key: llmtest.OpenAIKey, BaseURL: server.URL}, ModelNames: map[string]string{"claude-sonnet-5-5": "qwen3"}}
	client := llm.Open(config)
	got, err := client.Complete(t.Context(), llm.Request{Model: "claude-sonnet-5-5", Messages: []llm.Message{{Role: llm.RoleUser, Text: "Hi"}}})
	if err != nil || got.Provider != "compatible" || got.Model != "claude-sonnet-5-5" || server.Requests()[0].Body["model"] != "qwen3" {
		t.Errorf("got %+v, %v", got, err)
	}
	if p := client.ProviderOf("claude-haiku-5-5"); p != "offline" {
		t.Errorf("the model that is not mapped goes to %q", p)
	}
}

func TestEnvironmentIsNotRead(t *testing.T) {
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("OPENAI_API_KEY", "sk-from-environment")
	t.Setenv("ANTHROPIC_API_KEY", "sk-from-environment")
	offline := llm.Open(llm.Config{HTTP: noNetwork(t)})
	for _, m := range llm.Models() {
		if p := offline.ProviderOf(m.ID); p != "offline" {
			t.Errorf("%s is answered by %q", m.ID, p)
		}
	}
	for _, s := range vendors()[:2] {
		_, config := s.start(t, llmtest.Text("Done."))
		if _, err := llm.Open(config).Complete(t.Context(), ask(s, "Go.")); err != nil {
			t.Errorf("%s: %v", s.name, err)
		}
	}
}
