package event

import (
	"context"
	"encoding/json"
	"strconv"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Streams are the log as it grows. What changed is said without the objects, so
// that a viewer's screens may follow it: whoever may read an object reads it.
func (l *Log) Streams() []op.Stream {
	return []op.Stream{{
		Name: "events.changes", Session: op.Viewer, Do: op.Follow(l.Changes),
		Doc: "Follows what changes in the team, for screens that then read again: the type of each event and the id of its object. The first value of each connection is *, since anything may have changed before.",
	}}
}

// Changes emits what changes in the caller's team until ctx ends.
func (l *Log) Changes(ctx context.Context, who op.Caller, _ api.ChangeFeed, emit op.Emit[api.Change]) error {
	woken, cancel := l.Wake()
	defer cancel()
	var after uint64
	err := l.store.View(ctx, func(tx kv.Tx) (err error) {
		after, err = l.Last(tx)
		return err
	})
	if err == nil {
		err = emit("", api.Change{Type: api.AnyChange})
	}
	for err == nil {
		var batch []api.Event
		before := after
		if batch, after, err = l.take(ctx, before, func(h head) bool { return h.team == who.Team && h.Type != "" }); err != nil {
			return err
		}
		if after == before {
			err = wait(ctx, woken)
		}
		for _, e := range batch {
			if err = emit(strconv.FormatUint(e.Sequence, 10), change(&e)); err != nil {
				return err
			}
		}
	}
	return err
}

func change(e *api.Event) api.Change {
	var object struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(e.Data.Object, &object) // an object without an id has none
	return api.Change{Type: e.Type, ID: object.ID, Sequence: e.Sequence}
}
