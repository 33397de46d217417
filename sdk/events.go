package sdk

import (
	"context"

	"edgesvc.dev/svc/sdk/api"
)

// EventsService reads the team's event log.
type EventsService struct {
	Lister[api.Event, api.EventQuery]
}

// Get returns one event.
func (s *EventsService) Get(ctx context.Context, id string, options ...CallOption) (*api.Event, error) {
	return do[api.Event](ctx, s.t, "events.get", api.Ref{ID: id}, options)
}

// Types lists the types of event with the JSON Schema of each.
func (s *EventsService) Types(ctx context.Context, options ...CallOption) ([]api.EventType, error) {
	list, err := do[api.EventTypeList](ctx, s.t, "events.types", nil, options)
	if err != nil {
		return nil, err
	}
	return list.Data, nil
}
