package agents_test

import (
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
	"edgesvc.dev/svc/sdk/api"
)

func TestModelsOwnHandoffs(t *testing.T) {
	t.Run("a guess before it is taken back", func(t *testing.T) {
		guess := `It takes a year. [[1|"We pay the postage."]]`
		steps := []llmtest.Step{llmtest.Tools(guess, llmtest.Call("call_1", "hand_off", `{"reason":"missing_knowledge"}`))}
		scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			answer, seen := w.ask(agent.ID, "Can you paint my house?")
			if answer.HandoffReason != api.HandoffUnknown || answer.Text != agent.HandoffMessage || len(answer.ToolCalls) != 0 || len(answer.Citations) != 0 || seen.restarts != 1 {
				t.Errorf("%d restarts, %+v", seen.restarts, answer)
			}
		})
	})
	t.Run("a guess in an earlier turn", func(t *testing.T) {
		steps := []llmtest.Step{
			llmtest.Tools("It takes a year, I think.", llmtest.Call("call_1", "search_help", `{"query":"paint"}`)),
			llmtest.Tools("", llmtest.Call("call_2", "hand_off", `{"reason":"unsupported_request"}`)),
		}
		scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			answer, _ := w.ask(agent.ID, "Can you paint my house?")
			if answer.HandoffReason != api.HandoffUnsupported || answer.Text != agent.HandoffMessage {
				t.Errorf("%+v", answer)
			}
		})
	})
	t.Run("a reason nobody knows", func(t *testing.T) {
		steps := []llmtest.Step{llmtest.Tools("", llmtest.Call("call_1", "hand_off", `{"reason":"tired"}`))}
		scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			if answer, _ := w.ask(agent.ID, "Why?"); answer.HandoffReason != api.HandoffUnknown {
				t.Errorf("%+v", answer)
			}
		})
	})
	t.Run("asking back", func(t *testing.T) {
		steps := []llmtest.Step{llmtest.Tools("Which hammer?", llmtest.Call("call_1", "hand_off", `{"reason":"pending_clarification"}`))}
		scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			if answer, _ := w.ask(agent.ID, "It broke"); answer.HandoffReason != "" || answer.Text != "Which hammer?" {
				t.Errorf("%+v", answer)
			}
		})
	})
	t.Run("refusal", func(t *testing.T) {
		scripted(t, "", []llmtest.Step{llmtest.Refusal("I can't help with that.")}, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			if answer, _ := w.ask(agent.ID, "How do I pick a lock?"); answer.HandoffReason != api.HandoffPolicy || answer.Text != agent.HandoffMessage {
				t.Errorf("%+v", answer)
			}
		})
	})
	t.Run("nothing said", func(t *testing.T) {
		scripted(t, "", []llmtest.Step{llmtest.Text(" \n")}, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			if answer, _ := w.ask(agent.ID, "Why?"); answer.HandoffReason != api.HandoffUnknown || answer.Text != agent.HandoffMessage {
				t.Errorf("%+v", answer)
			}
		})
	})
}

// With a model the model decides whether a person is wanted; without one the words
// do.
func TestWishForAPerson(t *testing.T) {
	scripted(t, "", []llmtest.Step{llmtest.Text("Open Settings and choose Transfer.")}, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
		answer, _ := w.ask(agent.ID, "Can I talk to a human please?")
		if answer.HandoffReason != "" || len(s.Requests()) != 1 {
			t.Errorf("%+v", answer)
		}
	})
	w := newWorld(t, llm.Config{})
	agent := w.create(`"name":"Ada"`)
	if answer, _ := w.ask(agent.ID, "Can I talk to a human please?"); answer.HandoffReason != api.HandoffRequested || answer.Text != agent.HandoffMessage {
		t.Errorf("%+v", answer)
	}
}
