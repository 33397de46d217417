package sdk

import (
	"context"
	"iter"

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

// Changes yields what changes in the team as it happens, for who then reads it
// again. The first value, and the first after a lost connection, is api.AnyChange.
// It needs a member's session.
func (s *EventsService) Changes(ctx context.Context) iter.Seq2[api.Change, error] {
	return subscribe[api.Change](ctx, s.t, "events.changes", api.ChangeFeed{})
}
