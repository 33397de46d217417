package tuitest

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Agents answers what was recorded.
type Agents struct {
	Page   api.Page[api.Agent]
	Refuse error
	Calls  []string
}

// List answers as the daemon would.
func (f *Agents) List(context.Context, api.PageQuery, ...sdk.CallOption) (*api.Page[api.Agent], error) {
	page := f.Page
	return &page, f.Refuse
}

func (f *Agents) edit(id string, change func(*api.Agent)) (*api.Agent, error) {
	for _, a := range f.Page.Data {
		if a.ID == id {
			change(&a)
			return &a, nil
		}
	}
	return nil, api.NewError(404, api.CodeNotFound, "there is no such agent")
}

// Activate answers as the daemon would.
func (f *Agents) Activate(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.AgentActivated, error) {
	f.Calls = append(f.Calls, "activate "+ref.ID)
	a, err := f.edit(ref.ID, func(a *api.Agent) { a.Active = true })
	if err != nil {
		return nil, err
	}
	return &api.AgentActivated{Agent: *a, Deactivated: &api.AgentTag{ID: "agent_1", Name: "Nova"}}, nil
}

// Deactivate answers as the daemon would.
func (f *Agents) Deactivate(_ context.Context, ref api.Ref, _ ...sdk.CallOption) (*api.Agent, error) {
	f.Calls = append(f.Calls, "deactivate "+ref.ID)
	return f.edit(ref.ID, func(a *api.Agent) { a.Active = false })
}

// SetRespondToChats answers as the daemon would.
func (f *Agents) SetRespondToChats(_ context.Context, in api.AgentSetChats, _ ...sdk.CallOption) (*api.Agent, error) {
	return f.edit(in.ID, func(a *api.Agent) { a.RespondToChats = in.RespondToChats })
}

// SetTools answers as the daemon would.
func (f *Agents) SetTools(_ context.Context, in api.AgentSetTools, _ ...sdk.CallOption) (*api.Agent, error) {
	return f.edit(in.ID, func(a *api.Agent) {
		for _, t := range []struct {
			on  *bool
			set *bool
		}{{in.CreatePost, &a.Tools.CreatePost}, {in.PostImage, &a.Tools.PostImage}, {in.CreateArticle, &a.Tools.CreateArticle}} {
			if t.on != nil {
				*t.set = *t.on
			}
		}
	})
}

// Update answers as the daemon would.
func (f *Agents) Update(_ context.Context, in api.AgentPatch, _ ...sdk.CallOption) (*api.Agent, error) {
	return f.edit(in.ID, func(a *api.Agent) { in.Instructions.Apply(&a.Instructions) })
}

// Tasks replays Runs at each test-run.
type Tasks struct {
	Page  api.Page[api.Task]
	Runs  []api.TaskEvent
	Calls []string
}

// List answers as the daemon would.
func (f *Tasks) List(context.Context, api.TaskQuery, ...sdk.CallOption) (*api.Page[api.Task], error) {
	page := f.Page
	return &page, nil
}

// TestRun answers as the daemon would.
func (f *Tasks) TestRun(_ context.Context, in api.TaskTest) iter.Seq2[api.TaskEvent, error] {
	f.Calls = append(f.Calls, in.Mode+" "+in.ID)
	return Replayed(f.Runs)
}
