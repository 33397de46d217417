// Package find turns a name into the object that it means, for the commands that
// refer to objects of another noun. It imports no noun.
package find

import (
	"context"
	"strings"

	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Agent finds an agent by its id or name.
func Agent(ctx context.Context, d *sdk.Client, ref string) (*api.Agent, error) {
	if strings.HasPrefix(ref, "agt_") {
		return d.Agents.Get(ctx, ref)
	}
	g, err := AgentNamed(ctx, d, ref)
	if err == nil && g == nil {
		err = &kit.Failure{Exit: kit.ExitNotFound, Code: "not_found", Message: "there is no agent " + ref, Hint: "svcctl agent list"}
	}
	return g, err
}

// AgentNamed is the only agent of that name, nil for none.
func AgentNamed(ctx context.Context, d *sdk.Client, name string) (found *api.Agent, err error) {
	for g, err := range d.Agents.All(ctx, api.PageQuery{Limit: 100}) {
		switch {
		case err != nil:
			return nil, err
		case g.Name == name && found != nil:
			return nil, kit.Usage("several agents are named %s; use an id", name)
		case g.Name == name:
			found = g
		}
	}
	return found, nil
}

// CannedIDs finds the ids of canned responses by their ids or shortcuts.
func CannedIDs(ctx context.Context, d *sdk.Client, refs []string) ([]string, error) {
	ids := []string{}
	for _, ref := range refs {
		c, err := Canned(ctx, d, ref)
		if err != nil {
			return nil, err
		}
		ids = append(ids, c.ID)
	}
	return ids, nil
}

// Canned finds a canned response by its id or shortcut.
func Canned(ctx context.Context, d *sdk.Client, ref string) (*api.CannedResponse, error) {
	if strings.HasPrefix(ref, "can_") {
		return d.Canned.Get(ctx, ref)
	}
	for c, err := range d.Canned.All(ctx, api.CannedQuery{PageQuery: api.PageQuery{Limit: 100}, Q: ref}) {
		if err != nil {
			return nil, err
		}
		if c.Shortcut == ref {
			return c, nil
		}
	}
	return nil, &kit.Failure{Exit: kit.ExitNotFound, Code: "not_found", Message: "there is no saved reply " + ref, Hint: "svcctl canned list"}
}
