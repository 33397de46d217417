package sdk

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// AgentsService manages the agents that answer visitors.
type AgentsService struct{ t *transport }

// List returns one page of agents.
func (s *AgentsService) List(ctx context.Context, q api.PageQuery, options ...CallOption) (*api.Page[api.Agent], error) {
	return do[api.Page[api.Agent]](ctx, s.t, operation("agents.list", "data"), q, options)
}

// All yields the agents of every page.
func (s *AgentsService) All(ctx context.Context, q api.PageQuery, options ...CallOption) iter.Seq2[*api.Agent, error] {
	return all(q, func(page api.PageQuery) (*api.Page[api.Agent], error) { return s.List(ctx, page, options...) })
}

// Get returns an agent.
func (s *AgentsService) Get(ctx context.Context, id string, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "agents.get", api.AgentRef{ID: id}, options)
}

// Create makes an agent, inactive.
func (s *AgentsService) Create(ctx context.Context, in api.AgentCreate, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "agents.create", in, options)
}

// Update changes the members of an agent that are set in patch.
func (s *AgentsService) Update(ctx context.Context, id string, patch api.AgentPatch, options ...CallOption) (*api.Agent, error) {
	patch.ID = id
	return s.one(ctx, "agents.update", patch, options)
}

// Duplicate makes an inactive agent with the settings of another.
func (s *AgentsService) Duplicate(ctx context.Context, id string, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "agents.duplicate", api.AgentRef{ID: id}, options)
}

// Delete deletes an agent; an active one ceases to answer.
func (s *AgentsService) Delete(ctx context.Context, id string, options ...CallOption) error {
	_, err := do[api.Deleted](ctx, s.t, operation("agents.delete", "id"), api.AgentRef{ID: id}, options)
	return err
}

// Activate makes an agent the one that answers. The answer names the agent that
// did before.
func (s *AgentsService) Activate(ctx context.Context, id string, options ...CallOption) (*api.AgentActivated, error) {
	return do[api.AgentActivated](ctx, s.t, operation("agents.activate", "agent"), api.AgentRef{ID: id}, options)
}

// Deactivate ends an agent's answering.
func (s *AgentsService) Deactivate(ctx context.Context, id string, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "agents.deactivate", api.AgentRef{ID: id}, options)
}

// SetRespondToChats switches whether the agent answers while it is active.
func (s *AgentsService) SetRespondToChats(ctx context.Context, in api.AgentSetChats, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "agents.setRespondToChats", in, options)
}

// SetTools switches the tools that are not nil.
func (s *AgentsService) SetTools(ctx context.Context, in api.AgentSetTools, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "agents.setTools", in, options)
}

// LinkCanned lets an agent reuse canned responses.
func (s *AgentsService) LinkCanned(ctx context.Context, in api.AgentLink, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "agents.linkCannedResponses", in, options)
}

// UnlinkCanned ends the use of a canned response.
func (s *AgentsService) UnlinkCanned(ctx context.Context, in api.AgentUnlink, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "agents.unlinkCannedResponse", in, options)
}

// PreviewPrompt shows what an agent would send to its model.
func (s *AgentsService) PreviewPrompt(ctx context.Context, in api.AgentPreview, options ...CallOption) (*api.PromptPreview, error) {
	return do[api.PromptPreview](ctx, s.t, operation("agents.previewPrompt", "prompt"), in, options)
}

// TestChat has an agent answer, without a visitor. Nothing is kept.
func (s *AgentsService) TestChat(ctx context.Context, in api.AgentTestChat, options ...CallOption) (*api.AgentAnswer, error) {
	return do[api.AgentAnswer](ctx, s.t, operation("agents.testChat", "text"), in, options)
}

// Stats counts an agent's work.
func (s *AgentsService) Stats(ctx context.Context, id string, options ...CallOption) (*api.AgentStats, error) {
	return do[api.AgentStats](ctx, s.t, operation("agents.stats", "answers"), api.AgentRef{ID: id}, options)
}

func (s *AgentsService) one(ctx context.Context, name string, in any, options []CallOption) (*api.Agent, error) {
	return do[api.Agent](ctx, s.t, operation(name, "id"), in, options)
}
