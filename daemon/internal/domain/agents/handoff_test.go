package agents_test

import (
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
	"edgesvc.dev/svc/sdk/api"
)

func TestModelsOwnHandoffs(t *testing.T) {
	t.Run("by the tool", func(t *testing.T) {
		steps := []llmtest.Step{llmtest.Tools("I do not know.", llmtest.Call("call_1", "hand_off", `{"reason":"unsupported_request"}`))}
		scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			answer, _ := w.ask(agent.ID, "Can you paint my house?")
			if answer.HandoffReason != api.HandoffUnsupported || answer.Text != "I do not know.\n\n"+agent.HandoffMessage || len(answer.ToolCalls) != 0 {
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
			if answer, _ := w.ask(agent.ID, "It broke"); answer.HandoffReason != api.HandoffClarification || answer.Text != "Which hammer?" {
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
