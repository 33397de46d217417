package agents

import (
	"context"
	"slices"
	"strings"
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// collection keeps the agents.
func (s *Service) collection() *resource.Collection[api.Agent] {
	return resource.New(s.store, func() time.Time { return s.Now() }, resource.Kind[api.Agent]{
		Table: agents, Index: "c", Prefix: "agt", Noun: "agent", Max: maxAgents,
		Validate: func(tx kv.Tx, who op.Caller, before, after *api.Agent) error {
			if before == nil && after.Model == "" {
				after.Model = s.chooseModel()
			}
			return s.settle(tx, who.Team, before, after)
		},
		OnDelete: s.dropped,
	})
}

func (s *Service) rows() []op.Op {
	return resource.Rows[api.Agent, api.AgentCreate, api.AgentPatch](s.agents, resource.Offer[api.Agent, api.PageQuery]{
		Name: "agents", A: "an agent", Viewer: op.Viewer, Editor: op.Editor, Audit: true,
		New: func() api.Agent { return api.Agent{RespondToChats: true} },
		Docs: map[string]string{
			"list":   "Lists the team's agents.",
			"create": "Creates an agent, inactive.",
			"delete": "Deletes an agent; an active one ceases to answer.",
		},
	})
}

// Create stores an agent, inactive.
func (s *Service) Create(ctx context.Context, who op.Caller, a api.Agent) (api.Agent, error) {
	return s.agents.Create(ctx, who, a)
}

// dropped removes an agent's counters, what others keep for it, and its being
// active.
func (s *Service) dropped(tx kv.Tx, who op.Caller, a *api.Agent) error {
	if s.Dropped != nil {
		if err := s.Dropped(tx, who.Team, a.ID); err != nil {
			return err
		}
	}
	if err := counters.Delete(tx, who.Team, a.ID); err != nil && !missing(err) {
		return err
	}
	if !a.Active {
		return nil
	}
	a.Active = false
	return event.Append(s.log, tx, who, deactivated, a, nil)
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
		return s.agents.CreateIn(tx, who, again)
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

// SetRespondToChats switches whether the agent answers while it is active.
func (s *Service) SetRespondToChats(ctx context.Context, who op.Caller, in api.AgentSetChats) (api.Agent, error) {
	return s.agents.Change(ctx, who, api.Ref{ID: in.ID}, func(_ kv.Tx, a *api.Agent) error {
		a.RespondToChats = in.RespondToChats
		return nil
	})
}

// SetTools switches the tools that are named.
func (s *Service) SetTools(ctx context.Context, who op.Caller, in api.AgentSetTools) (api.Agent, error) {
	return s.agents.Change(ctx, who, api.Ref{ID: in.ID}, func(_ kv.Tx, a *api.Agent) error {
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
		return s.agents.ChangeIn(tx, who, api.Ref{ID: in.ID}, func(_ kv.Tx, a *api.Agent) error {
			a.CannedResponseIDs = append(slices.Clone(a.CannedResponseIDs), in.CannedResponseIDs...)
			return nil
		})
	})
}

// Unlink removes one link. It is no failure when there is none.
func (s *Service) Unlink(ctx context.Context, who op.Caller, in api.AgentUnlink) (api.Agent, error) {
	return s.agents.Change(ctx, who, api.Ref{ID: in.ID}, func(_ kv.Tx, a *api.Agent) error {
		unlink(a, in.CannedResponseID)
		return nil
	})
}

func unlink(a *api.Agent, id string) {
	a.CannedResponseIDs = slices.DeleteFunc(slices.Clone(a.CannedResponseIDs), func(linked string) bool { return linked == id })
}

// put stores a changed agent as its next version.
func (s *Service) put(tx kv.Tx, team string, a *api.Agent) error {
	a.Version++
	a.UpdatedAt = s.now()
	return agents.Put(tx, team, a.ID, a)
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
