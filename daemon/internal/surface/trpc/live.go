package trpc

import (
	"context"
	"sync"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/superjson"
	"edgesvc.dev/svc/sdk/api"
)

// maxLive bounds the subscriptions that one session has open at a time.
const maxLive = 32

// followers counts open subscriptions by session.
type followers struct {
	mu   sync.Mutex // guards open
	open map[string]int
}

// enter takes a place of a session, or refuses; the place is to be left.
func (l *followers) enter(session string) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[session] >= maxLive {
		e := api.NewError(429, api.CodeRateLimited, "A session can follow %d things at once.", maxLive)
		e.RetryAfter = 5
		return nil, e
	}
	l.open[session]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.open[session]--; l.open[session] == 0 {
			delete(l.open, session)
		}
	}, nil
}

// subscription is the procedure of a stream.
func (h *Handler) subscription(row *op.Stream) *Procedure {
	shape := superjson.ShapeOf(row.OutputType())
	return &Procedure{Type: Subscription, Subscribe: func(ctx context.Context, c *Call, emit func(Event) error) error {
		s := c.Session.(*session)
		if s.refused != nil {
			return refusal(s.refused, s.member.RequestID)
		}
		body, err := arguments(c)
		if err != nil {
			return err
		}
		leave, err := h.followers.enter(s.member.Credential)
		if err != nil {
			return refusal(err, s.member.RequestID)
		}
		defer leave()
		err = h.table.Follow(ctx, row, s.member, op.Args{Body: body}, func(id string, v any) error {
			data, err := wrap(nil, shape, op.Result{Value: v})
			if err != nil {
				return err
			}
			return emit(Event{ID: id, Data: data})
		})
		if err != nil {
			return refusal(err, s.member.RequestID)
		}
		return nil
	}}
}

// present asks again whether the session lasts and its member may still follow.
func (h *Handler) present(ctx context.Context, c *Call) error {
	s := c.Session.(*session)
	who, err := h.opt.Present(ctx, s.member)
	if err == nil {
		err = h.streams[c.Path].Admit(&who)
	}
	if err != nil {
		return refusal(err, s.member.RequestID)
	}
	return nil
}
