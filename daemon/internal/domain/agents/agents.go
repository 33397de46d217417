// Package agents keeps a team's agents and canned responses, and answers
// visitors with them: it searches the help articles, asks the agent's language
// model, runs the tools that are switched on, and says when a person should take
// over.
//
// It does not know how articles are indexed, what a tool does or where a
// conversation is kept. What visitors, articles and tools say is data to it, and
// it tells the model so.
package agents

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Service is all agents. The function fields are set once, before it is used.
type Service struct {
	// Search returns the help articles that fit a question.
	Search func(ctx context.Context, team string, q search.Query) (search.Results, error)
	// Tool runs the operation of that name (posts.create, posts.image or
	// helpdesk.articles.create) with arguments as JSON and returns what the model
	// and the team are told, such as the id of the draft. Under a key that was used
	// before it makes nothing and returns the same. An *api.Error goes back to the
	// model.
	Tool func(ctx context.Context, who op.Caller, name, key string, args []byte) (result string, err error)
	// Brand returns the name of a team and what may be said about it.
	Brand func(ctx context.Context, team string) (name string, brand api.Brand, err error)
	// Dropped removes what belongs to an agent, in the transaction that deletes
	// it; nil for nothing.
	Dropped func(tx kv.Tx, team, agentID string) error
	// Now is the clock.
	Now func() time.Time

	store  kv.Store
	log    *event.Log
	models *llm.Router
	agents *resource.Collection[api.Agent]
	nonce  func() string // of a prompt's fences; not known to who wrote what they hold
	limit  time.Duration // of one answer with all its calls
}

// New returns the agents kept in store, which answer by models.
func New(store kv.Store, log *event.Log, models *llm.Router) *Service {
	s := &Service{
		Now: time.Now, store: store, log: log, models: models,
		nonce: func() string { return rand.Text()[:16] }, limit: answerLimit,
	}
	s.agents = s.collection()
	return s
}

// Ops are the operations on agents and canned responses. All but the last two
// are for signed-in members only.
func (s *Service) Ops() []op.Op {
	read, write := op.ClassRead, op.ClassWrite
	ops := []op.Op{
		{Name: "agents.duplicate", Session: op.Editor, Class: write, Status: http.StatusCreated, Do: op.Func(s.Duplicate),
			Doc: "Creates an inactive agent with the settings of another."},
		{Name: "agents.activate", Session: op.Editor, Class: write, Do: op.Func(s.Activate),
			Doc: "Makes an agent the one that answers on the widget. Deactivates the previous agent and returns its id."},
		{Name: "agents.deactivate", Frees: true, Session: op.Editor, Class: write, Do: op.Func(s.Deactivate),
			Doc: "Ends an agent's answering on the widget."},
		{Name: "agents.setRespondToChats", Session: op.Editor, Class: write, Do: op.Func(s.SetRespondToChats),
			Doc: "Switches whether an active agent answers visitors."},
		{Name: "agents.setTools", Session: op.Editor, Class: write, Do: op.Func(s.SetTools),
			Doc: "Switches tools of an agent; those not named stay."},
		{Name: "agents.linkCannedResponses", Session: op.Editor, Class: write, Do: op.Func(s.Link),
			Doc: "Lets an agent reuse canned responses."},
		{Name: "agents.unlinkCannedResponse", Session: op.Editor, Class: write, Do: op.Func(s.Unlink),
			Doc: "Ends an agent's use of a canned response."},
		{Name: "agents.previewPrompt", Session: op.Viewer, Class: read, Do: op.Func(s.PreviewPrompt),
			Doc: "Shows the prompt that an agent would send, in its layers."},
		{Name: "agents.testChat", Session: op.Operator, Scope: op.AgentsRun | op.AIUse, Class: op.ClassAI, Do: op.Func(s.TestChat),
			Doc: "Talks to an agent without a visitor. Tools are not run and nothing is kept."},
		{Name: "agents.stats", Session: op.Viewer, Class: read, Do: op.Func(s.Stats),
			Doc: "Counts an agent's answers, handoffs, tokens and ratings."},

		{Name: "cannedResponses.match", Session: op.Viewer, Class: read, Do: op.Func(s.Match),
			Doc: "Finds the canned responses that fit a message, best first."},

		{Name: "agents.available", Scope: op.AgentsRun, Class: read, Do: op.Func(s.Available),
			Tool: "list_agents", Hints: op.Hints{Title: "List agents"},
			Doc: "Lists the team's agents with their models and tools."},
		{Name: "agents.test", Scope: op.AgentsRun | op.AIUse, Class: op.ClassAI, Do: op.Func(s.TestChat),
			Tool: "test_agent", Hints: op.Hints{Title: "Test agent", OpenWorld: true},
			Doc: "Asks an agent as a visitor would. Its tools are not run and nothing is kept."},
	}
	for i := range ops {
		ops[i].Hints.ReadOnly, ops[i].Audit = ops[i].Class == read, ops[i].Class == write
	}
	return slices.Concat(s.rows(), ops, s.cannedOps())
}

func (s *Service) now() api.Time { return api.TimeOf(s.Now()) }

// chooseModel is the first model that a vendor answers for, else the first.
func (s *Service) chooseModel() string {
	models := llm.Models()
	for _, m := range models {
		if s.models.ProviderOf(m.ID) != llm.ProviderOffline {
			return m.ID
		}
	}
	return models[0].ID
}
