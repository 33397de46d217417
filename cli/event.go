package cli

import (
	"context"

	"edgesvc.dev/svc/cli/internal/output"
	"edgesvc.dev/svc/sdk/api"
	"github.com/spf13/cobra"
)

var eventView = output.View[api.Event]{
	ID: func(e *api.Event) string { return e.ID },
	Columns: []output.Column[api.Event]{
		{Name: "id", Value: func(e *api.Event) string { return e.ID }},
		{Name: "type", Value: func(e *api.Event) string { return e.Type }},
		{Name: "actor", Value: func(e *api.Event) string { return e.Actor.Type }},
		when("age", func(e *api.Event) api.Time { return e.Timestamp }),
		{Name: "actor id", Value: func(e *api.Event) string { return e.Actor.ID }, Wide: true},
	},
}

func newEvent(a *app) *cobra.Command {
	return group("event", "The team's event log", []string{"events"}, newEventList(a), newEventGet(a), newEventTypes(a))
}

type eventList struct {
	app   *app
	list  listFlags
	kind  string
	since string
}

func newEventList(a *app) *cobra.Command {
	o := &eventList{app: a}
	cmd := &cobra.Command{
		Use: "list", Short: "List what happened, newest first", Aliases: []string{"ls"}, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	o.list.add(cmd)
	cmd.Flags().StringVar(&o.kind, "type", "", "a type, 'post.*' or a category such as @content")
	cmd.Flags().StringVar(&o.since, "since", "", "not older than 7d, 3h, or a time")
	return cmd
}

func (o *eventList) run(ctx context.Context) error {
	since, err := parseSince(o.since)
	if err != nil {
		return err
	}
	c, err := o.app.client()
	if err != nil {
		return err
	}
	q := api.EventQuery{PageQuery: o.list.page(), Type: o.kind, Since: since}
	return showList(o.app, o.list, eventView, c.Events.All(ctx, q))
}

func newEventGet(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "get ID", Short: "Show one event with its data", Args: exactly("the event's id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			event, err := c.Events.Get(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			p, err := a.printer()
			if err != nil {
				return err
			}
			return p.Value(event)
		},
	}
}

func newEventTypes(a *app) *cobra.Command {
	var l listFlags
	cmd := &cobra.Command{
		Use: "types", Short: "List the types of event", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.client()
			if err != nil {
				return err
			}
			types, err := c.Events.Types(cmd.Context())
			if err != nil {
				return err
			}
			l.all = true
			return showList(a, l, eventTypeView, list(types))
		},
	}
	return cmd
}

var eventTypeView = output.View[api.EventType]{
	ID: func(t *api.EventType) string { return t.Type },
	Columns: []output.Column[api.EventType]{
		{Name: "type", Value: func(t *api.EventType) string { return t.Type }},
		{Name: "category", Value: func(t *api.EventType) string { return t.Category }},
		{Name: "description", Value: func(t *api.EventType) string { return t.Description }, Flex: true},
	},
}
