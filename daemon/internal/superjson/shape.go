package superjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

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

// Wrap appends the envelope of body, which is the JSON of a value of the
// shape's type, to dst.
func (s *Shape) Wrap(dst, body []byte) ([]byte, error) {
	dst = append(dst, `{"json":`...)
	w := wrapper{dec: jsontext.NewDecoder(bytes.NewReader(body)), src: body, dst: dst}
	if err := w.value(s, nil); err != nil {
		return dst, fmt.Errorf("annotate answer: %w", err)
	}
	dst = append(w.dst, body[w.copied:]...) //nolint:gocritic // w took dst over
	return append(appendMeta(dst, w.notes, nil), '}'), nil
}

// wrapper copies JSON and notes what stands where.
type wrapper struct {
	dec    *jsontext.Decoder
	src    []byte
	copied int // of src
	dst    []byte
	notes  []note
}

func (w *wrapper) value(s *Shape, at []string) error {
	kind := w.dec.PeekKind()
	switch {
	case s == nil:
		return w.dec.SkipValue()
	case s.leaf == date && kind == '"':
		w.note(at, `"Date"`)
	case s.leaf == integer && kind == '0':
		return w.integer(at)
	case s.each != nil && kind == '[':
		return w.list(s.each, at)
	case (s.each != nil || s.members != nil) && kind == '{':
		return w.object(s, at)
	}
	return w.dec.SkipValue()
}

func (w *wrapper) note(at []string, kind string) {
	w.notes = append(w.notes, note{path: slices.Clone(at), kind: kind})
}

// integer turns a number that JavaScript would round into a bigint.
func (w *wrapper) integer(at []string) error {
	lit, err := w.dec.ReadValue()
	if err != nil || len(lit) < len("9007199254740991") {
		return err
	}
	if n, err := strconv.ParseInt(string(lit), 10, 64); err == nil && n <= maxSafe && n >= -maxSafe {
		return nil
	}
	end := int(w.dec.InputOffset())
	start := end - len(lit)
	w.dst = append(append(append(append(w.dst, w.src[w.copied:start]...), '"'), lit...), '"')
	w.copied = end
	w.note(at, `"bigint"`)
	return nil
}

func (w *wrapper) list(each *Shape, at []string) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for i := 0; w.dec.PeekKind() != ']'; i++ {
		if err := w.value(each, append(at, strconv.Itoa(i))); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

func (w *wrapper) object(s *Shape, at []string) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for w.dec.PeekKind() != '}' {
		name, err := w.dec.ReadToken()
		if err != nil {
			return err
		}
		key, member := name.String(), s.each
		if s.members != nil {
			member = s.members[key]
		}
		if err := w.value(member, append(at, key)); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}
