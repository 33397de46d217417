package agents_test

import (
	"errors"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

const createPost = `{"title":"Hammers","content":"<p>All about hammers</p>"}`

// A model that calls a tool nobody switched on makes nothing (abuse case W10).
func TestToolsThatAreOffMakeNothing(t *testing.T) {
	steps := []llmtest.Step{
		llmtest.Tools("", llmtest.Call("call_1", "create_post", createPost)),
		llmtest.Text("I cannot do that."),
	}
	scripted(t, "", steps, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
		answer, seen := w.ask(agent.ID, "Please create a post about hammers")
		w.wantTools()
		if len(answer.ToolCalls) != 1 || answer.ToolCalls[0].State != "refused" || answer.Text != "I cannot do that." {
			t.Errorf("%+v", answer)
		}
		if len(seen.tools) != 1 || seen.tools[0] != "create_post refused" {
			t.Errorf("the visitor saw %q", seen.tools)
		}
		if !strings.Contains(sent(s), "this tool is switched off") {
			t.Error("the model was not told")
		}
	})
}

func TestToolsThatAreOnMakeDrafts(t *testing.T) {
	steps := []llmtest.Step{
		llmtest.Tools("One moment.", llmtest.Call("call_1", "create_post", createPost), llmtest.Call("call_2", "create_helpdesk_article", createPost),
			llmtest.Call("call_3", "generate_post_image", `{"postId":"post_made","prompt":"a hammer"}`)),
		llmtest.Text("Both drafts are there."),
	}
	on := `"tools":{"create_post":true,"create_helpdesk_article":true,"generate_post_image":true}`
	scripted(t, on, steps, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
		answer, seen := w.ask(agent.ID, "Please create a post about hammers")
		w.wantTools("posts.create", "helpdesk.articles.create", "posts.image")
		if w.used[0].args["status"] != "DRAFT" || w.used[1].args["status"] != "DRAFT" || w.used[2].args["id"] != "post_made" {
			t.Errorf("%+v", w.used)
		}
		who := w.used[0].who
		if who.Source != "agent" || who.Team != "team_a" || who.Actor.ID != agent.ID || who.Scopes&op.PostsPublish != 0 || who.RequestID != "req_1" {
			t.Errorf("tools ran as %+v", who)
		}
		if answer.Text != "One moment.\n\nBoth drafts are there." || len(answer.ToolCalls) != 3 || answer.ToolCalls[0].Result != "post_made" {
			t.Errorf("%+v", answer)
		}
		if strings.Join(seen.tools[:2], ", ") != "create_post running, create_post done" {
			t.Errorf("the visitor saw %q", seen.tools)
		}
		if answer.Usage.InputTokens != 2*llmtest.InputTokens {
			t.Errorf("usage = %+v", answer.Usage)
		}
	})
}

// The toggle counts when the tool is to run, not when the answer began.
func TestToolSwitchedOffMeanwhile(t *testing.T) {
	steps := []llmtest.Step{
		llmtest.Tools("", llmtest.Call("call_1", "create_post", createPost), llmtest.Call("call_2", "create_post", createPost)),
		llmtest.Text("Done."),
	}
	scripted(t, `"tools":{"create_post":true}`, steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
		w.tool = func(toolUse) (string, error) {
			optest.Must[api.Agent](w, "agents.setTools", `{"id":"`+agent.ID+`","create_post":false}`)
			return "post_made", nil
		}
		answer, _ := w.ask(agent.ID, "Please create two posts")
		w.wantTools("posts.create")
		if answer.ToolCalls[0].State != "done" || answer.ToolCalls[1].State != "refused" {
			t.Errorf("%+v", answer.ToolCalls)
		}
	})
}

func TestBadArgumentsAreRepairedTwiceAtMost(t *testing.T) {
	bad := func(args string) llmtest.Step { return llmtest.Tools("", llmtest.Call("call_1", "create_post", args)) }
	on := `"tools":{"create_post":true},"limits":{"maxToolSteps":8}`
	t.Run("repaired", func(t *testing.T) {
		steps := []llmtest.Step{bad(`{"title":7}`), bad(`{"title":"A","content":"B","status":"PUBLISHED"}`), bad(createPost), llmtest.Text("Done.")}
		scripted(t, on, steps, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
			answer, _ := w.ask(agent.ID, "Please create a post")
			w.wantTools("posts.create")
			if answer.HandoffReason != "" || answer.Text != "Done." {
				t.Errorf("%+v", answer)
			}
			for _, told := range []string{"title must be text", "content is required", "there is no argument status"} {
				if !strings.Contains(sent(s), told) {
					t.Errorf("the model was not told that %s", told)
				}
			}
		})
	})
	t.Run("no JSON at all", func(t *testing.T) {
		scripted(t, on, []llmtest.Step{bad(`{"title":"Hammers","content`), bad(createPost), llmtest.Text("Done.")}, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
			answer, _ := w.ask(agent.ID, "Please create a post")
			w.wantTools("posts.create")
			if answer.Text != "Done." || answer.ToolCalls[0].State != "failed" || !strings.Contains(sent(s), `must be a JSON object; these are none: {\"title\":\"Hammers\",\"content`) {
				t.Errorf("%+v: %s", answer, sent(s))
			}
		})
	})
	t.Run("given up", func(t *testing.T) {
		scripted(t, on, []llmtest.Step{bad(`{}`), bad(`{}`), bad(`{}`)}, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
			answer, _ := w.ask(agent.ID, "Please create a post")
			w.wantTools()
			if answer.HandoffReason != api.HandoffToolFailure || answer.Text != agent.HandoffMessage || len(s.Requests()) != 3 {
				t.Errorf("%+v after %d requests", answer, len(s.Requests()))
			}
		})
	})
}

func TestToolsOwnRefusalGoesBackToTheModel(t *testing.T) {
	steps := []llmtest.Step{
		llmtest.Tools("", llmtest.Call("call_1", "create_post", createPost)),
		llmtest.Tools("", llmtest.Call("call_2", "create_post", createPost)),
		llmtest.Text("Sorry."),
	}
	scripted(t, `"tools":{"create_post":true}`, steps, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
		w.tool = func(toolUse) (string, error) {
			if len(w.used) > 1 {
				return "", errors.New("dial tcp 10.0.0.7: secret")
			}
			return "", api.Invalid("/title", "too_long", "is too long")
		}
		answer, _ := w.ask(agent.ID, "Please create a post")
		if answer.Text != "Sorry." || answer.ToolCalls[0].State != "failed" || answer.ToolCalls[1].State != "failed" {
			t.Errorf("%+v", answer)
		}
		if got := sent(s); !strings.Contains(got, "/title is too long") || strings.Contains(got, "10.0.0.7") {
			t.Errorf("the model was told %s", got)
		}
	})
}

// A model that never stops calling tools is stopped (abuse case W14).
func TestEndlessToolsEnd(t *testing.T) {
	loop := llmtest.Tools("", llmtest.Call("call_1", "create_post", createPost))
	on := `"tools":{"create_post":true},"limits":{"maxToolSteps":8}`
	t.Run("a last word", func(t *testing.T) {
		steps := []llmtest.Step{loop, loop, loop, loop, loop, loop, loop, loop, llmtest.Text("That is all.")}
		scripted(t, on, steps, func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server) {
			answer, _ := w.ask(agent.ID, "Please create posts")
			if len(w.used) != 8 || answer.Text != "That is all." || answer.HandoffReason != "" {
				t.Errorf("%d tools, %+v", len(w.used), answer)
			}
			last, first := tooling(s, 8), tooling(s, 0)
			if strings.Contains(last, "create_post") || !strings.Contains(last, "hand_off") || !strings.Contains(first, "create_post") {
				t.Errorf("tools offered first %s, last %s", first, last)
			}
		})
	})
	t.Run("no end of it", func(t *testing.T) {
		steps := []llmtest.Step{loop, loop, loop, loop, loop, loop, loop, loop, loop}
		scripted(t, on, steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			answer, _ := w.ask(agent.ID, "Please create posts")
			if len(w.used) != 8 || answer.HandoffReason != api.HandoffToolFailure || answer.Text != agent.HandoffMessage {
				t.Errorf("%d tools, %+v", len(w.used), answer)
			}
		})
	})
	t.Run("all at once", func(t *testing.T) {
		var calls []llm.ToolCall
		for i := range 20 {
			calls = append(calls, llmtest.Call("call_"+string(rune('a'+i)), "create_post", createPost))
		}
		steps := []llmtest.Step{llmtest.Tools("", calls...)}
		scripted(t, `"tools":{"create_post":true}`, steps, func(t *testing.T, w *world, agent api.Agent, _ *llmtest.Server) {
			answer, _ := w.ask(agent.ID, "Please create posts")
			if len(w.used) != 4 || answer.HandoffReason != api.HandoffToolFailure {
				t.Errorf("%d tools, %+v", len(w.used), answer)
			}
		})
	})
}

// tooling is the tools that a request offered, as text.
func tooling(s *llmtest.Server, request int) string {
	b, err := op.Encode(nil, s.Requests()[request].Body["tools"])
	if err != nil {
		panic(err)
	}
	return string(b)
}
