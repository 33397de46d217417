// Package event is svcctl event: the team's event log.
package event

import (
	"context"

	"github.com/spf13/cobra"

	"edgesvc.dev/svc/cli/internal/browse"
	"edgesvc.dev/svc/cli/internal/crud"
	"edgesvc.dev/svc/cli/internal/kit"
	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var view = output.View[api.Event]{
	ID: func(e *api.Event) string { return e.ID },
	Columns: []output.Column[api.Event]{
		{Name: "id", Value: func(e *api.Event) string { return e.ID }},
		{Name: "type", Value: func(e *api.Event) string { return e.Type }},
		{Name: "actor", Value: func(e *api.Event) string { return e.Actor.Type }},
		kit.When("age", func(e *api.Event) api.Time { return e.Timestamp }),
		{Name: "actor id", Value: func(e *api.Event) string { return e.Actor.ID }, Wide: true},
	},
}

var list = crud.Lister[api.Event, api.EventQuery]{
	Path: "event", Plural: "what happened, newest first", Example: "--type 'post.*' --since 7d", View: view,
	Help:    map[string]string{"type": "a type, 'post.*' or a category such as @content", "since": "not older than 7d, 3h, or a time", "until": "older than 7d, 3h, or a time"},
	Refs:    map[string]crud.Lookup{"type": {Names: typeNames}},
	Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.Event, api.EventQuery] { return c.Events.List }),
}

// New is the command event.
func New(a *kit.App) *cobra.Command {
	one := crud.ByID[api.Event]{Path: "event", Kind: "event", Example: "evt_01j…", Connect: (*kit.App).Client, Show: show, Names: list.Names}
	get := one.NewGet(a, func(ctx context.Context, c *sdk.Client, id string) (*api.Event, error) { return c.Events.Get(ctx, id) })
	get.Short = "Show one event with its data"
	return kit.Group("event", "The team's event log", []string{"events"}, list.New(a), get, newTypes(a))
}

// show prints an event whole: what matters of it is its data.
func show(a *kit.App, event *api.Event) error {
	p, err := a.Printer()
	if err != nil {
		return err
	}
	return p.Value(event)
}

// Browse is the event log for a screen.
func Browse(a *kit.App) browse.Noun {
	return list.Browse(a, crud.Screen[api.Event]{Title: "Events", Changed: "", Label: func(e *api.Event) string { return e.Type }})
}

// typeNames are the types of event, for completion.
func typeNames(ctx context.Context, a *kit.App) ([]string, error) {
	c, err := a.Client()
	if err != nil {
		return nil, err
	}
	types, err := c.Events.Types(ctx)
	return kit.Each(&api.Page[api.EventType]{Data: types}, err, func(t *api.EventType) string { return t.Type })
}

func newTypes(a *kit.App) *cobra.Command {
	var l kit.ListFlags
	cmd := &cobra.Command{
		Use: "types", Short: "List the types of event", Args: kit.Exactly(), Example: "  svcctl event types -o json --jq '.[].type'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			types, err := c.Events.Types(cmd.Context())
			if err != nil {
				return err
			}
			l.All = true
			return kit.ShowList(a, l, typeView, kit.List(types))
		},
	}
	return cmd
}

var typeView = output.View[api.EventType]{
	ID: func(t *api.EventType) string { return t.Type },
	Columns: []output.Column[api.EventType]{
		{Name: "type", Value: func(t *api.EventType) string { return t.Type }},
		{Name: "category", Value: func(t *api.EventType) string { return t.Category }},
		{Name: "description", Value: func(t *api.EventType) string { return t.Description }, Flex: true},
	},
}
