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
	members map[string]*Shape // of an object, by JSON name
	each    *Shape            // of every element of a list or map
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
	s := &Shape{members: map[string]*Shape{}}
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
				for member, shape := range one.members {
					s.members[member] = shape
				}
			}
		case f.Anonymous || name == "" || name == "-":
		default:
			if member := compile(f.Type, seen); member != nil {
				s.members[name] = member
			}
		}
	}
	return s
}
