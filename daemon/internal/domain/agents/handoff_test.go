package agents_test

import (
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/agents"
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

func TestWishForAPersonAsksNoModel(t *testing.T) {
	scripted(t, "", nil, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
		answer, _ := w.ask(agent.ID, "Can I talk to a human please?")
		if answer.HandoffReason != api.HandoffRequested || answer.Text != agent.HandoffMessage || len(s.Requests()) != 0 || answer.Usage != (api.Usage{}) {
			t.Errorf("%+v", answer)
		}
	})
}

func TestWishesForAPerson(t *testing.T) {
	for message, want := range map[string]bool{
		"human": true, "Operator, please!": true, "Ich möchte mit einem Mitarbeiter sprechen": true, "Je veux parler à un humain": true,
		"Quiero hablar con una persona": true, "talk to a real person": true, "connect me with an agent": true, "I want a human": true,
		"Vorrei parlare con un operatore": true, "Quero falar com um atendente": true, "Kan ik met een medewerker spreken?": true,
		"How are refunds paid?": false, "Is the handle made for human hands?": false, "Do hammers come with a person's name on them?": false,
		"Which user agent does your crawler send?": false, "": false,
	} {
		if got := agents.WantsPerson(message); got != want {
			t.Errorf("%q: %t", message, got)
		}
	}
}
