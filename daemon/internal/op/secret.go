package op

import (
	"reflect"

	"edgesvc.dev/svc/sdk/api"
)

// HoldsSecret reports whether values of a type can hold an api.Secret: an answer
// that does is shown once and never stored.
func HoldsSecret(t reflect.Type) bool { return holdsSecret(t, map[reflect.Type]bool{}) }

func holdsSecret(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == nil || seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.String:
		return t == reflect.TypeFor[api.Secret]()
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return holdsSecret(t.Elem(), seen)
	case reflect.Map:
		return holdsSecret(t.Key(), seen) || holdsSecret(t.Elem(), seen)
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(t) {
			if holdsSecret(f.Type, seen) {
				return true
			}
		}
	}
	return false
}
