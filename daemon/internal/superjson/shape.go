package superjson

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"edgesvc.dev/svc/sdk/api"
)

// Shape knows where in the JSON of a Go type the dates and the integers are
// that JavaScript needs told. Make it once for a type; it is then read-only.
// The nil Shape is that of a type that has none.
type Shape struct {
	leaf    leaf
	members []member // of an object: those that have a shape
	lengths uint64   // of their names, a bit for each
	each    *Shape   // of every element of a list or map
}

type member struct {
	name    string
	segment string // the name in a path, as it stands in JSON
	shape   *Shape
}

// find returns the member of that name, or nil. Most names are not even as
// long as one that is looked for.
func (s *Shape) find(name []byte) *member {
	if s.lengths>>min(len(name), 63)&1 == 0 {
		return nil
	}
	for i := range s.members {
		if m := &s.members[i]; m.name == string(name) {
			return m
		}
	}
	return nil
}

// of returns the member of an object whose name stands so in JSON, or nil.
func (s *Shape) of(name []byte) *member {
	if s.each != nil {
		return &member{segment: segment(name), shape: s.each}
	}
	return s.find(name)
}

func (s *Shape) add(name string, shape *Shape) {
	if s.find([]byte(name)) != nil {
		return // alternatives share members of one kind
	}
	s.members = append(s.members, member{name, segment([]byte(name)), shape})
	s.lengths |= 1 << min(len(name), 63)
}

type leaf uint8

const (
	inner leaf = iota
	date
	integer
)

// maxSafe is the largest integer that a JavaScript number holds exactly.
const maxSafe = 1<<53 - 1

var (
	timeTypes = []reflect.Type{reflect.TypeFor[api.Time](), reflect.TypeFor[time.Time]()}
	marshaler = reflect.TypeFor[json.Marshaler]()
)

// ShapeOf compiles t, the type of an answer.
func ShapeOf(t reflect.Type) *Shape { return compile(t, map[reflect.Type]*Shape{}) }

func compile(t reflect.Type, seen map[reflect.Type]*Shape) *Shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case slices.Contains(timeTypes, t):
		return &Shape{leaf: date}
	case t.Kind() == reflect.Struct:
		return compileStruct(t, seen)
	case t.Implements(marshaler):
		return nil
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint, reflect.Uint64:
		return &Shape{leaf: integer}
	case reflect.Slice, reflect.Array, reflect.Map:
		if each := compile(t.Elem(), seen); each != nil {
			return &Shape{each: each}
		}
	}
	return nil
}

// compileStruct takes a struct whose members have no names for the choice among
// their types, as the contract writes alternatives.
func compileStruct(t reflect.Type, seen map[reflect.Type]*Shape) *Shape {
	if s, ok := seen[t]; ok {
		return s
	}
	s := &Shape{members: []member{}}
	seen[t] = s
	alternatives := t.NumField() > 0 && t.Field(0).Tag.Get("json") == "" && !t.Field(0).Anonymous
	if !alternatives && t.Implements(marshaler) {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case alternatives:
			if one := compile(f.Type, seen); one != nil {
				for _, m := range one.members {
					s.add(m.name, m.shape)
				}
			}
		case f.Anonymous || name == "" || name == "-":
		default:
			if inner := compile(f.Type, seen); inner != nil {
				s.add(name, inner)
			}
		}
	}
	return s
}
