// Package nouns has the nouns that other nouns refer to: an agent links canned
// responses, and a task belongs to an agent. It imports no command.
package nouns

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

// Canned is canned responses.
var Canned = crud.Noun[api.CannedResponse, api.CannedCreate, api.CannedPatch, api.CannedQuery]{
	Name: "canned", Aliases: []string{"canned-response", "canned-responses"}, Kind: "canned response", Short: "Canned responses (needs a session)",
	Example: "refund", Prefix: "can_", By: "shortcut",
	Connect: crud.Member(func(c *sdk.Client) crud.Service[api.CannedResponse, api.CannedCreate, api.CannedPatch, api.CannedQuery] {
		return c.Canned
	}),
	Columns: crud.Columns[api.CannedResponse]("id shortcut title~ variables +body~ +updated=updatedAt"),
	Help:    map[string]string{"shortcut": "what members type to use it, such as refund", "title": "what it is about", "body": "Markdown with {{ variables }}"},
}

// Agent is the agents that answer visitors.
var Agent = crud.Noun[api.Agent, api.AgentCreate, api.AgentPatch, api.PageQuery]{
	Name: "agent", Aliases: []string{"agents"}, Kind: "agent", Short: "Agents that answer visitors (needs a session)",
	Example: "Ada", Prefix: "agt_", By: "name",
	Connect: crud.Member(func(c *sdk.Client) crud.Service[api.Agent, api.AgentCreate, api.AgentPatch, api.PageQuery] {
		return c.Agents
	}),
	Columns: slices.Concat(crud.Columns[api.Agent]("id name~"), []output.Column[api.Agent]{
		{Name: "state", Value: agentState},
		{Name: "model", Value: func(g *api.Agent) string { return g.Model }},
		{Name: "tools", Value: func(g *api.Agent) string { return strings.Join(g.Tools.Names(), " ") }},
		{Name: "canned", Value: func(g *api.Agent) string { return strconv.Itoa(len(g.CannedResponseIDs)) }, Wide: true},
	}, crud.Columns[api.Agent]("+personality~ +updated=updatedAt")),
	Refs: map[string]crud.Lookup{"cannedResponseIds": Canned.Lookup("canned", "canned responses that it may use, by shortcut or id")},
	Help: map[string]string{
		"name": "the agent's name, which visitors see", "personality": "how it speaks", "instructions": "what it should do", "model": "a model of svcctl model list",
		"avatarUrl": "address of the agent's picture", "limits": "limits of what it spends", "guardrails": "a sentence that the agent must keep to",
		"handoffMessage": "what a visitor reads when a person takes over", "respondToChats": "whether it answers visitors while it is active",
		"tools": "which tools are on, all three at once (see svcctl agent tools)",
	},
	Read: readAgent,
}

func agentState(g *api.Agent) string {
	switch {
	case g.Active && g.RespondToChats:
		return "active"
	case g.Active:
		return "active, silent"
	}
	return "inactive"
}

// readAgent turns what an agent's file may say beside the members of the API into
// those: cannedResponses are shortcuts, where ids would tie the file to one team.
// active is for svcctl agent apply.
func readAgent(ctx context.Context, a *kit.App, members map[string]json.RawMessage) error {
	delete(members, "active")
	var shortcuts []string
	raw, ok := members["cannedResponses"]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, &shortcuts); err != nil {
		return &kit.Failure{Exit: kit.ExitInvalid, Code: "invalid_file", Message: "cannedResponses must be a list of shortcuts"}
	}
	delete(members, "cannedResponses")
	ids, err := CannedIDs(ctx, a, shortcuts)
	if err != nil {
		return err
	}
	members["cannedResponseIds"], err = json.Marshal(ids)
	return err
}

// CannedIDs finds the ids of canned responses by their ids or shortcuts.
func CannedIDs(ctx context.Context, a *kit.App, refs []string) ([]string, error) {
	ids := []string{}
	for _, ref := range refs {
		id, err := Canned.ID(ctx, a, ref)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Category is the categories of help articles.
var Category = crud.Noun[api.Category, api.CategoryCreate, api.CategoryPatch, api.CategoryQuery]{
	Name: "category", Under: "help-article", Aliases: []string{"categories"}, Kind: "category", Short: "Categories of help articles",
	Example: "orders", Prefix: "cat_", By: "slug", Argument: "name", IDOnly: true,
	Connect: crud.Keyed(func(c *sdk.Client) crud.Service[api.Category, api.CategoryCreate, api.CategoryPatch, api.CategoryQuery] {
		return c.Categories
	}),
	Columns: crud.Columns[api.Category]("slug~ name~ position id"),
}
