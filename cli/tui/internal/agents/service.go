// Package agents is the screen of the AI agents: their tools, their tasks, and test-runs.
package agents

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Service is what the screen does with agents; *sdk.AgentsService is one.
type Service interface {
	List(ctx context.Context, q api.PageQuery, options ...sdk.CallOption) (*api.Page[api.Agent], error)
	Activate(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.AgentActivated, error)
	Deactivate(ctx context.Context, ref api.Ref, options ...sdk.CallOption) (*api.Agent, error)
	SetRespondToChats(ctx context.Context, in api.AgentSetChats, options ...sdk.CallOption) (*api.Agent, error)
	SetTools(ctx context.Context, in api.AgentSetTools, options ...sdk.CallOption) (*api.Agent, error)
	Update(ctx context.Context, patch api.AgentPatch, options ...sdk.CallOption) (*api.Agent, error)
}

// Tasks is what the screen does with an agent's tasks; *sdk.TasksService is one.
type Tasks interface {
	List(ctx context.Context, q api.TaskQuery, options ...sdk.CallOption) (*api.Page[api.Task], error)
	TestRun(ctx context.Context, in api.TaskTest) iter.Seq2[api.TaskEvent, error]
}
