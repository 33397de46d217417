package sdk

import (
	"context"
	"iter"

	"edgesvc.dev/svc/sdk/api"
)

// EventsService reads the team's event log.
type EventsService struct{ t *transport }

// List returns one page of events.
func (s *EventsService) List(ctx context.Context, q api.EventQuery, options ...CallOption) (*api.Page[api.Event], error) {
	return do[api.Page[api.Event]](ctx, s.t, route{"GET", v1 + "/events", "data"}, q, options)
}

// All yields the events of every page.
func (s *EventsService) All(ctx context.Context, q api.EventQuery, options ...CallOption) iter.Seq2[*api.Event, error] {
	return all(q.PageQuery, func(page api.PageQuery) (*api.Page[api.Event], error) {
		q.PageQuery = page
		return s.List(ctx, q, options...)
	})
}

// Get returns one event.
func (s *EventsService) Get(ctx context.Context, id string, options ...CallOption) (*api.Event, error) {
	return do[api.Event](ctx, s.t, route{"GET", v1 + "/events/{id}", "id"}, api.EventRef{ID: id}, options)
}

// Types lists the types of event with the JSON Schema of each.
func (s *EventsService) Types(ctx context.Context, options ...CallOption) ([]api.EventType, error) {
	list, err := do[api.EventTypeList](ctx, s.t, route{"GET", v1 + "/event-types", "data"}, nil, options)
	if err != nil {
		return nil, err
	}
	return list.Data, nil
}
