package resource

import (
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
)

// Events tell a log what happens to the objects of a kind. Make them with Tell.
type Events[T any] struct {
	created, deleted func(tx kv.Tx, who op.Caller, v *T) error
	updated          func(tx kv.Tx, who op.Caller, before, after *T) error
}

// Tell appends an event of one of three kinds to log at each change. Its object is
// what show makes of the stored record; that of an update comes with the earlier
// values of the members that differ.
func Tell[T, Shown any](log *event.Log, created, updated, deleted event.Kind[Shown], show func(v *T) Shown) *Events[T] {
	differ := NewDiffer[Shown]()
	plain := func(k event.Kind[Shown]) func(kv.Tx, op.Caller, *T) error {
		return func(tx kv.Tx, who op.Caller, v *T) error {
			object := show(v)
			return event.Append(log, tx, who, k, &object, nil)
		}
	}
	return &Events[T]{
		created: plain(created), deleted: plain(deleted),
		updated: func(tx kv.Tx, who op.Caller, before, after *T) error {
			was, is := show(before), show(after)
			return event.Append(log, tx, who, updated, &is, differ.Changed(&was, &is))
		},
	}
}
