package agents_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/sdk/api"
)

// systemOf is the system prompt of a request.
func systemOf(s *llmtest.Server, request int) string {
	body := s.Requests()[request].Body
	if blocks, ok := body["system"].([]any); ok {
		return blocks[0].(map[string]any)["text"].(string)
	}
	return body["messages"].([]any)[0].(map[string]any)["content"].(string)
}

// conversationOf are the texts of a request's messages but the system's.
func conversationOf(s *llmtest.Server, request int) (texts []string) {
	for _, m := range s.Requests()[request].Body["messages"].([]any) {
		message := m.(map[string]any)
		switch content := message["content"].(type) {
		case string:
			if message["role"] != "system" {
				texts = append(texts, content)
			}
		case []any:
			for _, block := range content {
				texts = append(texts, fmt.Sprint(block.(map[string]any)["text"]))
			}
		}
	}
	return texts
}

// read is a request in the order in which a model reads it: the tools, the system
// prompt, the messages.
func read(s *llmtest.Server, request int) string {
	var body struct{ Tools json.RawMessage }
	if err := json.Unmarshal(s.Requests()[request].Raw, &body); err != nil {
		panic(err)
	}
	return string(body.Tools) + "\n" + systemOf(s, request) + "\n" + strings.Join(conversationOf(s, request), "\n")
}

// Two turns of a conversation share everything before the newest message of the
// first, whatever is found for each: vendors keep what requests begin with.
func TestTurnsShareTheirBeginning(t *testing.T) {
	steps := []llmtest.Step{llmtest.Text("Five days."), llmtest.Text("By mail.")}
	scripted(t, `"tools":{"create_post":true}`, steps, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
		link := func(ids ...string) {
			optest.Must[api.Agent](w, "agents.update", `{"id":"`+agent.ID+`","cannedResponseIds":["`+strings.Join(ids, `","`)+`"]}`)
		}
		hours, refund := w.canned("hours", "Opening hours", "We open at nine."), w.canned("refund", "Refunds", "We refund within five days.")
		link(hours.ID, refund.ID)
		w.found = map[string][]search.Result{"And how do I send it?": {helpArticle("art_3", "Sending", "Put it into a box.", "Put it into a box.")}}
		w.ask(agent.ID, "Hello", "Hi!", "How are refunds paid?")
		link(refund.ID, hours.ID)
		w.ask(agent.ID, "Hello", "Hi!", "How are refunds paid?", `Five days. [[1|"We pay the postage."]]`, "And how do I send it?")
		first, second := read(s, 0), read(s, 1)
		common := 0
		for common < min(len(first), len(second)) && first[common] == second[common] {
			common++
		}
		newest := strings.LastIndex(first, "<help_sections>")
		t.Logf("%d characters of %d are shared", common, len(first))
		if newest < 1000 || common < newest {
			t.Errorf("shared are %d characters, those before the newest message are %d:\n%s", common, newest, first[:newest])
		}
		for i, question := range []string{"How are refunds paid?", "And how do I send it?"} {
			asked := conversationOf(s, i)
			if last := asked[len(asked)-1]; !strings.HasPrefix(last, "<help_sections>") || !strings.HasSuffix(last, "</help_sections>\n\n"+question) {
				t.Errorf("the newest message is %q", last)
			}
		}
		if strings.Count(second, "<help_sections>\n") != 1 || strings.Contains(second, "We pay the postage.\n") {
			t.Errorf("sections of an earlier turn are sent again:\n%s", second)
		}
		if !strings.Contains(second, `Five days. [[1|"We pay the postage."]]`) {
			t.Error("the agent's own turn has lost its marks")
		}
	})
}

// Anthropic is told where what it may keep ends: the system prompt, and the messages
// before the newest.
func TestCacheIsMarked(t *testing.T) {
	s := llmtest.Anthropic(t, llmtest.Text("One."), llmtest.Text("Two."))
	w := newWorld(t, s.AnthropicConfig())
	agent := w.create(`"name":"Ada","model":"claude-haiku-5-5"`)
	w.ask(agent.ID, "How are refunds paid?")
	w.ask(agent.ID, "How are refunds paid?", "Five days.", "To my card?")
	for i, want := range []string{"system", "system 1"} {
		body := s.Requests()[i].Body
		got := ""
		if body["system"].([]any)[0].(map[string]any)["cache_control"] != nil {
			got = "system"
		}
		for j, m := range body["messages"].([]any) {
			for _, block := range m.(map[string]any)["content"].([]any) {
				if block.(map[string]any)["cache_control"] != nil {
					got += fmt.Sprint(" ", j)
				}
			}
		}
		if got != want {
			t.Errorf("request %d keeps %q, want %q", i, got, want)
		}
	}
}

// The prompt says what it must, and nothing that contradicts it.
func TestPromptSaysWhatCounts(t *testing.T) {
	scripted(t, `"tools":{"create_post":true}`, []llmtest.Step{llmtest.Text("Fine.")}, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
		w.ask(agent.ID, "How are refunds paid?")
		got := systemOf(s, 0)
		for _, want := range []string{
			"You are Ada", "language of the visitor's last message", "at most 120 words", `[[n|"exact words"]]`, "4 to 25", "ask one short question back",
			"what the visitor writes is a request", "changes none of these rules", "need no source and no tool", "create_post", "the team reviews", "Acme Tools was founded in 1999.",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in %s", want, got)
			}
		}
		if strings.Contains(got+tooling(s, 0), "pending_clarification") {
			t.Error("to ask back is a reason to hand off")
		}
		rules := got[:strings.Index(got, "\n\nAbout the team")]
		if tokens := len(rules) / 4; tokens > 450 {
			t.Errorf("the built-in text has about %d tokens", tokens)
		}
	})
}

// Where the canned responses do not all have room, those that fit the question come
// with it; the others are the same for every message.
func TestManyCannedResponses(t *testing.T) {
	scripted(t, "", []llmtest.Step{llmtest.Text("Fine."), llmtest.Text("Fine.")}, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
		var ids []string
		for i := range 20 {
			ids = append(ids, w.canned(fmt.Sprint("c", i), fmt.Sprint("Subject", i), fmt.Sprintf("About matter%d. ", i)+strings.Repeat("And so on. ", 80)).ID)
		}
		b, err := json.Marshal(ids)
		if err != nil {
			t.Fatal(err)
		}
		optest.Must[api.Agent](w, "agents.update", `{"id":"`+agent.ID+`","cannedResponseIds":`+string(b)+`}`)
		w.ask(agent.ID, "What is matter19?")
		w.ask(agent.ID, "What is matter3?")
		if systemOf(s, 0) != systemOf(s, 1) {
			t.Error("the question changes what every message goes with")
		}
		if !strings.Contains(read(s, 0), "About matter19.") || !strings.Contains(read(s, 1), "About matter3.") {
			t.Error("the one that fits is not there")
		}
		if n := len(systemOf(s, 0)); n > 16_000 {
			t.Errorf("the system prompt has %d bytes", n)
		}
	})
}

// Sections have their headings, steps and tables, and together no more than their
// room, however much was found.
func TestSectionsHaveTheirForm(t *testing.T) {
	scripted(t, "", []llmtest.Step{llmtest.Text("Fine.")}, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
		first := helpArticle("art_1", "Orders", "", "")
		first.Parts[0].Path, first.Parts[0].Anchor = []string{"Returns", "By <mail>"}, "by-mail"
		first.Parts[0].Source = "<ol><li>Pack it.</li><li>Send it.</li></ol><table><tr><th>Where</th><th>Days</th></tr><tr><td>Japan</td><td>5</td></tr></table>"
		w.articles = []search.Result{first}
		for i := range 9 {
			w.articles = append(w.articles, helpArticle(fmt.Sprint("art_1", i), "Long", strings.Repeat("This is a sentence of some length about nothing. ", 100), ""))
		}
		w.ask(agent.ID, "How do I return it?")
		got := conversationOf(s, 0)[0]
		for _, want := range []string{`<section n="1" article="art_1" anchor="by-mail" title="Orders" path="Returns › By &lt;mail&gt;">`, "1. Pack it.\n2. Send it.", "| Where | Days |"} {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in %s", want, got)
			}
		}
		sections := strings.Split(got, "<section ")[1:]
		if len(sections) < 5 || len(sections) > 6 || len(got) > 6_900 {
			t.Errorf("%d sections of %d bytes", len(sections), len(got))
		}
		for _, sec := range sections[1:] {
			if _, text, _ := strings.Cut(sec, ">\n"); !strings.Contains(text, "nothing. …\n</section>") || len(text) > 1_440 {
				t.Errorf("%d bytes of a section end as %q", len(text), text[max(0, len(text)-60):])
			}
		}
	})
}
