package agents_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
	"edgesvc.dev/svc/sdk/api"
)

// makePost is a turn that makes a draft, and the word after it.
func makePost(n int) []llmtest.Step {
	return []llmtest.Step{
		llmtest.Tools("", llmtest.Call("call_1", "create_post", fmt.Sprintf(`{"title":"Post %d","content":"<p>Text</p>"}`, n))),
		llmtest.Text("Done."),
	}
}

// What a visitor can have an agent make is bounded: 3 drafts in a conversation, 50 a
// day of an agent. A call that made nothing does not count.
func TestDraftsAreCapped(t *testing.T) {
	var steps []llmtest.Step
	for n := range 58 {
		steps = append(steps, makePost(n)...)
	}
	s := llmtest.OpenAI(t, steps...)
	w := newWorld(t, s.OpenAIConfig())
	agent := w.create(`"name":"Ada","model":"gpt-6-luna","tools":{"create_post":true}`)
	w.tool = func(toolUse) (string, error) { return "", api.Invalid("/title", "too_long", "is too long") }
	w.ask(agent.ID, "Make a post")
	w.tool = func(toolUse) (string, error) { return "", errors.New("the store is gone") } // perhaps it was made
	w.ask(agent.ID, "Make a post")
	w.tool, w.used = nil, nil
	try := func(conversation string) api.ToolCall {
		w.conversation = conversation
		answer, _ := w.ask(agent.ID, "Make a post")
		return answer.ToolCalls[0]
	}
	if a, b, c := try("conv_1"), try("conv_1"), try("conv_1"); a.State != "done" || b.State != "done" || c.State != "refused" || len(w.used) != 2 {
		t.Fatalf("%+v %+v %+v, %d made", a, b, c, len(w.used))
	}
	requests := s.Requests()
	if told := results(s, len(requests)-1); len(told) != 1 || !strings.Contains(told[0], "usage_limit") || !strings.Contains(told[0], "No more than 3 are made in this conversation") {
		t.Errorf("the model was told %q", told)
	}
	for n := range 47 {
		if c := try(fmt.Sprint("conv_a", n)); c.State != "done" {
			t.Fatalf("draft %d of the day: %+v", n+4, c)
		}
	}
	if c := try("conv_b"); c.State != "refused" {
		t.Errorf("draft 51 of the day: %+v", c)
	}
	w.Pass(24 * time.Hour)
	if c := try("conv_b"); c.State != "done" {
		t.Errorf("the next day: %+v", c)
	}
}

// A call that an answer which came to no end has made is known again by its key,
// which is kept: it counts once and is made under the same key.
func TestToolCallIsKnownAgain(t *testing.T) {
	steps := append(append(append(append(makePost(1), makePost(1)...), makePost(2)...), makePost(1)...), makePost(1)...)
	s := llmtest.OpenAI(t, steps...)
	w := newWorld(t, s.OpenAIConfig())
	agent := w.create(`"name":"Ada","model":"gpt-6-luna","tools":{"create_post":true}`)
	w.ask(agent.ID, "Make a post")
	w.ask(agent.ID, "Make a post") // the same question, begun again
	w.ask(agent.ID, "Make a post") // with other arguments
	w.after = 2
	w.ask(agent.ID, "Make a post") // another question
	w.conversation = "conv_2"
	w.ask(agent.ID, "Make a post")
	var names []string
	known := map[string]string{}
	for _, u := range w.used {
		if known[u.key] == "" {
			known[u.key] = string(rune('a' + len(known)))
		}
		names = append(names, known[u.key])
	}
	if got := strings.Join(names, " "); got != "a a b c d" {
		t.Errorf("keys %s of %+v", got, w.used)
	}
	// Three counted in conv_1, though four calls were made.
	w.conversation, w.after = "conv_1", 0
	if n := len(w.used); n != 5 {
		t.Errorf("%d calls", n)
	}
}

// What was made long ago is forgotten.
func TestUsesAreSwept(t *testing.T) {
	var steps []llmtest.Step
	for n := range 6 {
		steps = append(steps, makePost(n)...)
	}
	s := llmtest.OpenAI(t, steps...)
	w := newWorld(t, s.OpenAIConfig())
	agent := w.create(`"name":"Ada","model":"gpt-6-luna","tools":{"create_post":true}`)
	for range 3 {
		w.ask(agent.ID, "Make a post")
	}
	w.Pass(31 * 24 * time.Hour)
	if err := w.agents.Sweep(context.Background()); !errors.Is(err, event.ErrClock) {
		t.Errorf("all is old: %v", err)
	}
	w.conversation = "conv_2"
	w.ask(agent.ID, "Make a post")
	if err := w.agents.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	for conversation, want := range map[string]string{"conv_1": "done", "conv_2": "done"} {
		w.conversation = conversation
		if answer, _ := w.ask(agent.ID, "Make a post"); answer.ToolCalls[0].State != want {
			t.Errorf("%s: %+v", conversation, answer.ToolCalls)
		}
	}
}
