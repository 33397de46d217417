package tasks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// collection keeps the tasks. Their secrets are sealed before they come to it.
func (s *Service) collection() *resource.Collection[record] {
	return resource.New(s.store, func() time.Time { return s.Now() }, resource.Kind[record]{
		Table: table, Index: "all", Prefix: "task", Noun: "task", Head: func(r *record) resource.Head { return resource.HeadOf(&r.Task.Head) },
		Validate: func(tx kv.Tx, who op.Caller, before, after *record) error {
			if before != nil {
				return nil
			}
			if err := s.admit(tx, who.Team, &after.Task); err != nil {
				return err
			}
			s.sealHeaders(who.Team, after, nil)
			return nil
		},
	})
}

// admit refuses a task of an agent that there is not, or that has enough.
func (s *Service) admit(tx kv.Tx, team string, t *api.Task) error {
	err := s.Agent(tx, team, t.AgentID)
	if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
		return api.Invalid("/agentId", "not_found", "agentId names no agent of the team.")
	}
	if err != nil {
		return err
	}
	all, err := table.List(tx, team, kv.Page[record]{Index: "agent", Prefixes: [][]byte{kv.Key(t.AgentID)}, Limit: maxTasks, Skip: op.Unreadable})
	if err == nil && len(all.IDs) == maxTasks {
		err = api.NewError(http.StatusConflict, api.CodeQuotaExceeded, "The agent has %d tasks, which is the most there may be.", maxTasks)
	}
	return err
}

var (
	asking  = resource.Copier[api.Task, api.TaskCreate]()
	patched = resource.Copier[api.Task, api.TaskPatch]()
)

// asked is the task as an input words it.
func asked(in *api.TaskCreate) (t api.Task) {
	asking(&t, in)
	t.Name = strings.TrimSpace(t.Name)
	return t
}

// createRules are the rules of check, for an input that is refused anyway.
func (s *Service) createRules(in api.TaskCreate) []api.FieldError {
	t := asked(&in)
	return append(s.check(&t), newSecrets(t.Headers, nil)...)
}

// Create stores a task.
func (s *Service) Create(ctx context.Context, who op.Caller, in api.TaskCreate) (api.Task, error) {
	r := record{Task: asked(&in)}
	if err := append(s.check(&r.Task), newSecrets(r.Task.Headers, nil)...).err(); err != nil {
		return r.Task, err
	}
	r, err := s.tasks.Create(ctx, who, r)
	return r.Task, err
}

// newSecrets refuses secret headers without a value where none is kept either.
func newSecrets(headers []api.TaskHeader, kept map[string][]byte) (f fields) {
	for i, h := range headers {
		if h.Secret && h.Value == "" && kept[strings.ToLower(h.Name)] == nil {
			f.add(fmt.Sprintf("/headers/%d/value", i), "required", "a secret header needs its value")
		}
	}
	return f
}

// sealHeaders takes the values of secret headers out of the task and seals them;
// an empty one stays what kept has.
func (s *Service) sealHeaders(team string, r *record, kept map[string][]byte) {
	r.Headers = nil
	r.Task.Headers = slices.Clone(r.Task.Headers)
	for i := range r.Task.Headers {
		h := &r.Task.Headers[i]
		if !h.Secret {
			continue
		}
		name := strings.ToLower(h.Name)
		sealed := kept[name]
		if h.Value != "" {
			sealed = s.box.Seal(place(team, r.Task.ID, headerField(name)), []byte(h.Value))
		}
		if r.Headers == nil {
			r.Headers = map[string][]byte{}
		}
		r.Headers[name], h.Value = sealed, ""
	}
}

// change runs fn on a task and stores what it became.
func (s *Service) change(ctx context.Context, who op.Caller, ref api.Ref, fn func(r *record) error) (api.Task, error) {
	r, err := s.tasks.Change(ctx, who, ref, func(_ kv.Tx, r *record) error { return fn(r) })
	return r.Task, err
}

// Update changes the members that are sent.
func (s *Service) Update(ctx context.Context, who op.Caller, in api.TaskPatch) (api.Task, error) {
	return s.change(ctx, who, in.TaskRef, func(r *record) error {
		before := *r
		t := &r.Task
		patched(t, &in)
		f := s.check(t)
		kept := before.Headers
		if origin(t.URL) != origin(before.Task.URL) {
			// A secret is for the host that it was given for.
			kept, r.Key, t.APIKey = nil, nil, nil
		}
		f = append(f, newSecrets(t.Headers, kept)...)
		if err := f.err(); err != nil {
			return err
		}
		s.sealHeaders(who.Team, r, kept)
		return nil
	})
}

// Delete deletes a task.
func (s *Service) Delete(ctx context.Context, who op.Caller, in api.TaskRef) (api.Task, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Task, error) {
		r, err := s.tasks.DeleteIn(tx, who, in)
		return r.Task, err
	})
}

// DropAgent deletes the tasks of an agent, in the transaction that deletes it.
func (s *Service) DropAgent(tx kv.Tx, team, agentID string) error {
	all, err := table.List(tx, team, kv.Page[record]{Index: "agent", Prefixes: [][]byte{kv.Key(agentID)}, Limit: maxTasks, Skip: op.Unreadable})
	if err != nil {
		return err
	}
	for _, id := range all.IDs {
		if err := table.Delete(tx, team, id); err != nil {
			return err
		}
	}
	return nil
}

// SetKey stores the key of an API task.
func (s *Service) SetKey(ctx context.Context, who op.Caller, in api.TaskSetKey) (api.Task, error) {
	var f fields
	if strings.ContainsFunc(string(in.Key)+in.Prefix, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		f.add("/key", "format", "may not have line ends or control characters")
	}
	switch {
	case in.Placement == placementQuery && in.Name == authorization:
		f.add("/name", "required", "is the name of the parameter that takes the key in the query")
	case in.Placement == placementHeader && (!isToken(in.Name) || slices.Contains(reserved(), http.CanonicalHeaderKey(in.Name))):
		f.add("/name", "format", "is not the name of a header that can be set")
	}
	if err := f.err(); err != nil {
		return api.Task{}, err
	}
	if in.Placement == placementHeader && strings.EqualFold(in.Name, authorization) && in.Prefix == "" {
		in.Prefix = "Bearer "
	}
	sealed := s.box.Seal(place(who.Team, in.ID, keyField), []byte(in.Key))
	return s.change(ctx, who, api.Ref{ID: in.ID}, func(r *record) error {
		if r.Task.Kind != api.TaskAPI {
			return api.Invalid("/id", "not_allowed", "an LLM task has no key")
		}
		r.Key = sealed
		r.Task.APIKey = &api.TaskKey{Set: true, Last4: last4(string(in.Key)), Placement: in.Placement, Name: in.Name, Prefix: in.Prefix}
		return nil
	})
}

const (
	authorization   = "Authorization"
	placementHeader = "header"
	placementQuery  = "query"
)

// last4 tells keys apart; of a short one that would be too much of it.
func last4(key string) string {
	if len(key) < 12 {
		return ""
	}
	return strings.ToValidUTF8(key[len(key)-4:], "")
}

// ClearKey forgets the key of an API task.
func (s *Service) ClearKey(ctx context.Context, who op.Caller, in api.TaskRef) (api.Task, error) {
	return s.change(ctx, who, in, func(r *record) error {
		r.Key, r.Task.APIKey = nil, nil
		return nil
	})
}
