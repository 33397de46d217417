package agents

import (
	"context"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Activate makes an agent the one that answers, in place of the one that did.
// An agent that is active already stays as it is.
func (s *Service) Activate(ctx context.Context, who op.Caller, in api.AgentRef) (api.AgentActivated, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (out api.AgentActivated, err error) {
		a, err := agents.Get(tx, who.Team, in.ID)
		if err != nil {
			return out, err
		}
		out.Agent = *a
		if err := op.CheckVersion(in.IfMatch, a.Version); err != nil || a.Active {
			return out, err
		}
		if out.Deactivated, err = s.displace(tx, who); err != nil {
			return out, err
		}
		out.Agent.Active = true
		if err := s.put(tx, who.Team, &out.Agent); err != nil {
			return out, err
		}
		return out, event.Append(s.log, tx, who, activated, &out.Agent, nil)
	})
}

// displace deactivates the agent that is active and names it; nil for none.
func (s *Service) displace(tx kv.Tx, who op.Caller) (*api.AgentTag, error) {
	_, a, err := agents.Find(tx, who.Team, "active", nil)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &api.AgentTag{ID: a.ID, Name: a.Name}, s.rest(tx, who, a)
}

// rest ends an agent's being active.
func (s *Service) rest(tx kv.Tx, who op.Caller, a *api.Agent) error {
	a.Active = false
	if err := s.put(tx, who.Team, a); err != nil {
		return err
	}
	return event.Append(s.log, tx, who, deactivated, a, nil)
}

// Deactivate ends an agent's being active. One that is not stays as it is.
func (s *Service) Deactivate(ctx context.Context, who op.Caller, in api.AgentRef) (api.Agent, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Agent, error) {
		a, err := agents.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Agent{}, err
		}
		if err := op.CheckVersion(in.IfMatch, a.Version); err != nil || !a.Active {
			return *a, err
		}
		err = s.rest(tx, who, a)
		return *a, err
	})
}

// Active returns the agent of a team that is active; ok is false when none is.
// It answers visitors only while its RespondToChats is on.
func (s *Service) Active(tx kv.Tx, team string) (agent api.Agent, ok bool, err error) {
	_, a, err := agents.Find(tx, team, "active", nil)
	if missing(err) {
		return agent, false, nil
	}
	if err != nil {
		return agent, false, err
	}
	return *a, true, nil
}

// Known returns a *kv.NotFoundError unless the team has that agent.
func (s *Service) Known(tx kv.Tx, team, id string) error {
	if ok, err := agents.Exists(tx, team, id); err != nil || ok {
		return err
	}
	return &kv.NotFoundError{Table: agents.Name(), ID: id}
}
