package tasks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// asked is the task as an input words it.
func asked(in *api.TaskCreate) api.Task {
	return api.Task{
		AgentID: in.AgentID, Kind: in.Kind, Name: strings.TrimSpace(in.Name), Description: in.Description,
		InputSchema: in.InputSchema, TimeoutMs: in.TimeoutMs,
		Method: in.Method, URL: in.URL, Headers: in.Headers, Body: in.Body,
		PromptTemplate: in.PromptTemplate, Model: in.Model, UseBrandContext: in.UseBrandContext,
		OutputSchema: in.OutputSchema, MaxOutputTokens: in.MaxOutputTokens,
	}
}

// createRules are the rules of check, for an input that is refused anyway.
func (s *Service) createRules(in api.TaskCreate) []api.FieldError {
	t := asked(&in)
	return append(s.check(&t), newSecrets(t.Headers, nil)...)
}

// Create stores a task.
func (s *Service) Create(ctx context.Context, who op.Caller, in api.TaskCreate) (api.Task, error) {
	now := s.Now()
	r := &record{Task: asked(&in)}
	t := &r.Task
	t.ID, t.CreatedAt, t.UpdatedAt, t.Version = kv.IDAt("task", now), api.TimeOf(now), api.TimeOf(now), 1
	if err := append(s.check(t), newSecrets(t.Headers, nil)...).err(); err != nil {
		return *t, err
	}
	s.sealHeaders(who.Team, r, nil)
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Task, error) {
		err := s.Agent(tx, who.Team, t.AgentID)
		if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
			return *t, api.Invalid("/agentId", "not_found", "agentId names no agent of the team.")
		}
		if err != nil {
			return *t, err
		}
		all, err := table.List(tx, who.Team, kv.Page[record]{Index: "agent", Prefixes: [][]byte{kv.Key(t.AgentID)}, Limit: maxTasks})
		if err != nil {
			return *t, err
		}
		if len(all.IDs) == maxTasks {
			return *t, api.NewError(http.StatusConflict, api.CodeQuotaExceeded, "The agent has %d tasks, which is the most there may be.", maxTasks)
		}
		return *t, table.Insert(tx, who.Team, t.ID, r)
	})
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
func (s *Service) change(ctx context.Context, who op.Caller, ref api.TaskRef, fn func(r *record) error) (api.Task, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Task, error) {
		r, err := table.Get(tx, who.Team, ref.ID)
		if err != nil {
			return api.Task{}, err
		}
		if ref.IfMatch != 0 && ref.IfMatch != r.Task.Version {
			return r.Task, api.NewError(http.StatusPreconditionFailed, api.CodeVersionConflict,
				"The task has version %d now. Get it again and repeat the change.", r.Task.Version)
		}
		if err := fn(r); err != nil {
			return r.Task, err
		}
		r.Task.Version, r.Task.UpdatedAt = r.Task.Version+1, s.now()
		return r.Task, table.Put(tx, who.Team, r.Task.ID, r)
	})
}

// Update changes the members that are sent.
func (s *Service) Update(ctx context.Context, who op.Caller, in api.TaskPatch) (api.Task, error) {
	return s.change(ctx, who, in.TaskRef, func(r *record) error {
		before := r.clone()
		t := &r.Task
		apply(t, &in)
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

func apply(t *api.Task, in *api.TaskPatch) {
	in.Name.Apply(&t.Name)
	in.Description.Apply(&t.Description)
	in.InputSchema.Apply(&t.InputSchema)
	in.TimeoutMs.Apply(&t.TimeoutMs)
	in.Method.Apply(&t.Method)
	in.URL.Apply(&t.URL)
	in.Headers.Apply(&t.Headers)
	in.Body.Apply(&t.Body)
	in.PromptTemplate.Apply(&t.PromptTemplate)
	in.Model.Apply(&t.Model)
	in.UseBrandContext.Apply(&t.UseBrandContext)
	in.OutputSchema.Apply(&t.OutputSchema)
	in.MaxOutputTokens.Apply(&t.MaxOutputTokens)
}

// Delete deletes a task.
func (s *Service) Delete(ctx context.Context, who op.Caller, in api.TaskRef) (api.Task, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Task, error) {
		r, err := table.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Task{}, err
		}
		if in.IfMatch != 0 && in.IfMatch != r.Task.Version {
			return r.Task, api.NewError(http.StatusPreconditionFailed, api.CodeVersionConflict, "The task has version %d now.", r.Task.Version)
		}
		return r.Task, table.Delete(tx, who.Team, in.ID)
	})
}

// DropAgent deletes the tasks of an agent, in the transaction that deletes it.
func (s *Service) DropAgent(tx kv.Tx, team, agentID string) error {
	all, err := table.List(tx, team, kv.Page[record]{Index: "agent", Prefixes: [][]byte{kv.Key(agentID)}, Limit: maxTasks})
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
	if strings.ContainsFunc(in.Key+in.Prefix, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		f.add("/key", "format", "may not have line ends or control characters")
	}
	switch {
	case in.Placement == placementQuery && in.Name == authorization:
		f.add("/name", "required", "a key in the query needs the parameter's name")
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
	return s.change(ctx, who, api.TaskRef{ID: in.ID}, func(r *record) error {
		if r.Task.Kind != api.TaskAPI {
			return api.Invalid("/id", "not_allowed", "an LLM task has no key")
		}
		r.Key = sealed
		r.Task.APIKey = &api.TaskKey{Set: true, Last4: last4(in.Key), Placement: in.Placement, Name: in.Name, Prefix: in.Prefix}
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
