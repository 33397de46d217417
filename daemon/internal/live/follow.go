package live

import (
	"context"
	"net/http"
	"strconv"
	"sync"

	"edgesvc.dev/svc/sdk/api"
)

// Groups are readers by what they follow. The zero Groups are empty.
type Groups[R comparable] map[string]map[R]struct{}

// Join adds r to the readers of key.
func (g *Groups[R]) Join(key string, r R) {
	if *g == nil {
		*g = Groups[R]{}
	}
	set := (*g)[key]
	if set == nil {
		set = map[R]struct{}{}
		(*g)[key] = set
	}
	set[r] = struct{}{}
}

// Leave removes r, and the group when it was the last.
func (g *Groups[R]) Leave(key string, r R) {
	delete((*g)[key], r)
	if len((*g)[key]) == 0 {
		delete(*g, key)
	}
}

// Resumed is the number after which a reader goes on, from the id of the last event
// that it saw; 0 for a new reader.
func Resumed(lastEventID string) (int64, error) {
	if lastEventID == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(lastEventID, 10, 64)
	if err != nil || n < 0 {
		return 0, api.NewError(http.StatusBadRequest, api.CodeInvalidParameter, "The last event's id is not one of this stream.")
	}
	return n, nil
}

// Drain hands what comes into a box, whose lock is mu, to hand, until that says that
// it was the last, ctx ends, or the reader proves too slow.
func Drain[T any](ctx context.Context, mu sync.Locker, b *Box[T], hand func(items []T) (done bool, err error)) error {
	mu.Lock()
	ready := b.Ready()
	mu.Unlock()
	for {
		mu.Lock()
		items, lost := b.Take(), b.Lost()
		mu.Unlock()
		if lost {
			e := api.NewError(http.StatusServiceUnavailable, api.CodeOverloaded, "You read too slowly. Follow again from the last id.")
			e.RetryAfter = 1
			return e
		}
		if done, err := hand(items); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ready:
		}
	}
}
