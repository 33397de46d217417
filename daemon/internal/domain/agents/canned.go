package agents

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"edgesvc.dev/svc/daemon/internal/field"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// cannedResponses keeps canned responses, each under a shortcut of its own.
func (s *Service) cannedResponses() *resource.Collection[api.CannedResponse] {
	return resource.New(s.store, func() time.Time { return s.Now() }, resource.Kind[api.CannedResponse]{
		Table: canned, Index: "c", Prefix: "can", Noun: "canned response", Max: maxCanned,
		Validate: func(_ kv.Tx, _ op.Caller, _, c *api.CannedResponse) error { return checkCanned(c) },
		OnDelete: func(tx kv.Tx, who op.Caller, c *api.CannedResponse) error {
			return s.unlinkEverywhere(tx, who.Team, c.ID)
		},
		Taken: map[string]api.Code{"shortcut": api.CodeShortcutTaken},
	})
}

func (s *Service) cannedOps() []op.Op {
	return resource.Rows[api.CannedResponse, api.CannedCreate, api.CannedPatch](s.cannedResponses(), resource.Offer[api.CannedResponse, api.CannedQuery]{
		Name: "cannedResponses", A: "a canned response", Many: "canned responses", Viewer: op.Viewer, Editor: op.Operator, Audit: true,
		Docs: map[string]string{"delete": "Deletes a canned response and its links to agents."},
		Page: func(q *api.CannedQuery) (p kv.Page[api.CannedResponse], scope string) {
			if wanted := strings.Fields(strings.ToLower(q.Q)); len(wanted) > 0 {
				p.Keep = func(c *api.CannedResponse) bool { return hasAll(c, wanted) }
			}
			return p, q.Q
		},
	})
}

func hasAll(c *api.CannedResponse, wanted []string) bool {
	text := strings.ToLower(c.Shortcut + "\n" + c.Title + "\n" + c.Body)
	return !slices.ContainsFunc(wanted, func(word string) bool { return !strings.Contains(text, word) })
}

// HasCanned reports whether the team has a canned response.
func (s *Service) HasCanned(tx kv.Tx, team, id string) (bool, error) {
	return canned.Exists(tx, team, id)
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
	res, err := canned.List(tx, team, kv.Page[api.CannedResponse]{Index: "c", Limit: maxCanned, Skip: op.Unreadable})
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
		if corrupt, ok := errors.AsType[*kv.CorruptError](err); ok {
			op.Unreadable(corrupt)
			continue
		}
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

// checkCanned refuses what says nothing, and lists the variables.
func checkCanned(c *api.CannedResponse) error {
	var f field.Failures
	if c.Title = strings.TrimSpace(c.Title); c.Title == "" {
		f.Add("/title", "required", "is required")
	}
	if strings.TrimSpace(c.Body) == "" {
		f.Add("/body", "required", "is required")
	}
	c.Variables = []string{}
	for _, found := range variable().FindAllStringSubmatch(c.Body, -1) {
		if !slices.Contains(c.Variables, found[1]) {
			c.Variables = append(c.Variables, found[1])
		}
	}
	return f.Err()
}

// variable is {{ name }} in a body.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}`) })
