package event

import (
	"context"
	"net/http"
	"sync"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Ops are the operations of the log. Events hold what every domain's objects
// hold, so reading them takes the scope that could send all of them to an
// endpoint of its own anyway; the list of types is no secret of any team.
func (l *Log) Ops() []op.Op {
	list := sync.OnceValues(l.described)
	return []op.Op{
		{Name: "events.list", Method: "GET", Path: "/events", Scope: op.WebhooksManage, Do: op.Func(l.List),
			Doc: "Lists the team's events of the last 90 days, filtered by type, noun.* or @category, and by time."},
		{Name: "events.get", Method: "GET", Path: "/events/{id}", Scope: op.WebhooksManage, Do: op.Func(l.Get),
			Doc: "Returns one event."},
		{Name: "events.types", Method: "GET", Path: "/event-types",
			Do:  op.Func(func(context.Context, op.Caller, api.None) (api.EventTypeList, error) { return list() }),
			Doc: "Lists every type of event with the JSON Schema of its object."},
	}
}

// List returns one page of the caller's team's events.
func (l *Log) List(ctx context.Context, who op.Caller, q api.EventQuery) (page api.Page[api.Event], err error) {
	if q.Type != "" && !l.Known(q.Type) {
		return page, unknownType(q.Type)
	}
	p := kv.Page[record]{Index: "t"}
	if !q.Since.IsZero() {
		p.From = timeKey(q.Since)
	}
	if !q.Until.IsZero() {
		p.To = timeKey(q.Until)
	}
	if q.Type != "" {
		p.Keep = func(r *record) bool { return l.Match(q.Type, r.Type) }
	}
	if q.PersonID != "" {
		p.Index, p.Prefixes = "p", [][]byte{kv.Key(q.PersonID)}
	}
	scope := q.PersonID + "\x00" + q.Type + "\x00" + q.Since.String() + "\x00" + q.Until.String()
	err = l.store.View(ctx, func(tx kv.Tx) (err error) {
		page, err = op.List(tx, events, who.Team, scope, q.PageQuery, p, func(id string, r *record) (api.Event, error) {
			return l.event(r, who.Team, id), nil
		})
		return err
	})
	return page, err
}

func unknownType(pattern string) error {
	e := api.NewError(http.StatusBadRequest, api.CodeInvalidParameter,
		"There is no event type %q. GET /event-types lists them; noun.* and @category select several.", pattern)
	e.Errors = []api.FieldError{{Pointer: "type", Code: "unknown_event_type", Message: "is not a type, noun.* or @category"}}
	return e
}

// Get returns one event of the caller's team.
func (l *Log) Get(ctx context.Context, who op.Caller, in api.EventRef) (e api.Event, err error) {
	at, _, ok := parseEventID(in.ID)
	if !ok {
		return e, &kv.NotFoundError{Table: events.Name(), ID: in.ID}
	}
	p := kv.Page[record]{Index: "t", From: timeKey(at), To: timeKey(at + 1), Limit: 100, Skip: op.Unreadable}
	err = l.store.View(ctx, func(tx kv.Tx) error {
		for more := true; more; {
			res, err := events.List(tx, who.Team, p)
			if err != nil {
				return err
			}
			for i, r := range res.Records {
				if e = l.event(r, who.Team, res.IDs[i]); e.ID == in.ID {
					return nil
				}
			}
			p.After, more = res.Next, res.More
		}
		e = api.Event{}
		return &kv.NotFoundError{Table: events.Name(), ID: in.ID}
	})
	return e, err
}
