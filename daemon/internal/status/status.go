// Package status is the states of an object as data: which move leads from one
// to another, which operation makes it and which events tell of it. Times that
// go with a status are the domain's.
package status

import (
	"net/http"
	"slices"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// Machine describes the statuses of one kind of object.
type Machine[T any] struct {
	Noun  string // in refusals, with its article: "A post"
	Field func(v *T) *string
	// Seen is the status that events tell of, where it is not the field.
	Seen  func(v *T) string
	Moves []Move[T]
}

// Move is a change of status.
type Move[T any] struct {
	Verb   string // of its operation; several moves may have it
	From   []string
	To     string
	Events []event.Kind[T]
	// Row is the rest of the operation: scope, tool, hints, documentation. The
	// first move of a verb has it.
	Row op.Op
}

// Rows are the operations of the moves, one for each verb, below the name and
// the path of their objects. do makes the move of a verb.
func (m *Machine[T]) Rows(name, path string, do func(verb string) op.Do) []op.Op {
	var rows []op.Op
	for _, move := range m.Moves {
		row := move.Row
		row.Name = name + "." + move.Verb
		if slices.ContainsFunc(rows, func(o op.Op) bool { return o.Name == row.Name }) {
			continue
		}
		row.Method, row.Path, row.Do = http.MethodPost, path+"/{id}/"+move.Verb, do(move.Verb)
		if m.refuses(move.Verb) {
			row.Refuses = append(slices.Clip(row.Refuses), api.CodeInvalidTransition)
		}
		rows = append(rows, row)
	}
	return rows
}

// refuses reports whether there is a status from which the verb leads nowhere.
func (m *Machine[T]) refuses(verb string) bool {
	for _, move := range m.Moves {
		for _, at := range append(slices.Clip(move.From), move.To) {
			if !slices.ContainsFunc(m.Moves, func(v Move[T]) bool { return v.Verb == verb && (v.To == at || slices.Contains(v.From, at)) }) {
				return true
			}
		}
	}
	return false
}

// Apply makes the move of a verb. An object that has the status already stays as
// it is.
func (m *Machine[T]) Apply(v *T, verb string) error {
	at, to := m.Field(v), ""
	for _, move := range m.Moves {
		if move.Verb != verb {
			continue
		}
		to = move.To
		if *at == to || slices.Contains(move.From, *at) {
			*at = to
			return nil
		}
	}
	return Refuse(*at, to, "%s that is %s cannot become %s this way.", m.Noun, *at, to)
}

// Events are the kinds that tell of a change of status.
func (m *Machine[T]) Events(before, after *T) []event.Kind[T] {
	from, to := m.seen(before), m.seen(after)
	if from == to {
		return nil
	}
	for _, move := range m.Moves {
		if move.To == to && slices.Contains(move.From, from) {
			return move.Events
		}
	}
	return nil
}

func (m *Machine[T]) seen(v *T) string {
	if m.Seen != nil {
		return m.Seen(v)
	}
	return *m.Field(v)
}

// Refuse is the refusal of a change that the status from does not allow.
func Refuse(from, to, format string, args ...any) *api.Error {
	e := api.NewError(http.StatusConflict, api.CodeInvalidTransition, format, args...)
	e.From, e.To = from, to
	return e
}
