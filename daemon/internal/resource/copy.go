package resource

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"edgesvc.dev/svc/sdk/api"
)

// Copier sets the members of a T from those of an In that have the same names:
// all of them, or where In has an api.Opt or a pointer in place of the value,
// those that are set. A null clears its member.
func Copier[T, In any](except ...string) func(dst *T, in *In) {
	var steps []func(dst, in reflect.Value)
	to := membersOf[T]()
	for _, m := range membersOf[In]() {
		if slices.Contains(ofRef, m.name) || slices.Contains(except, m.name) {
			continue
		}
		i := slices.IndexFunc(to, func(t member) bool { return t.name == m.name })
		if i < 0 {
			panic(fmt.Sprintf("resource: %s has a member %s that %s has not: it would be lost", reflect.TypeFor[In](), m.name, reflect.TypeFor[T]()))
		}
		set := setter(to[i].typ, m.typ)
		if set == nil {
			panic(fmt.Sprintf("resource: %s of %s cannot become %s of %s", m.typ, reflect.TypeFor[In](), to[i].typ, reflect.TypeFor[T]()))
		}
		steps = append(steps, func(dst, in reflect.Value) { set(dst.FieldByIndex(to[i].index), in.FieldByIndex(m.index)) })
	}
	return func(dst *T, in *In) {
		d, v := reflect.ValueOf(dst).Elem(), reflect.ValueOf(in).Elem()
		for _, step := range steps {
			step(d, v)
		}
	}
}

// ofRef are the members of an input that name the object, not what it holds.
var ofRef = []string{"id", "ifMatch"}

// setter sets a value of type to from one of type from, nil where it cannot be.
func setter(to, from reflect.Type) func(dst, v reflect.Value) {
	if from == to {
		return func(dst, v reflect.Value) { dst.Set(v) }
	}
	if inner := optional(from); inner != nil {
		set := setter(to, inner)
		if set == nil && to.Kind() == reflect.Pointer && to.Elem() == inner {
			set = func(dst, v reflect.Value) {
				p := reflect.New(inner)
				p.Elem().Set(v)
				dst.Set(p)
			}
		}
		if set == nil {
			return nil
		}
		return func(dst, v reflect.Value) {
			switch {
			case v.Field(optNull).Bool():
				dst.SetZero()
			case v.Field(optSet).Bool():
				set(dst, v.Field(optValue))
			}
		}
	}
	if from.Kind() == reflect.Pointer && from.Elem() == to {
		return func(dst, v reflect.Value) {
			if !v.IsNil() {
				dst.Set(v.Elem())
			}
		}
	}
	return nil
}

// The fields of api.Opt.
const (
	optValue = iota
	optSet
	optNull
)

// optional is T of an api.Opt[T], nil for other types.
func optional(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Struct && t.PkgPath() == reflect.TypeFor[api.Ref]().PkgPath() && strings.HasPrefix(t.Name(), "Opt[") {
		return t.Field(optValue).Type
	}
	return nil
}

// part copies the members of In that a Part has, such as its api.Ref or its
// api.PageQuery.
func part[Part, In any]() func(in *In) Part {
	have := membersOf[In]()
	var steps [][2][]int
	for _, m := range membersOf[Part]() {
		if i := slices.IndexFunc(have, func(h member) bool { return h.name == m.name && h.typ == m.typ }); i >= 0 {
			steps = append(steps, [2][]int{m.index, have[i].index})
		}
	}
	return func(in *In) (out Part) {
		d, v := reflect.ValueOf(&out).Elem(), reflect.ValueOf(in).Elem()
		for _, s := range steps {
			d.FieldByIndex(s[0]).Set(v.FieldByIndex(s[1]))
		}
		return out
	}
}
