package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
)

// subject is one way in which a model can be reached. All of them run the same
// cases.
type subject struct {
	name     string
	provider string
	model    string
	start    func(t *testing.T, steps ...llmtest.Step) (*llmtest.Server, llm.Config)
}

func vendors() []subject {
	return []subject{
		{"openai", "openai", "gpt-6.1-terra", func(t *testing.T, steps ...llmtest.Step) (*llmtest.Server, llm.Config) {
			s := llmtest.OpenAI(t, steps...)
			return s, s.OpenAIConfig()
		}},
		{"anthropic", "anthropic", "claude-sonnet-5-5", func(t *testing.T, steps ...llmtest.Step) (*llmtest.Server, llm.Config) {
			s := llmtest.Anthropic(t, steps...)
			return s, s.AnthropicConfig()
		}},
		{"compatible openai", "compatible", "gpt-6-luna", func(t *testing.T, steps ...llmtest.Step) (*llmtest.Server, llm.Config) {
			s := llmtest.OpenAI(t, steps...)
			c := s.OpenAIConfig()
			c.HTTP, c.OpenAI.BaseURL = nil, s.URL
			c.ModelNames = map[string]string{"gpt-6-luna": "llama3.3:70b"}
			return s, c
		}},
		{"compatible anthropic", "compatible", "claude-haiku-5-5", func(t *testing.T, steps ...llmtest.Step) (*llmtest.Server, llm.Config) {
			s := llmtest.Anthropic(t, steps...)
			c := s.AnthropicConfig()
			c.HTTP, c.Anthropic.BaseURL = nil, s.URL
			return s, c
		}},
	}
}

// everyone is the vendors and the offline client, for which a script of texts
// has no meaning: it computes its own.
func everyone() []subject {
	return append(vendors(), subject{"offline", "offline", "claude-haiku-5-5",
		func(t *testing.T, _ ...llmtest.Step) (*llmtest.Server, llm.Config) {
			return nil, llm.Config{HTTP: noNetwork(t)}
		}})
}

func forEach(t *testing.T, subjects []subject, run func(t *testing.T, s subject)) {
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			run(t, s)
		})
	}
}

// noNetwork is a client that fails the test when it is used.
func noNetwork(t *testing.T) *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		t.Errorf("a request to %s left the process", r.URL)
		return nil, errors.New("no network")
	})}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func ask(s subject, text string) llm.Request {
	return llm.Request{Model: s.model, System: "You write posts.", Messages: []llm.Message{{Role: llm.RoleUser, Text: text}}}
}

func weather() llm.Tool {
	return llm.Tool{Name: "get_weather", Description: "Weather of a city.",
		Schema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)}
}

func kindOf(t *testing.T, err error) *llm.Error {
	t.Helper()
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		t.Fatalf("error is %T (%v), want *llm.Error", err, err)
	}
	return e
}

func TestTextArrivesInOrderAndLabelled(t *testing.T) {
	forEach(t, everyone(), func(t *testing.T, s subject) {
		_, config := s.start(t, llmtest.Text("Deep ", "work — 深い", " needs ", "quiet."))
		req := ask(s, "Write about focus.")
		var deltas []string
		req.OnDelta = func(d string) { deltas = append(deltas, d) }
		got, err := llm.Open(config).Complete(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if len(deltas) < 4 || strings.Join(deltas, "") != got.Text {
			t.Errorf("deltas %q do not make up the text %q", deltas, got.Text)
		}
		if s.provider != "offline" && got.Text != "Deep work — 深い needs quiet." {
			t.Errorf("text = %q", got.Text)
		}
		if got.Provider != s.provider || got.Model != s.model || got.StopReason != llm.StopEnd {
			t.Errorf("labelled %s %s %s", got.Provider, got.Model, got.StopReason)
		}
		if by := llm.Open(config).ProviderOf(s.model); by != s.provider {
			t.Errorf("ProviderOf = %q before the call, %q after", by, s.provider)
		}
	})
}

func TestUsageIsCounted(t *testing.T) {
	forEach(t, vendors(), func(t *testing.T, s subject) {
		_, config := s.start(t, llmtest.Text("Done."))
		got, err := llm.Open(config).Complete(t.Context(), ask(s, "Go."))
		if err != nil {
			t.Fatal(err)
		}
		if want := (llm.Usage{InputTokens: llmtest.InputTokens, OutputTokens: llmtest.OutputTokens}); got.Usage != want {
			t.Errorf("usage = %+v, want %+v", got.Usage, want)
		}
	})
}

func TestToolCallAndItsResult(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		t.Run(fmt.Sprintf("streamed=%t", streamed), func(t *testing.T) {
			forEach(t, vendors(), func(t *testing.T, s subject) {
				server, config := s.start(t,
					llmtest.Tools("Looking it up.", llmtest.Call("call_1", "get_weather", `{"city":"Kyōto"}`), llmtest.Call("call_2", "get_weather", `{"city":"Oslo"}`)),
					llmtest.Text("Rain in both."))
				client := llm.Open(config)
				req := ask(s, "Weather?")
				req.Tools = []llm.Tool{weather()}
				if streamed {
					req.OnDelta = func(string) {}
				}
				first, err := client.Complete(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if first.StopReason != llm.StopToolCalls || first.Text != "Looking it up." || len(first.ToolCalls) != 2 {
					t.Fatalf("first turn = %+v", first)
				}
				if c := first.ToolCalls[1]; c.ID != "call_2" || c.Name != "get_weather" || string(c.Arguments) != `{"city":"Oslo"}` {
					t.Errorf("second call = %+v", c)
				}
				req.Messages = append(req.Messages, first.Message(),
					llm.Message{Role: llm.RoleTool, ToolCallID: "call_1", Text: "rain"},
					llm.Message{Role: llm.RoleTool, ToolCallID: "call_2", Text: "unreachable", ToolError: true})
				second, err := client.Complete(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if second.Text != "Rain in both." || second.StopReason != llm.StopEnd {
					t.Errorf("second turn = %+v", second)
				}
				body := asJSON(server.Requests()[1].Body)
				if !strings.Contains(body, "rain") || !strings.Contains(body, "Kyōto") {
					t.Errorf("the history lacks the call or its result: %s", body)
				}
				if !strings.Contains(body, `"is_error":true`) && !strings.Contains(body, "Error: unreachable") {
					t.Errorf("the history does not say that the second tool failed: %s", body)
				}
			})
		})
	}
}

func asJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return b.String()
}

// Arguments that are not a JSON object are not generated again without a word:
// the model is told, in a turn that the vendors accept.
func TestMalformedToolArgumentsGoBackToTheModel(t *testing.T) {
	for _, raw := range []string{`{"city":`, `"Oslo"`, `{"city":"Oslo"}}`, "\x00"} {
		forEach(t, vendors(), func(t *testing.T, s subject) {
			server, config := s.start(t, llmtest.Tools("", llmtest.Call("call_1", "get_weather", raw)), llmtest.Text("Rain."))
			client, req := llm.Open(config), ask(s, "Weather?")
			req.Tools = []llm.Tool{weather()}
			first, err := client.Complete(t.Context(), req)
			if err != nil || len(first.ToolCalls) != 1 || first.ToolCalls[0].Malformed != raw || string(first.ToolCalls[0].Arguments) != "{}" {
				t.Fatalf("arguments %q: %+v, %v", raw, first, err)
			}
			req.Messages = append(req.Messages, first.Message(), llm.Message{Role: llm.RoleTool, ToolCallID: "call_1", Text: "no JSON", ToolError: true})
			second, err := client.Complete(t.Context(), req)
			if err != nil || second.Text != "Rain." || len(server.Requests()) != 2 {
				t.Errorf("arguments %q: %+v, %v", raw, second, err)
			}
		})
	}
}

func TestNoArgumentsAreAnEmptyObject(t *testing.T) {
	forEach(t, vendors(), func(t *testing.T, s subject) {
		_, config := s.start(t, llmtest.Tools("", llmtest.Call("call_1", "get_weather", "")))
		req := ask(s, "Weather?")
		req.Tools = []llm.Tool{weather()}
		got, err := llm.Open(config).Complete(t.Context(), req)
		if err != nil || len(got.ToolCalls) != 1 || string(got.ToolCalls[0].Arguments) != "{}" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestCroppedAndRefusedAnswersSaySo(t *testing.T) {
	forEach(t, vendors(), func(t *testing.T, s subject) {
		_, config := s.start(t, llmtest.Cropped("And then"), llmtest.Refusal("I can't."))
		client := llm.Open(config)
		for _, want := range []llm.StopReason{llm.StopMaxTokens, llm.StopRefusal} {
			got, err := client.Complete(t.Context(), ask(s, "Go."))
			if err != nil || got.StopReason != want || got.Text == "" {
				t.Errorf("got %q %q, %v; want %q", got.StopReason, got.Text, err, want)
			}
		}
	})
}

func TestRateLimitThenSuccess(t *testing.T) {
	forEach(t, vendors(), func(t *testing.T, s subject) {
		_, config := s.start(t, llmtest.RateLimit("7"), llmtest.Fail(500, "oops"), llmtest.Text("Done."))
		var waits []time.Duration
		config.Wait = func(_ context.Context, d time.Duration) error {
			waits = append(waits, d)
			return nil
		}
		got, err := llm.Open(config).Complete(t.Context(), ask(s, "Go."))
		if err != nil || got.Text != "Done." {
			t.Fatalf("got %q, %v", got.Text, err)
		}
		if len(waits) != 2 || waits[0] != 7*time.Second {
			t.Errorf("waited %v, want the 7 s that the vendor asked for first", waits)
		}
		if waits[1] < 750*time.Millisecond || waits[1] > 1250*time.Millisecond {
			t.Errorf("second pause %v, want one second, give or take a quarter", waits[1])
		}
	})
}

func TestThreeTriesAtMost(t *testing.T) {
	forEach(t, vendors(), func(t *testing.T, s subject) {
		server, config := s.start(t, llmtest.RateLimit(""), llmtest.Fail(529, "busy"), llmtest.RateLimit("3"))
		_, err := llm.Open(config).Complete(t.Context(), ask(s, "Go."))
		e := kindOf(t, err)
		if e.Kind != llm.KindRateLimited || !e.Retryable || e.RetryAfter != 3*time.Second || e.Provider != s.provider {
			t.Errorf("error = %+v", e)
		}
		if n := len(server.Requests()); n != 3 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestRetryAfterBeyondTheTotalIsNotWaitedFor(t *testing.T) {
	forEach(t, vendors(), func(t *testing.T, s subject) {
		_, config := s.start(t, llmtest.RateLimit("3600"))
		config.Wait = func(context.Context, time.Duration) error {
			t.Error("waited")
			return nil
		}
		_, err := llm.Open(config).Complete(t.Context(), ask(s, "Go."))
		if e := kindOf(t, err); e.Kind != llm.KindRateLimited || e.RetryAfter != time.Hour {
			t.Errorf("error = %+v", e)
		}
	})
}

func TestFailuresThatTryingAgainDoesNotCure(t *testing.T) {
	for _, c := range []struct {
		step llmtest.Step
		kind llm.Kind
		says string
	}{
		{llmtest.Fail(401, "bad key "+llmtest.OpenAIKey+llmtest.AnthropicKey), llm.KindAuth, "check the configured key"},
		{llmtest.Fail(403, "not allowed"), llm.KindAuth, "403"},
		{llmtest.Fail(400, "prompt is too long: your key "+llmtest.OpenAIKey+" "+llmtest.AnthropicKey), llm.KindInvalidRequest, "prompt is too long"},
		{llmtest.Fail(404, "model not found"), llm.KindInvalidRequest, "model not found"},
	} {
		forEach(t, vendors(), func(t *testing.T, s subject) {
			_, config := s.start(t, c.step)
			_, err := llm.Open(config).Complete(t.Context(), ask(s, "Go."))
			e := kindOf(t, err)
			if e.Kind != c.kind || e.Retryable || !strings.Contains(e.Error(), c.says) {
				t.Errorf("error = %+v", e)
			}
			key := config.OpenAI.Key + config.Anthropic.Key
			if strings.Contains(fmt.Sprintf("%v %+v %#v", e, e, e), key) {
				t.Errorf("the key is in %+v", e)
			}
		})
	}
}

func TestWrongKeyIsNeitherRetriedNorRepeated(t *testing.T) {
	forEach(t, vendors(), func(t *testing.T, s subject) {
		const secret = "sk-another-secret-key"
		server, config := s.start(t, llmtest.Text("never"))
		if config.OpenAI.Key != "" {
			config.OpenAI.Key = secret
		} else {
			config.Anthropic.Key = secret
		}
		_, err := llm.Open(config).Complete(t.Context(), ask(s, "Go."))
		e := kindOf(t, err)
		if e.Kind != llm.KindAuth || e.Retryable || len(server.Requests()) != 1 {
			t.Errorf("error = %+v after %d requests", e, len(server.Requests()))
		}
		if strings.Contains(fmt.Sprintf("%+v", e), secret) {
			t.Errorf("the key is in %+v", e)
		}
	})
}

func TestCutStreamIsRepeatedOnlyUnseen(t *testing.T) {
	cut := llmtest.Cut("Once upon ")
	whole := llmtest.Text("Once upon ", "a time.")
	forEach(t, vendors(), func(t *testing.T, s subject) {
		t.Run("unseen", func(t *testing.T) {
			_, config := s.start(t, cut, whole)
			got, err := llm.Open(config).Complete(t.Context(), ask(s, "Go."))
			if err != nil || got.Text != "Once upon a time." {
				t.Errorf("got %q, %v", got.Text, err)
			}
		})
		t.Run("seen", func(t *testing.T) {
			server, config := s.start(t, cut)
			req := ask(s, "Go.")
			var seen strings.Builder
			req.OnDelta = func(d string) { seen.WriteString(d) }
			got, err := llm.Open(config).Complete(t.Context(), req)
			if e := kindOf(t, err); e.Kind != llm.KindProvider || !e.Retryable {
				t.Errorf("error = %+v", e)
			}
			if got.Text != "" || seen.String() != "Once upon " || len(server.Requests()) != 1 {
				t.Errorf("returned %q, showed %q, asked %d times", got.Text, seen.String(), len(server.Requests()))
			}
		})
		t.Run("seen, restart allowed", func(t *testing.T) {
			_, config := s.start(t, cut, whole)
			req := ask(s, "Go.")
			var seen strings.Builder
			req.OnDelta = func(d string) { seen.WriteString(d) }
			restarts := 0
			req.OnRestart = func() { restarts++; seen.Reset() }
			got, err := llm.Open(config).Complete(t.Context(), req)
			if err != nil || got.Text != "Once upon a time." || seen.String() != got.Text || restarts != 1 {
				t.Errorf("got %q, showed %q, restarted %d times, %v", got.Text, seen.String(), restarts, err)
			}
		})
	})
}

func TestErrorInsideTheStreamIsAnError(t *testing.T) {
	forEach(t, vendors(), func(t *testing.T, s subject) {
		_, config := s.start(t, llmtest.FailMidway("Once "), llmtest.FailMidway("Once "), llmtest.FailMidway("Once "))
		got, err := llm.Open(config).Complete(t.Context(), ask(s, "Go."))
		if e := kindOf(t, err); e.Kind != llm.KindProvider || !e.Retryable || !strings.Contains(e.Message, "Overloaded") {
			t.Errorf("error = %+v", e)
		}
		if got.Text != "" {
			t.Errorf("text = %q beside an error", got.Text)
		}
	})
}

// A vendor that falls silent, before the first byte or in the middle, is asked
// once more, and no third time.
func TestSilentVendorIsAskedOnceMore(t *testing.T) {
	for name, silent := range map[string]llmtest.Step{"before the first byte": llmtest.Hang(), "in the middle": llmtest.Stall("Once upon ")} {
		t.Run(name, func(t *testing.T) {
			forEach(t, vendors(), func(t *testing.T, s subject) {
				_, config := s.start(t, silent, llmtest.Text("Once upon ", "a time."), silent, silent)
				config.Limits = llm.Limits{Silence: 300 * time.Millisecond}
				client, req := llm.Open(config), ask(s, "Go.")
				restarts := 0
				req.OnDelta, req.OnRestart = func(string) {}, func() { restarts++ }
				got, err := client.Complete(t.Context(), req)
				if err != nil || got.Text != "Once upon a time." {
					t.Fatalf("%q, %v", got.Text, err)
				}
				got, err = client.Complete(t.Context(), req)
				if e := kindOf(t, err); e.Kind != llm.KindTimeout || !e.Retryable || got.Text != "" {
					t.Errorf("%q, %+v", got.Text, e)
				}
			})
		})
	}
}

func TestEndlessStreamEndsAtTheTotal(t *testing.T) {
	forEach(t, vendors(), func(t *testing.T, s subject) {
		server, config := s.start(t, llmtest.Stall("Once upon "))
		config.Limits = llm.Limits{Total: 200 * time.Millisecond}
		got, err := llm.Open(config).Complete(t.Context(), ask(s, "Go."))
		if e := kindOf(t, err); e.Kind != llm.KindTimeout || got.Text != "" || len(server.Requests()) != 1 {
			t.Errorf("got %q, %+v", got.Text, e)
		}
	})
}

func TestCallerWhoLeavesEndsTheCall(t *testing.T) {
	forEach(t, vendors(), func(t *testing.T, s subject) {
		server, config := s.start(t, llmtest.Stall("Once "))
		ctx, cancel := context.WithCancel(t.Context())
		req := ask(s, "Go.")
		req.OnDelta = func(string) { cancel() }
		_, err := llm.Open(config).Complete(ctx, req)
		if !errors.Is(err, context.Canceled) || len(server.Requests()) != 1 {
			t.Errorf("error = %v after %d requests", err, len(server.Requests()))
		}
	})
}

func TestCallerWhoLeavesDuringAPause(t *testing.T) {
	forEach(t, vendors(), func(t *testing.T, s subject) {
		server, config := s.start(t, llmtest.RateLimit("60"))
		ctx, cancel := context.WithCancel(t.Context())
		config.Wait = func(ctx context.Context, _ time.Duration) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		}
		_, err := llm.Open(config).Complete(ctx, ask(s, "Go."))
		if !errors.Is(err, context.Canceled) || len(server.Requests()) != 1 {
			t.Errorf("error = %v after %d requests", err, len(server.Requests()))
		}
	})
}

func TestCancelledBeforeTheCall(t *testing.T) {
	forEach(t, everyone(), func(t *testing.T, s subject) {
		_, config := s.start(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		req := ask(s, "Go.")
		req.OnDelta = func(d string) { t.Errorf("delivered %q", d) }
		if _, err := llm.Open(config).Complete(ctx, req); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v", err)
		}
	})
}

func TestRequestsThatCannotBeRight(t *testing.T) {
	forEach(t, everyone(), func(t *testing.T, s subject) {
		_, config := s.start(t)
		client := llm.Open(config)
		unknown, schema, history := ask(s, "Go."), ask(s, "Go."), ask(s, "Go.")
		unknown.Model = "gpt-4"
		schema.Tools = []llm.Tool{{Name: "x", Schema: json.RawMessage(`[]`)}}
		history.Messages = append(history.Messages, llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "x"}}})
		for _, req := range []llm.Request{unknown, schema, history} {
			_, err := client.Complete(t.Context(), req)
			if e := kindOf(t, err); e.Kind != llm.KindInvalidRequest || e.Retryable {
				t.Errorf("error = %+v", e)
			}
		}
	})
}
