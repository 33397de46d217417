package agents_test

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/agents"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// world is agents on a store of their own. What other domains do is written
// down here, for those have tests of their own.
type world struct {
	*optest.World
	agents *agents.Service

	articles []search.Result
	found    map[string][]search.Result // for some questions, others
	searched []string

	conversation string // that is asked in
	after        int

	mu   sync.Mutex // guards used
	used []toolUse
	tool func(toolUse) (string, error) // nil makes a draft
}

type toolUse struct {
	who  op.Caller
	name string
	key  string
	args map[string]any
}

func newWorld(t testing.TB, models llm.Config) *world {
	w := &world{World: optest.New(t, agents.Events()), articles: []search.Result{refunds()}}
	w.Who = alice
	w.Set(time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC))
	w.agents = agents.New(w.Store, w.Log, llm.Open(models))
	w.agents.Now = w.Now
	w.agents.Search = func(_ context.Context, _ string, q search.Query) (search.Results, error) {
		w.searched = append(w.searched, q.Text+" after "+q.Before)
		found := w.articles
		if more, ok := w.found[q.Text]; ok {
			found = more
		}
		return search.Results{Found: found[:min(q.Limit, len(found))], Documents: len(w.articles)}, nil
	}
	w.agents.Brand = func(context.Context, string) (string, api.Brand, error) {
		return "Acme Tools", api.Brand{Facts: []string{"Acme Tools was founded in 1999."}, Voice: "plain"}, nil
	}
	w.agents.Tool = w.runTool
	w.Join(w.agents.Ops())
	w.Checked(agents.Tables())
	return w
}

func refunds() search.Result {
	return helpArticle("art_1", "How refunds work", "You can return a hammer within 30 days. Refunds are paid to the card that was used, within five working days.\nWe pay the postage.",
		"Refunds are paid to the card that was used, within five working days.")
}

// helpArticle is an article that was found, with one section that answers.
func helpArticle(id, title, text, quote string) search.Result {
	r := search.Result{Title: title, Hit: search.Hit{ID: id, Score: 7, Cover: 1, Exact: 1, Head: 1, Whole: 1}}
	r.Parts = []search.Part{{Anchor: "details", Path: []string{"Details"}, Text: text, Source: "<p>" + text + "</p>", Quote: quote}}
	r.SetURL("https://acme.example/help/refunds")
	return r
}

func (w *world) runTool(_ context.Context, who op.Caller, name, key string, args []byte) (string, error) {
	use := toolUse{who: who, name: name, key: key}
	if err := json.Unmarshal(args, &use.args); err != nil {
		w.T.Errorf("arguments of %s: %v", name, err)
	}
	w.mu.Lock()
	w.used = append(w.used, use)
	w.mu.Unlock()
	if w.tool != nil {
		return w.tool(use)
	}
	return "post_made", nil
}

var alice = optest.Member("team_a", "usr_1", op.Owner)

func (w *world) update(fn func(tx kv.Tx) error) {
	w.T.Helper()
	if err := w.Store.Update(w.T.Context(), fn); err != nil {
		w.T.Fatal(err)
	}
}

func (w *world) create(members string) api.Agent {
	w.T.Helper()
	w.Tick()
	return optest.Must[api.Agent](w, "agents.create", "{"+members+"}")
}

func (w *world) canned(shortcut, title, body string) api.CannedResponse {
	w.T.Helper()
	return optest.Must[api.CannedResponse](w, "cannedResponses.create", api.CannedCreate{Shortcut: shortcut, Title: title, Body: body})
}

// seen is what reached a visitor.
type seen struct {
	deltas   []string // since the last restart
	restarts int
	starts   int
	tools    []string // "create_post running"
}

func (s *seen) text() string { return strings.Join(s.deltas, "") }

// ask has an agent answer turns that are the visitor's and its own by turns, and
// holds the stream to the answer.
func (w *world) ask(agent string, turns ...string) (agents.Answered, *seen) {
	w.T.Helper()
	s := &seen{}
	q := agents.Question{
		Team: "team_a", AgentID: agent, Caller: op.Caller{RequestID: "req_1"}, Conversation: cmp.Or(w.conversation, "conv_1"), After: w.after,
		OnStart:   func() { s.starts++ },
		OnDelta:   func(text string) { s.deltas = append(s.deltas, text) },
		OnRestart: func() { s.deltas, s.restarts = nil, s.restarts+1 },
		OnTool:    func(c api.ToolCall) { s.tools = append(s.tools, c.Name+" "+c.State) },
	}
	for i, text := range turns {
		q.Turns = append(q.Turns, agents.Turn{From: []string{"visitor", "agent"}[i%2], Text: text})
	}
	answer, err := w.agents.Answer(w.T.Context(), q)
	if err != nil {
		w.T.Fatal(err)
	}
	if s.text() != answer.Text {
		w.T.Errorf("the visitor saw %q, the answer is %q", s.text(), answer.Text)
	}
	if s.starts != 1 {
		w.T.Errorf("started %d times", s.starts)
	}
	return answer, s
}

// vendor is one of the two that a test runs with.
type vendor struct {
	name, model string
	start       func(t testing.TB, steps ...llmtest.Step) (*llmtest.Server, llm.Config)
}

func vendors() []vendor {
	return []vendor{
		{"openai", "gpt-6.1-terra", func(t testing.TB, steps ...llmtest.Step) (*llmtest.Server, llm.Config) {
			s := llmtest.OpenAI(t, steps...)
			return s, s.OpenAIConfig()
		}},
		{"anthropic", "claude-sonnet-5-5", func(t testing.TB, steps ...llmtest.Step) (*llmtest.Server, llm.Config) {
			s := llmtest.Anthropic(t, steps...)
			return s, s.AnthropicConfig()
		}},
	}
}

// scripted runs a test with an agent whose model follows the steps, for both
// vendors.
func scripted(t *testing.T, members string, steps []llmtest.Step, run func(t *testing.T, w *world, agent api.Agent, s *llmtest.Server)) {
	for _, v := range vendors() {
		t.Run(v.name, func(t *testing.T) {
			s, config := v.start(t, steps...)
			w := newWorld(t, config)
			if members != "" {
				members = "," + strings.TrimPrefix(members, ",")
			}
			run(t, w, w.create(`"name":"Ada","model":"`+v.model+`"`+members), s)
		})
	}
}

// sent is everything that the model got, as text.
func sent(s *llmtest.Server) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, r := range s.Requests() {
		if err := enc.Encode(r.Body); err != nil {
			panic(err)
		}
	}
	return b.String()
}

func (w *world) wantTools(names ...string) {
	w.T.Helper()
	var got []string
	for _, u := range w.used {
		got = append(got, u.name)
	}
	if !slices.Equal(got, names) {
		w.T.Errorf("tools used: %v, want %v", got, names)
	}
}
