package agents_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/agents"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/sdk/api"
)

func TestCutStream(t *testing.T) {
	t.Run("whole at the second try", func(t *testing.T) {
		steps := []llmtest.Step{llmtest.Cut("Once upon "), llmtest.Text("Within five days.")}
		scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			answer, seen := w.ask(agent.ID, "How are refunds paid?")
			if answer.Text != "Within five days." || seen.restarts != 1 {
				t.Errorf("%q after %d restarts", answer.Text, seen.restarts)
			}
		})
	})
	t.Run("never whole", func(t *testing.T) {
		steps := []llmtest.Step{llmtest.Cut("Once "), llmtest.Cut("Once "), llmtest.Cut("Once ")}
		scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			answer, seen := w.ask(agent.ID, "How are refunds paid?")
			if answer.HandoffReason != api.HandoffToolFailure || answer.Text != agent.HandoffMessage || seen.restarts != 3 {
				t.Errorf("%+v after %d restarts", answer, seen.restarts)
			}
		})
	})
	t.Run("after a tool", func(t *testing.T) {
		steps := []llmtest.Step{llmtest.Tools("One moment.", llmtest.Call("call_1", "create_post", createPost)), llmtest.Cut("Don"), llmtest.Text("Done.")}
		scripted(t, `"tools":{"create_post":true}`, steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			answer, _ := w.ask(agent.ID, "Please create a post")
			w.wantTools("posts.create")
			if answer.Text != "One moment.\n\nDone." {
				t.Errorf("%q", answer.Text)
			}
		})
	})
}

func TestVendorThatFails(t *testing.T) {
	limit, broken := llmtest.RateLimit(""), llmtest.Tools("", llmtest.Call("call_1", "create_post", `{"title":`))
	for name, steps := range map[string][]llmtest.Step{
		"rate limit": {limit, limit, limit},
		"no answer":  {llmtest.Hang(), llmtest.Hang()},
		"arguments":  {broken, broken, broken},
		"refused":    {llmtest.Fail(http.StatusBadRequest, "prompt is too long")},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range vendors() {
				s, config := v.start(t, steps...)
				config.Limits = llm.Limits{Silence: 50 * time.Millisecond}
				w := newWorld(t, config)
				agent := w.create(`"name":"Ada","model":"` + v.model + `","handoffMessage":"A colleague will be with you."`)
				answer, _ := w.ask(agent.ID, "How are refunds paid?")
				if answer.HandoffReason != api.HandoffToolFailure || answer.Text != "A colleague will be with you." || len(s.Requests()) != len(steps) {
					t.Errorf("%s: %+v after %d requests", v.name, answer, len(s.Requests()))
				}
			}
		})
	}
}

// What a model had to break off ends with its last sentence, and says that it was cut.
func TestAnswerWithoutTokensEndsAtASentence(t *testing.T) {
	steps := []llmtest.Step{llmtest.Cropped("You can return a hammer within 30 days. ", `[[1|"We pay the postage."]] The refund [[1|"within 30 days"]] is th`)}
	scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
		answer, _ := w.ask(agent.ID, "How are refunds paid?")
		if answer.Text != "You can return a hammer within 30 days." || answer.Stop != api.StopLimit || answer.HandoffReason != "" {
			t.Errorf("%+v", answer)
		}
		if len(answer.Citations) != 1 || answer.Citations[0].Quote != "We pay the postage." {
			t.Errorf("%+v", answer.Citations)
		}
	})
}

// An answer that takes too long is handed over, whatever was said of it so far.
func TestAnswerThatTakesTooLong(t *testing.T) {
	scripted(t, "", []llmtest.Step{llmtest.Stall("Once ")}, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
		w.agents.SetLimit(200 * time.Millisecond)
		answer, seen := w.ask(agent.ID, "How are refunds paid?")
		if answer.HandoffReason != api.HandoffToolFailure || answer.Text != agent.HandoffMessage || seen.restarts != 1 {
			t.Errorf("%+v after %d restarts", answer, seen.restarts)
		}
	})
}

func TestSearchThatFailsHandsOff(t *testing.T) {
	scripted(t, "", nil, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
		w.agents.Search = func(context.Context, string, search.Query) (search.Results, error) {
			return search.Results{}, errors.New("index is gone")
		}
		if answer, _ := w.ask(agent.ID, "How are refunds paid?"); answer.HandoffReason != api.HandoffToolFailure || answer.Text != agent.HandoffMessage {
			t.Errorf("%+v", answer)
		}
	})
}

func TestPersonsReplyCancels(t *testing.T) {
	scripted(t, "", []llmtest.Step{llmtest.Stall("Once ")}, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := w.agents.Answer(ctx, agents.Question{
			Team: "team_a", AgentID: agent.ID, Turns: []agents.Turn{{From: "visitor", Text: "How are refunds paid?"}},
			OnDelta: func(string) { cancel() },
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v", err)
		}
	})
}

func TestLongAnswerIsCut(t *testing.T) {
	long := strings.Repeat("Grüße €1 ", 100)
	scripted(t, `"limits":{"maxReplyChars":100}`, []llmtest.Step{llmtest.Text(long[:300], long[300:], "never read")}, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
		answer, _ := w.ask(agent.ID, "How are refunds paid?")
		whole, cut := strings.CutSuffix(answer.Text, "…")
		if runes := len([]rune(answer.Text)); runes > 100 || runes < 90 || !cut || !strings.HasPrefix(long, whole+" ") || answer.Stop != "limit" {
			t.Errorf("%d characters, stop %q: %q", runes, answer.Stop, answer.Text)
		}
		if answer.Usage.InputTokens == 0 || answer.Usage.OutputTokens == 0 {
			t.Errorf("an answer that was cut off costs nothing: %+v", answer.Usage)
		}
	})
}
