package sdk

import (
	"context"

	"edgesvc.dev/svc/sdk/api"
)

// AgentsService manages the agents that answer visitors, in a member's session.
// Create makes an inactive agent; deleting an active one ends its answering.
type AgentsService struct {
	Resource[api.Agent, api.AgentCreate, api.AgentPatch, api.PageQuery]
}

// Duplicate makes an inactive agent with the settings of another.
func (s *AgentsService) Duplicate(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "duplicate", ref, options)
}

// Activate makes an agent the one that answers. The answer names the agent that
// did before.
func (s *AgentsService) Activate(ctx context.Context, ref api.Ref, options ...CallOption) (*api.AgentActivated, error) {
	return do[api.AgentActivated](ctx, s.t, "agents.activate", ref, options)
}

// Deactivate ends an agent's answering.
func (s *AgentsService) Deactivate(ctx context.Context, ref api.Ref, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "deactivate", ref, options)
}

// SetRespondToChats switches whether the agent answers while it is active.
func (s *AgentsService) SetRespondToChats(ctx context.Context, in api.AgentSetChats, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "setRespondToChats", in, options)
}

// SetTools switches the tools that are not nil.
func (s *AgentsService) SetTools(ctx context.Context, in api.AgentSetTools, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "setTools", in, options)
}

// LinkCanned lets an agent reuse canned responses.
func (s *AgentsService) LinkCanned(ctx context.Context, in api.AgentLink, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "linkCannedResponses", in, options)
}

// UnlinkCanned ends the use of a canned response.
func (s *AgentsService) UnlinkCanned(ctx context.Context, in api.AgentUnlink, options ...CallOption) (*api.Agent, error) {
	return s.one(ctx, "unlinkCannedResponse", in, options)
}

// PreviewPrompt shows what an agent would send to its model.
func (s *AgentsService) PreviewPrompt(ctx context.Context, in api.AgentPreview, options ...CallOption) (*api.PromptPreview, error) {
	return do[api.PromptPreview](ctx, s.t, "agents.previewPrompt", in, options)
}

// TestChat has an agent answer, without a visitor. Nothing is kept.
func (s *AgentsService) TestChat(ctx context.Context, in api.AgentTestChat, options ...CallOption) (*api.AgentAnswer, error) {
	return do[api.AgentAnswer](ctx, s.t, "agents.testChat", in, options)
}

// Stats counts an agent's work.
func (s *AgentsService) Stats(ctx context.Context, id string, options ...CallOption) (*api.AgentStats, error) {
	return do[api.AgentStats](ctx, s.t, "agents.stats", api.Ref{ID: id}, options)
}

// CannedService manages canned responses, in a member's session. A shortcut is
// unique in the team; deleting a canned response unlinks it from agents.
type CannedService struct {
	Resource[api.CannedResponse, api.CannedCreate, api.CannedPatch, api.CannedQuery]
}

// Match finds the canned responses that fit a message, best first.
func (s *CannedService) Match(ctx context.Context, in api.CannedMatch, options ...CallOption) (*api.CannedMatches, error) {
	return do[api.CannedMatches](ctx, s.t, "cannedResponses.match", in, options)
}
