package op

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Stream is a row whose answer is a sequence of values, for as long as its
// reader stays: a subscription of tRPC.
type Stream struct {
	Name    string // "jobs.watch"
	Scope   Scope
	Session Role // the least role of a member; 0 asks for Scope alone
	Doc     string
	Do      Following

	input *input
}

// Emit passes one value on. A reader that comes back names the last id that it
// saw; "" is a value that nobody resumes from. Its error means that the reader
// has left.
type Emit[T any] func(id string, v T) error

// Following is a stream's typed function; make it with Follow.
type Following struct {
	in, out reflect.Type
	run     func(ctx context.Context, who Caller, in any, emit Emit[any]) error
}

// Follow adapts f, which returns when the stream has ended or ctx has. In is a
// flat struct of the contract, whose member lastEventId receives the id to
// resume after.
func Follow[In, Out any](f func(ctx context.Context, who Caller, in In, emit Emit[Out]) error) Following {
	return Following{
		in: reflect.TypeFor[In](), out: reflect.TypeFor[Out](),
		run: func(ctx context.Context, who Caller, in any, emit Emit[any]) error {
			return f(ctx, who, *in.(*In), func(id string, v Out) error { return emit(id, v) })
		},
	}
}

// AddStreams joins streams to the table, with the checks of NewTable.
func (t *Table) AddStreams(groups ...[]Stream) {
	for _, group := range groups {
		for i := range group {
			s := &group[i]
			if t.byName[s.Name] != nil {
				panic("op: a row and a stream are named " + s.Name)
			}
			s.input = compileInput(t.Registry, s.Do.in)
			if s.input.param("lastEventId") == nil {
				panic("op: the input of the stream " + s.Name + " has no lastEventId")
			}
			t.Streams = append(t.Streams, s)
		}
	}
}

// InputType is the contract's type of the input.
func (s *Stream) InputType() reflect.Type { return s.Do.in }

// OutputType is the type of each value.
func (s *Stream) OutputType() reflect.Type { return s.Do.out }

// Input is the schema of the input.
func (s *Stream) Input() *huma.Schema { return s.input.schema }

// Admit checks the row's demands on the caller.
func (s *Stream) Admit(who *Caller) error {
	row := Op{Scope: s.Scope, Session: s.Session}
	return row.admit(who)
}

// Follow runs a stream until it ends, ctx does, or emit fails. Its error is nil
// or an *api.Error.
func (t *Table) Follow(ctx context.Context, s *Stream, who Caller, args Args, emit Emit[any]) error {
	err := t.follow(ctx, s, &who, args, emit)
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return t.refuse(ctx, err, &Request{Op: &Op{Name: s.Name}, Caller: who})
}

func (t *Table) follow(ctx context.Context, s *Stream, who *Caller, args Args, emit Emit[any]) error {
	if err := s.Admit(who); err != nil {
		return err
	}
	who.limits = t.limits
	if _, err := t.limits.Take(who, ClassTRPC); err != nil {
		return err
	}
	in, err := s.input.decode(t.Registry, &args)
	if err != nil {
		return err
	}
	return s.Do.run(ctx, *who, in, emit)
}
