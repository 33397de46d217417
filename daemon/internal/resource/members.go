package resource

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"edgesvc.dev/svc/sdk/api"
)

// member is one JSON member of a struct; those of embedded structs are its own.
type member struct {
	name  string
	typ   reflect.Type
	index []int
}

func membersOf[T any]() (all []member) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && name != "" && name != "-" {
			all = append(all, member{name, f.Type, f.Index})
		}
	}
	return all
}

// ofHead are the members that change with every version.
var ofHead = []string{"id", "version", "createdAt", "updatedAt"}

func embeddedHead[T any]() func(*T) Head {
	f, ok := reflect.TypeFor[T]().FieldByName("Head")
	if !ok || !f.Anonymous || f.Type != reflect.TypeFor[api.Head]() {
		panic(fmt.Sprintf("resource: %s does not embed api.Head", reflect.TypeFor[T]()))
	}
	return func(v *T) Head {
		return HeadOf(reflect.ValueOf(v).Elem().FieldByIndex(f.Index).Addr().Interface().(*api.Head))
	}
}

// Differ compares two states of a T.
type Differ[T any] struct{ members []member }

// NewDiffer compares every JSON member of T but those of the head and those that
// are named.
func NewDiffer[T any](except ...string) Differ[T] {
	return Differ[T]{slices.DeleteFunc(membersOf[T](), func(m member) bool { return slices.Contains(except, m.name) })}
}

// Changed holds the earlier value of each member that differs. An empty list or
// map equals none.
func (d Differ[T]) Changed(before, after *T) map[string]any { return changed(d.members, before, after) }

func changed[T any](members []member, before, after *T) map[string]any {
	previous := map[string]any{}
	a, b := reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem()
	for _, m := range members {
		if slices.Contains(ofHead, m.name) {
			continue
		}
		if was := a.FieldByIndex(m.index); !same(was, b.FieldByIndex(m.index)) {
			previous[m.name] = was.Interface()
		}
	}
	return previous
}

func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Slice, reflect.Map:
		if a.Len() == 0 && b.Len() == 0 {
			return true
		}
	case reflect.String:
		return a.String() == b.String()
	case reflect.Int, reflect.Int64:
		return a.Int() == b.Int()
	case reflect.Bool:
		return a.Bool() == b.Bool()
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}
