package agents

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// List lists the agents in the order of their creation.
func (s *Service) List(ctx context.Context, who op.Caller, in api.PageQuery) (page api.Page[api.Agent], err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, agents, who.Team, "", in, kv.Page[api.Agent]{Index: "c"},
			func(_ string, a *api.Agent) (api.Agent, error) { return *a, nil })
		return err
	})
	return page, err
}

// Get returns one agent.
func (s *Service) Get(ctx context.Context, who op.Caller, in api.AgentRef) (api.Agent, error) {
	return s.read(ctx, who.Team, in.ID)
}

func (s *Service) read(ctx context.Context, team, id string) (agent api.Agent, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		a, err := agents.Get(tx, team, id)
		if err == nil {
			agent = *a
		}
		return err
	})
	return agent, err
}

// Available lists the agents in short.
func (s *Service) Available(ctx context.Context, who op.Caller, _ api.None) (api.AgentList, error) {
	out := api.AgentList{Data: []api.AgentSummary{}}
	err := s.store.View(ctx, func(tx kv.Tx) error {
		all, err := everyAgent(tx, who.Team)
		for _, a := range all {
			out.Data = append(out.Data, api.AgentSummary{ID: a.ID, Name: a.Name, Active: a.Active, Model: a.Model, Tools: a.Tools.Names()})
		}
		return err
	})
	return out, err
}

// Create stores an agent, inactive.
func (s *Service) Create(ctx context.Context, who op.Caller, in api.AgentCreate) (api.Agent, error) {
	a := api.Agent{
		Name: in.Name, AvatarURL: in.AvatarURL, Personality: in.Personality, Instructions: in.Instructions,
		Model: in.Model, RespondToChats: in.RespondToChats == nil || *in.RespondToChats, Tools: in.Tools,
		CannedResponseIDs: in.CannedResponseIDs, Guardrails: in.Guardrails, HandoffMessage: in.HandoffMessage, Limits: in.Limits,
	}
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Agent, error) { return s.insert(tx, who.Team, a) })
}

// Duplicate stores an inactive agent with the settings of another.
func (s *Service) Duplicate(ctx context.Context, who op.Caller, in api.AgentRef) (api.Agent, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Agent, error) {
		a, err := agents.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Agent{}, err
		}
		if err := op.CheckVersion(in.IfMatch, a.Version); err != nil {
			return *a, err
		}
		again := *a
		again.Active = false
		again.Name = copyName(a.Name)
		return s.insert(tx, who.Team, again)
	})
}

// copyName is a name for a copy, within the limit of names.
func copyName(name string) string {
	const mark = " (copy)"
	if runes := []rune(name); len(runes) > maxName-len(mark) {
		name = string(runes[:maxName-len(mark)])
	}
	return name + mark
}

func (s *Service) insert(tx kv.Tx, team string, a api.Agent) (api.Agent, error) {
	now := s.Now()
	a.ID, a.CreatedAt, a.UpdatedAt, a.Version = kv.IDAt("agt", now), api.TimeOf(now), api.TimeOf(now), 1
	if a.Model == "" {
		a.Model = s.chooseModel()
	}
	if err := s.settle(tx, team, nil, &a); err != nil {
		return a, err
	}
	all, err := everyAgent(tx, team)
	if err != nil {
		return a, err
	}
	if len(all) >= maxAgents {
		return a, quotaExceeded(maxAgents, "agents")
	}
	return a, agents.Insert(tx, team, a.ID, &a)
}

// Update changes the members that are present. When nothing differs afterwards
// the agent keeps its version.
func (s *Service) Update(ctx context.Context, who op.Caller, in api.AgentPatch) (api.Agent, error) {
	return s.change(ctx, who, in.AgentRef, func(a *api.Agent) error {
		in.Name.Apply(&a.Name)
		in.AvatarURL.Apply(&a.AvatarURL)
		in.Personality.Apply(&a.Personality)
		in.Instructions.Apply(&a.Instructions)
		in.Model.Apply(&a.Model)
		in.RespondToChats.Apply(&a.RespondToChats)
		in.Tools.Apply(&a.Tools)
		in.CannedResponseIDs.Apply(&a.CannedResponseIDs)
		in.Guardrails.Apply(&a.Guardrails)
		in.HandoffMessage.Apply(&a.HandoffMessage)
		in.Limits.Apply(&a.Limits)
		return nil
	})
}

// SetRespondToChats switches whether the agent answers while it is active.
func (s *Service) SetRespondToChats(ctx context.Context, who op.Caller, in api.AgentSetChats) (api.Agent, error) {
	return s.change(ctx, who, api.AgentRef{ID: in.ID}, func(a *api.Agent) error {
		a.RespondToChats = in.RespondToChats
		return nil
	})
}

// SetTools switches the tools that are named.
func (s *Service) SetTools(ctx context.Context, who op.Caller, in api.AgentSetTools) (api.Agent, error) {
	return s.change(ctx, who, api.AgentRef{ID: in.ID}, func(a *api.Agent) error {
		for _, t := range []struct {
			to  *bool
			set *bool
		}{{&a.Tools.CreatePost, in.CreatePost}, {&a.Tools.PostImage, in.PostImage}, {&a.Tools.CreateArticle, in.CreateArticle}} {
			if t.set != nil {
				*t.to = *t.set
			}
		}
		return nil
	})
}

// Link adds canned responses to those that the agent may reuse.
func (s *Service) Link(ctx context.Context, who op.Caller, in api.AgentLink) (api.Agent, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Agent, error) {
		if _, err := agents.Get(tx, who.Team, in.ID); err != nil {
			return api.Agent{}, err
		}
		if err := checkLinks(tx, who.Team, in.CannedResponseIDs); err != nil {
			return api.Agent{}, err
		}
		return s.edit(tx, who, api.AgentRef{ID: in.ID}, func(a *api.Agent) error {
			a.CannedResponseIDs = append(slices.Clone(a.CannedResponseIDs), in.CannedResponseIDs...)
			return nil
		})
	})
}

// Unlink removes one link. It is no failure when there is none.
func (s *Service) Unlink(ctx context.Context, who op.Caller, in api.AgentUnlink) (api.Agent, error) {
	return s.change(ctx, who, api.AgentRef{ID: in.ID}, func(a *api.Agent) error {
		unlink(a, in.CannedResponseID)
		return nil
	})
}

func unlink(a *api.Agent, id string) {
	a.CannedResponseIDs = slices.DeleteFunc(slices.Clone(a.CannedResponseIDs), func(linked string) bool { return linked == id })
}

// change edits one agent in a transaction of its own.
func (s *Service) change(ctx context.Context, who op.Caller, ref api.AgentRef, alter func(*api.Agent) error) (api.Agent, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Agent, error) { return s.edit(tx, who, ref, alter) })
}

// edit lets alter change an agent and stores what came of it. alter replaces
// lists and never writes into those that it finds.
func (s *Service) edit(tx kv.Tx, who op.Caller, ref api.AgentRef, alter func(*api.Agent) error) (api.Agent, error) {
	before, err := agents.Get(tx, who.Team, ref.ID)
	if err != nil {
		return api.Agent{}, err
	}
	if err := op.CheckVersion(ref.IfMatch, before.Version); err != nil {
		return *before, err
	}
	after := *before
	if err := alter(&after); err != nil {
		return *before, err
	}
	if err := s.settle(tx, who.Team, before, &after); err != nil {
		return *before, err
	}
	if reflect.DeepEqual(before, &after) {
		return after, nil
	}
	return after, s.put(tx, who.Team, &after)
}

// put stores a changed agent as its next version.
func (s *Service) put(tx kv.Tx, team string, a *api.Agent) error {
	a.Version++
	a.UpdatedAt = s.now()
	return agents.Put(tx, team, a.ID, a)
}

// Delete removes an agent, its counters, and its being active.
func (s *Service) Delete(ctx context.Context, who op.Caller, in api.AgentRef) (api.Deleted, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Deleted, error) {
		a, err := agents.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Deleted{}, err
		}
		if err := op.CheckVersion(in.IfMatch, a.Version); err != nil {
			return api.Deleted{}, err
		}
		if s.Dropped != nil {
			if err := s.Dropped(tx, who.Team, in.ID); err != nil {
				return api.Deleted{}, err
			}
		}
		if err := agents.Delete(tx, who.Team, in.ID); err != nil {
			return api.Deleted{}, err
		}
		if err := counters.Delete(tx, who.Team, in.ID); err != nil && !missing(err) {
			return api.Deleted{}, err
		}
		if a.Active {
			a.Active = false
			err = event.Append(s.log, tx, who, deactivated, a, nil)
		}
		return api.Deleted{ID: in.ID, Deleted: true}, err
	})
}

// trimmed are the sentences of a list that say something.
func trimmed(list []string) []string {
	out := []string{}
	for _, line := range list {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
