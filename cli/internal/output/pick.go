package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// pick keeps the named members of an object, or of each object of an array, in
// the order of the names. known are the members that the type has; one that an
// object leaves out is null.
func pick(raw []byte, names, known []string) ([]byte, error) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return pickOne(raw, names, known)
	}
	for i := range list {
		kept, err := pickOne(list[i], names, known)
		if err != nil {
			return nil, err
		}
		list[i] = kept
	}
	return Encode(list)
}

func pickOne(raw []byte, names, known []string) ([]byte, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return raw, nil // a bare value has no members to choose from
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range names {
		value, ok := members[name]
		if !ok {
			if err := checkField(name, known); err != nil {
				return nil, err
			}
			value = json.RawMessage("null")
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func checkField(name string, known []string) error {
	if len(known) > 0 && !slices.Contains(known, name) {
		return fmt.Errorf("%w: there is no field %q; there are: %s", ErrUsage, name, strings.Join(known, ", "))
	}
	return nil
}

// fields lists the JSON members of a struct, through pointers and slices; nil
// for what has no fixed members.
func fields(t reflect.Type) []string {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && name != "" && name != "-" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
