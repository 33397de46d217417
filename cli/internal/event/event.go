// Package event is svcctl event: the team's event log.
package event

import (
	"github.com/spf13/cobra"

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

// New is the command event.
func New(a *kit.App) *cobra.Command {
	return kit.Group("event", "The team's event log", []string{"events"}, newList(a), newGet(a), newTypes(a))
}

func newList(a *kit.App) *cobra.Command {
	list := crud.Lister[api.Event, api.EventQuery]{
		Path: "event", Plural: "what happened, newest first", Example: "--type 'post.*' --since 7d", View: view,
		Help:    map[string]string{"type": "a type, 'post.*' or a category such as @content", "since": "not older than 7d, 3h, or a time", "until": "older than 7d, 3h, or a time"},
		Connect: crud.Keyed(func(c *sdk.Client) crud.Pages[api.Event, api.EventQuery] { return c.Events.List }),
	}
	return list.New(a)
}

func newGet(a *kit.App) *cobra.Command {
	return &cobra.Command{
		Use: "get ID", Short: "Show one event with its data", Args: kit.Exactly("the event's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Client()
			if err != nil {
				return err
			}
			event, err := c.Events.Get(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			p, err := a.Printer()
			if err != nil {
				return err
			}
			return p.Value(event)
		},
	}
}

func newTypes(a *kit.App) *cobra.Command {
	var l kit.ListFlags
	cmd := &cobra.Command{
		Use: "types", Short: "List the types of event", Args: kit.Exactly(),
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
