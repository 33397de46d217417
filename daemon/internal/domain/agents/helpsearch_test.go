package agents_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/sdk/api"
)

func searchCall(id, query string) llm.ToolCall {
	return llmtest.Call(id, "search_help", `{"query":"`+query+`"}`)
}

// results are what the model was told by its tools in a request, in their order.
func results(s *llmtest.Server, request int) (out []string) {
	for _, m := range s.Requests()[request].Body["messages"].([]any) {
		message := m.(map[string]any)
		if message["role"] == "tool" {
			out = append(out, message["content"].(string))
		}
		blocks, _ := message["content"].([]any)
		for _, b := range blocks {
			if block := b.(map[string]any); block["type"] == "tool_result" {
				out = append(out, block["content"].([]any)[0].(map[string]any)["text"].(string))
			}
		}
	}
	return out
}

// A model may look again: what it finds is numbered on and can be cited; what it was
// given before is named by its number alone.
func TestModelSearchesAgain(t *testing.T) {
	steps := []llmtest.Step{
		llmtest.Tools("", searchCall("call_1", "return parcel")),
		llmtest.Text(`Put it into a box [[3|"Put it into a box."]], we pay [[1|"We pay the postage."]].`),
	}
	scripted(t, `"limits":{"maxToolSteps":1}`, steps, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
		box := helpArticle("art_3", "Sending", "Put it into a box.", "")
		box.Parts[0].Path = []string{"Orders", "Returns"}
		w.found = map[string][]search.Result{"return parcel": {refunds(), box}}
		w.articles = append(w.articles, helpArticle("art_2", "Warranty", "Five years.", ""))
		answer, seen := w.ask(agent.ID, "How are refunds paid?")
		want := `{"sections":[{"n":1,"again":true},{"n":3,"title":"Sending","path":"Orders › Returns","text":"Put it into a box."}],"more":0}`
		if got := results(s, 1); len(got) != 1 || got[0] != want {
			t.Errorf("the model was told %q", got)
		}
		if answer.Text != "Put it into a box, we pay." || len(answer.Citations) != 2 || answer.Citations[0].ArticleID != "art_3" || answer.Citations[0].Heading != "Returns" {
			t.Errorf("%+v", answer)
		}
		if answer.Marked != `Put it into a box[[3|"Put it into a box."]], we pay[[1|"We pay the postage."]].` {
			t.Errorf("marked %q", answer.Marked)
		}
		if strings.Join(seen.tools, ", ") != "search_help running, search_help done" || len(answer.ToolCalls) != 1 || answer.ToolCalls[0].State != "done" {
			t.Errorf("%q, %+v", seen.tools, answer.ToolCalls)
		}
		query := `"query":{"description":"Words of the help centre, in its language; not the visitor's sentence","maxLength":200,"minLength":2,"type":"string"}`
		if offered := read(s, 0); !strings.Contains(offered, `"search_help"`) || !strings.Contains(offered, query) {
			t.Errorf("offered %s", offered)
		}
	})
}

// Two searches are carried out for one answer, beside the steps of the other tools;
// a third is refused, and a model that goes on for ever is stopped.
func TestSearchesAreTwo(t *testing.T) {
	again := func(id string) llmtest.Step { return llmtest.Tools("", searchCall(id, "hammer")) }
	t.Run("a third is refused", func(t *testing.T) {
		steps := []llmtest.Step{again("call_1"), llmtest.Tools("", llmtest.Call("call_2", "create_post", createPost)), again("call_3"), again("call_4"), llmtest.Text("That is all.")}
		scripted(t, `"tools":{"create_post":true},"limits":{"maxToolSteps":1}`, steps, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
			answer, _ := w.ask(agent.ID, "Please create a post")
			w.wantTools("posts.create")
			if len(w.searched) != 3 || answer.Text != "That is all." || answer.HandoffReason != "" {
				t.Errorf("searched %q, %+v", w.searched, answer)
			}
			states := ""
			for _, c := range answer.ToolCalls {
				states += c.State + " "
			}
			if states != "done done done refused " || !strings.Contains(results(s, 4)[3], "2 times for one answer") {
				t.Errorf("%s%q", states, results(s, 4))
			}
		})
	})
	t.Run("at once", func(t *testing.T) {
		steps := []llmtest.Step{llmtest.Tools("", searchCall("call_1", "a1"), searchCall("call_2", "b2"), searchCall("call_3", "c3")), llmtest.Text("Fine.")}
		scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			if answer, _ := w.ask(agent.ID, "Why?"); len(w.searched) != 3 || answer.Text != "Fine." {
				t.Errorf("searched %q, %+v", w.searched, answer)
			}
		})
	})
	t.Run("no end of it", func(t *testing.T) {
		steps := []llmtest.Step{again("call_1"), again("call_2"), again("call_3"), again("call_4"), again("call_5")}
		scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			answer, _ := w.ask(agent.ID, "Why?")
			if answer.HandoffReason != api.HandoffToolFailure || len(w.searched) != 3 {
				t.Errorf("searched %q, %+v", w.searched, answer)
			}
		})
	})
}

func TestSearchThatFindsNothing(t *testing.T) {
	steps := []llmtest.Step{llmtest.Tools("", searchCall("call_1", "paint")), llmtest.Text("It is not in our help.")}
	scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
		w.found = map[string][]search.Result{"paint": nil}
		w.ask(agent.ID, "Can you paint my house?")
		if got := results(s, 1); len(got) != 1 || got[0] != `{"sections":[],"hint":"try other words, or say that it is not in the help"}` {
			t.Errorf("the model was told %q", got)
		}
	})
}

// A result has at most six sections and its bytes, and says how many more there are.
func TestSearchResultIsBounded(t *testing.T) {
	steps := []llmtest.Step{llmtest.Tools("", searchCall("call_1", "long"), searchCall("call_2", "short")), llmtest.Text("Fine.")}
	scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
		w.found = map[string][]search.Result{}
		for i := range 10 {
			id := fmt.Sprint("art_1", i)
			w.found["long"] = append(w.found["long"], helpArticle(id, "Long", strings.Repeat("This is a sentence of some length about nothing. ", 100), ""))
			w.found["short"] = append(w.found["short"], helpArticle("s"+id, "Short", "A word.", ""))
		}
		w.ask(agent.ID, "Why?")
		type told struct {
			Sections []struct {
				N    int
				Text string
			}
			More int
		}
		var long, short told
		got := results(s, 1)
		if err := errors.Join(json.Unmarshal([]byte(got[0]), &long), json.Unmarshal([]byte(got[1]), &short)); err != nil {
			t.Fatal(err)
		}
		if len(long.Sections) != 3 || long.More != 7 || len(got[0]) > 4_900 || long.Sections[2].N != 4 || len(long.Sections[0].Text) > 1_400 {
			t.Errorf("%d bytes: %+v", len(got[0]), long)
		}
		if len(short.Sections) != 6 || short.More != 4 || short.Sections[0].N != 5 {
			t.Errorf("%+v", short)
		}
	})
}

func TestBadSearches(t *testing.T) {
	for name, args := range map[string]string{"no query": `{}`, "short": `{"query":" a "}`, "long": `{"query":"` + strings.Repeat("a", 201) + `"}`, "a number": `{"query":7}`, "no JSON": `{"query":"a`} {
		t.Run(name, func(t *testing.T) {
			steps := []llmtest.Step{llmtest.Tools("", llmtest.Call("call_1", "search_help", args)), llmtest.Text("Fine.")}
			scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
				answer, _ := w.ask(agent.ID, "Why?")
				if len(w.searched) != 1 || answer.ToolCalls[0].State != "failed" || answer.Text != "Fine." {
					t.Errorf("searched %q, %+v, told %q", w.searched, answer, results(s, 1))
				}
			})
		})
	}
}

// A test of the agent searches like an answer: that changes nothing.
func TestTestChatSearches(t *testing.T) {
	steps := []llmtest.Step{llmtest.Tools("", searchCall("call_1", "hammer")), llmtest.Text("Fine.")}
	scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
		optest.Must[api.AgentAnswer](w, "agents.testChat", `{"id":"`+agent.ID+`","messages":[{"from":"visitor","text":"Why?"}]}`)
		if len(w.searched) != 2 || w.searched[1] != "hammer after " {
			t.Errorf("searched %q", w.searched)
		}
	})
}
