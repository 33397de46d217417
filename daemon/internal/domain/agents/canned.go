package agents

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// ListCanned lists canned responses in the order of their creation.
func (s *Service) ListCanned(ctx context.Context, who op.Caller, in api.CannedQuery) (page api.Page[api.CannedResponse], err error) {
	p := kv.Page[api.CannedResponse]{Index: "c"}
	if wanted := strings.Fields(strings.ToLower(in.Q)); len(wanted) > 0 {
		p.Keep = func(c *api.CannedResponse) bool { return hasAll(c, wanted) }
	}
	err = s.store.View(ctx, func(tx kv.Tx) error {
		page, err = op.List(tx, canned, who.Team, in.Q, in.PageQuery, p, showCanned)
		return err
	})
	return page, err
}

func showCanned(_ string, c *api.CannedResponse) (api.CannedResponse, error) { return *c, nil }

func hasAll(c *api.CannedResponse, wanted []string) bool {
	text := strings.ToLower(c.Shortcut + "\n" + c.Title + "\n" + c.Body)
	return !slices.ContainsFunc(wanted, func(word string) bool { return !strings.Contains(text, word) })
}

// GetCanned returns one canned response.
func (s *Service) GetCanned(ctx context.Context, who op.Caller, in api.CannedRef) (out api.CannedResponse, err error) {
	err = s.store.View(ctx, func(tx kv.Tx) error {
		c, err := canned.Get(tx, who.Team, in.ID)
		if err == nil {
			out = *c
		}
		return err
	})
	return out, err
}

// HasCanned reports whether the team has a canned response.
func (s *Service) HasCanned(tx kv.Tx, team, id string) (bool, error) {
	return canned.Exists(tx, team, id)
}

// CreateCanned stores a canned response under a shortcut of its own.
func (s *Service) CreateCanned(ctx context.Context, who op.Caller, in api.CannedCreate) (api.CannedResponse, error) {
	now := s.Now()
	c := api.CannedResponse{
		ID: kv.IDAt("can", now), Shortcut: in.Shortcut, Title: in.Title, Body: in.Body, Version: 1,
		CreatedAt: api.TimeOf(now), UpdatedAt: api.TimeOf(now),
	}
	if err := settleCanned(&c); err != nil {
		return c, err
	}
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.CannedResponse, error) {
		all, err := everyCanned(tx, who.Team)
		if err != nil {
			return c, err
		}
		if len(all) >= maxCanned {
			return c, quotaExceeded(maxCanned, "canned responses")
		}
		return c, taken(canned.Insert(tx, who.Team, c.ID, &c))
	})
}

// UpdateCanned changes the members that are present.
func (s *Service) UpdateCanned(ctx context.Context, who op.Caller, in api.CannedPatch) (api.CannedResponse, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.CannedResponse, error) {
		before, err := canned.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.CannedResponse{}, err
		}
		if err := op.CheckVersion(in.IfMatch, before.Version); err != nil {
			return *before, err
		}
		c := *before
		in.Shortcut.Apply(&c.Shortcut)
		in.Title.Apply(&c.Title)
		in.Body.Apply(&c.Body)
		if err := settleCanned(&c); err != nil {
			return c, err
		}
		if c.Shortcut == before.Shortcut && c.Title == before.Title && c.Body == before.Body {
			return c, nil
		}
		c.Version, c.UpdatedAt = c.Version+1, s.now()
		return c, taken(canned.Put(tx, who.Team, c.ID, &c))
	})
}

// DeleteCanned removes a canned response, also from the agents that it is
// linked to.
func (s *Service) DeleteCanned(ctx context.Context, who op.Caller, in api.CannedRef) (api.Deleted, error) {
	return op.Update(ctx, s.store, who, func(tx kv.Tx) (api.Deleted, error) {
		c, err := canned.Get(tx, who.Team, in.ID)
		if err != nil {
			return api.Deleted{}, err
		}
		if err := op.CheckVersion(in.IfMatch, c.Version); err != nil {
			return api.Deleted{}, err
		}
		if err := s.unlinkEverywhere(tx, who.Team, in.ID); err != nil {
			return api.Deleted{}, err
		}
		return api.Deleted{ID: in.ID, Deleted: true}, canned.Delete(tx, who.Team, in.ID)
	})
}

func (s *Service) unlinkEverywhere(tx kv.Tx, team, id string) error {
	all, err := everyAgent(tx, team)
	if err != nil {
		return err
	}
	for _, a := range all {
		if !slices.Contains(a.CannedResponseIDs, id) {
			continue
		}
		unlink(a, id)
		if err := s.put(tx, team, a); err != nil {
			return err
		}
	}
	return nil
}

func everyCanned(tx kv.Tx, team string) ([]*api.CannedResponse, error) {
	res, err := canned.List(tx, team, kv.Page[api.CannedResponse]{Index: "c", Limit: maxCanned})
	if err != nil {
		return nil, err
	}
	return res.Records, nil
}

// linkedCanned reads the canned responses of an agent, in the order of their
// links.
func linkedCanned(tx kv.Tx, team string, ids []string) ([]*api.CannedResponse, error) {
	var out []*api.CannedResponse
	for _, id := range ids {
		c, err := canned.Get(tx, team, id)
		if missing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// settleCanned derives what a canned response does not say itself.
func settleCanned(c *api.CannedResponse) error {
	c.Title = strings.TrimSpace(c.Title)
	var bad []api.FieldError
	if c.Title == "" {
		bad = append(bad, api.FieldError{Pointer: "/title", Code: "required", Message: "is required"})
	}
	if strings.TrimSpace(c.Body) == "" {
		bad = append(bad, api.FieldError{Pointer: "/body", Code: "required", Message: "is required"})
	}
	c.Variables = []string{}
	for _, found := range variable().FindAllStringSubmatch(c.Body, -1) {
		if !slices.Contains(c.Variables, found[1]) {
			c.Variables = append(c.Variables, found[1])
		}
	}
	return refuse(bad)
}

// variable is {{ name }} in a body.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}`) })

// taken says which canned response has the shortcut.
func taken(err error) error {
	conflict, ok := errors.AsType[*kv.ConflictError](err)
	if !ok {
		return err
	}
	e := api.NewError(http.StatusConflict, api.CodeShortcutTaken, "Another canned response has this shortcut.")
	e.ExistingID = conflict.ID
	return e
}
