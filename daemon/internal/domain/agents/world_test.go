package agents_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/agents"
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/llm/llmtest"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/bolt"
	"edgesvc.dev/svc/sdk/api"
)

// world is agents on a store of their own. What other domains do is written
// down here, for those have tests of their own.
type world struct {
	t      testing.TB
	store  *bolt.Store
	agents *agents.Service
	table  *op.Table
	now    time.Time

	articles []agents.Passage
	searched []string

	mu   sync.Mutex // guards used
	used []toolUse
	tool func(toolUse) (string, error) // nil makes a draft
}

type toolUse struct {
	who  op.Caller
	name string
	args map[string]any
}

func newWorld(t testing.TB, models llm.Config) *world {
	store, err := bolt.Open(filepath.Join(t.TempDir(), "svc.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	log := event.New(store, agents.Events())
	w := &world{t: t, store: store, agents: agents.New(store, log, llm.Open(models)), now: time.Date(2026, 5, 4, 10, 0, 0, 0, time.UTC)}
	w.articles = []agents.Passage{refunds()}
	w.agents.Now = func() time.Time { return w.now }
	w.agents.Search = func(_ context.Context, _, question string, limit int) ([]agents.Passage, error) {
		w.searched = append(w.searched, question)
		return w.articles[:min(limit, len(w.articles))], nil
	}
	w.agents.Brand = func(context.Context, string) (string, api.Brand, error) {
		return "Acme Tools", api.Brand{Facts: []string{"Acme Tools was founded in 1999."}, Voice: "plain"}, nil
	}
	w.agents.Tool = w.runTool
	w.table = op.NewTable(store, op.NewLimiter(nil), w.agents.Ops(), log.Ops())
	return w
}

func refunds() agents.Passage {
	text := "How refunds work\nYou can return a hammer within 30 days. Refunds are paid to the card that was used, within five working days.\nWe pay the postage."
	return agents.Passage{
		ArticleID: "art_1", Title: "How refunds work", URL: "https://acme.example/help/refunds", Text: text,
		Quotes: []string{"Refunds are paid to the card that was used, within five working days."}, Score: 7, Covered: 1,
	}
}

func (w *world) runTool(_ context.Context, who op.Caller, name string, args []byte) (string, error) {
	use := toolUse{who: who, name: name}
	if err := json.Unmarshal(args, &use.args); err != nil {
		w.t.Errorf("arguments of %s: %v", name, err)
	}
	w.mu.Lock()
	w.used = append(w.used, use)
	w.mu.Unlock()
	if w.tool != nil {
		return w.tool(use)
	}
	return "post_made", nil
}

var alice = op.Caller{Kind: op.Session, Credential: "sess_1", Team: "team_a", Role: op.Owner, Scopes: op.AllScopes, Source: "dashboard", Actor: api.Actor{Type: "user", ID: "usr_1"}}

func as(team string) op.Caller {
	who := alice
	who.Team = team
	return who
}

func member(role op.Role) op.Caller {
	who := alice
	who.Role, who.Scopes = role, role.Scopes()
	return who
}

// call runs an operation with arguments as a client writes them.
func call[Out any](w *world, who op.Caller, name, body string) (Out, *api.Error) {
	row := w.table.Lookup(name)
	if row == nil {
		panic("no operation " + name)
	}
	var out Out
	res, refusal := w.table.Call(context.Background(), op.Request{Op: row, Caller: who, Args: op.Args{Body: []byte(body)}})
	if refusal != nil {
		return out, refusal
	}
	b, err := op.Encode(nil, res.Value)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		w.t.Errorf("%s: %v: %s", name, err, b)
	}
	return out, nil
}

func must[Out any](w *world, name, body string) Out {
	w.t.Helper()
	out, refusal := call[Out](w, alice, name, body)
	if refusal != nil {
		w.t.Fatalf("%s %.200s: %+v", name, body, refusal)
	}
	return out
}

// refused runs an operation that must fail with the code.
func (w *world) refused(who op.Caller, code api.Code, name, body string) *api.Error {
	w.t.Helper()
	_, refusal := call[map[string]any](w, who, name, body)
	if refusal == nil || refusal.Code != code {
		w.t.Fatalf("%s %.200s: want %s, got %+v", name, body, code, refusal)
	}
	return refusal
}

func (w *world) create(members string) api.Agent {
	w.t.Helper()
	w.now = w.now.Add(time.Second)
	return must[api.Agent](w, "agents.create", "{"+members+"}")
}

func (w *world) canned(shortcut, title, body string) api.CannedResponse {
	w.t.Helper()
	raw, err := json.Marshal(api.CannedCreate{Shortcut: shortcut, Title: title, Body: body})
	if err != nil {
		w.t.Fatal(err)
	}
	return must[api.CannedResponse](w, "cannedResponses.create", string(raw))
}

// events are the types of what happened, in order.
func (w *world) events() []string {
	w.t.Helper()
	var types []string
	for _, e := range must[api.Page[api.Event]](w, "events.list", `{"order":"asc","limit":100}`).Data {
		types = append(types, e.Type)
	}
	return types
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
func (w *world) ask(agent string, turns ...string) (api.AgentAnswer, *seen) {
	w.t.Helper()
	s := &seen{}
	q := agents.Question{
		Team: "team_a", AgentID: agent, Caller: op.Caller{RequestID: "req_1"},
		OnStart:   func() { s.starts++ },
		OnDelta:   func(text string) { s.deltas = append(s.deltas, text) },
		OnRestart: func() { s.deltas, s.restarts = nil, s.restarts+1 },
		OnTool:    func(c api.ToolCall) { s.tools = append(s.tools, c.Name+" "+c.State) },
	}
	for i, text := range turns {
		q.Turns = append(q.Turns, agents.Turn{From: []string{"visitor", "agent"}[i%2], Text: text})
	}
	answer, err := w.agents.Answer(w.t.Context(), q)
	if err != nil {
		w.t.Fatal(err)
	}
	if s.text() != answer.Text {
		w.t.Errorf("the visitor saw %q, the answer is %q", s.text(), answer.Text)
	}
	if s.starts != 1 {
		w.t.Errorf("started %d times", s.starts)
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
	w.t.Helper()
	var got []string
	for _, u := range w.used {
		got = append(got, u.name)
	}
	if !slices.Equal(got, names) {
		w.t.Errorf("tools used: %v, want %v", got, names)
	}
}

func (w *world) update(fn func(tx kv.Tx) error) {
	w.t.Helper()
	if err := w.store.Update(w.t.Context(), fn); err != nil {
		w.t.Fatal(err)
	}
}
