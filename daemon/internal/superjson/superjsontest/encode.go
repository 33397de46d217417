// Package superjsontest writes SuperJSON 2 envelopes of any value, as the library
// does in a browser. The daemon needs none of it: its answers are plain JSON that
// superjson.Shape wraps. Its tests read back what is written here, with paths and
// marks that are worked out apart from the reader's own.
package superjsontest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"edgesvc.dev/svc/daemon/internal/superjson"
)

// maxDepth is how deep a value may nest: a level of a Map takes two segments of a
// path.
const maxDepth = 128

// Encode appends v as an envelope to dst. It refuses what contains itself and
// object members that reach a prototype in JavaScript.
func Encode(dst []byte, v *superjson.Value) ([]byte, error) {
	e := encoder{places: map[*superjson.Value][][]string{}, open: map[*superjson.Value]bool{}, json: append(dst, `{"json":`...)}
	var notes []note
	if err := e.walk(v, nil, nil, &notes); err != nil {
		return dst, err
	}
	return append(appendMeta(e.json, notes, e.shared()), '}'), nil
}

// note is one annotation; its path begins at the annotated value around it.
type note struct {
	path  []string
	kind  string // as JSON
	inner []note
}

type encoder struct {
	json   []byte
	places map[*superjson.Value][][]string // of everything that has an identity
	order  []*superjson.Value              // of places
	open   map[*superjson.Value]bool       // what is being written
	again  int                             // above 0 inside a value that was written before
}

// annotation is what a value has to be marked as, as JSON.
func annotation(v *superjson.Value) string {
	switch v.Kind {
	case superjson.Undefined:
		return `"undefined"`
	case superjson.BigInt:
		return `"bigint"`
	case superjson.Date:
		return `"Date"`
	case superjson.RegExp:
		return `"regexp"`
	case superjson.URL:
		return `"URL"`
	case superjson.Set:
		return `"set"`
	case superjson.Map:
		return `"map"`
	case superjson.Error:
		return `"Error"`
	case superjson.TypedArray:
		return `["typed-array","` + v.Text + `"]`
	}
	if special(v) {
		return `"number"`
	}
	return ""
}

// special reports whether a Number has no form in JSON.
func special(v *superjson.Value) bool {
	return v.Kind == superjson.Number && slices.Contains([]string{"NaN", "Infinity", "-Infinity", "-0"}, v.Text)
}

// walk writes v, which stands at the path at of the root and at rel of the
// annotated value around it.
func (e *encoder) walk(v *superjson.Value, at, rel []string, notes *[]note) error {
	if len(at) > maxDepth {
		return errors.New("a value nests too deep")
	}
	if e.open[v] {
		return errors.New("a value contains itself")
	}
	if v.Kind > superjson.BigInt && e.met(v, at) {
		e.again++
		defer func() { e.again-- }()
	}
	kind := annotation(v)
	if kind == "" {
		return e.body(v, at, rel, notes)
	}
	n := note{path: slices.Clone(rel), kind: kind}
	if err := e.body(v, at, nil, &n.inner); err != nil {
		return err
	}
	*notes = append(*notes, n)
	return nil
}

// met notes where v stands and reports whether it stands elsewhere too.
func (e *encoder) met(v *superjson.Value, at []string) bool {
	if e.again > 0 {
		return false
	}
	if _, ok := e.places[v]; !ok {
		e.order = append(e.order, v)
	}
	e.places[v] = append(e.places[v], slices.Clone(at))
	return len(e.places[v]) > 1
}

func (e *encoder) body(v *superjson.Value, at, rel []string, notes *[]note) (err error) {
	switch v.Kind {
	case superjson.Object, superjson.Error:
		return e.members(v, at, rel, notes)
	case superjson.Array, superjson.Set:
		return e.elements(v, at, rel, notes)
	case superjson.Map:
		return e.rows(v, at, rel, notes)
	case superjson.TypedArray:
		e.numbers(v)
	case superjson.Undefined, superjson.Null:
		e.json = append(e.json, "null"...)
	case superjson.Bool:
		e.json = strconv.AppendBool(e.json, v.Bool)
	case superjson.Date:
		e.json, err = v.AppendJSON(e.json)
	default:
		if v.Kind == superjson.Number && !special(v) {
			e.json = append(e.json, v.Text...)
			return nil
		}
		e.json, err = jsontext.AppendQuote(e.json, v.Text)
	}
	return err
}

func (e *encoder) members(v *superjson.Value, at, rel []string, notes *[]note) (err error) {
	e.open[v] = true
	defer delete(e.open, v)
	e.json = append(e.json, '{')
	for i, name := range v.Keys {
		if name == "__proto__" || name == "constructor" || name == "prototype" {
			return fmt.Errorf("%s is not allowed as a property", name)
		}
		e.comma(i)
		if e.json, err = jsontext.AppendQuote(e.json, name); err != nil {
			return err
		}
		e.json = append(e.json, ':')
		if err := e.walk(v.Items[i], append(at, name), append(rel, name), notes); err != nil {
			return err
		}
	}
	e.json = append(e.json, '}')
	return nil
}

func (e *encoder) elements(v *superjson.Value, at, rel []string, notes *[]note) error {
	e.open[v] = true
	defer delete(e.open, v)
	e.json = append(e.json, '[')
	for i, item := range v.Items {
		e.comma(i)
		seg := strconv.Itoa(i)
		if err := e.walk(item, append(at, seg), append(rel, seg), notes); err != nil {
			return err
		}
	}
	e.json = append(e.json, ']')
	return nil
}

func (e *encoder) rows(v *superjson.Value, at, rel []string, notes *[]note) error {
	e.open[v] = true
	defer delete(e.open, v)
	e.json = append(e.json, '[')
	for i, item := range v.Items {
		e.comma(i)
		if i%2 == 0 {
			e.json = append(e.json, '[')
		}
		row, side := strconv.Itoa(i/2), strconv.Itoa(i%2)
		if err := e.walk(item, append(at, row, side), append(rel, row, side), notes); err != nil {
			return err
		}
		if i%2 == 1 {
			e.json = append(e.json, ']')
		}
	}
	e.json = append(e.json, ']')
	return nil
}

func (e *encoder) numbers(v *superjson.Value) {
	e.json = append(e.json, '[')
	for i, item := range v.Items {
		e.comma(i)
		switch item.Text {
		case "NaN", "Infinity", "-Infinity":
			e.json = append(e.json, "null"...)
		case "-0":
			e.json = append(e.json, '0')
		default:
			e.json = append(e.json, item.Text...)
		}
	}
	e.json = append(e.json, ']')
}

func (e *encoder) comma(i int) {
	if i > 0 {
		e.json = append(e.json, ',')
	}
}

// shared lists the places of values that stand in several, the shortest path
// of each first.
func (e *encoder) shared() [][][]string {
	var all [][][]string
	for _, v := range e.order {
		if places := e.places[v]; len(places) > 1 {
			slices.SortStableFunc(places, func(a, b []string) int { return len(a) - len(b) })
			all = append(all, places)
		}
	}
	return all
}

func appendMeta(dst []byte, notes []note, shared [][][]string) []byte {
	if len(notes) == 0 && len(shared) == 0 {
		return dst
	}
	dst = append(dst, `,"meta":{`...)
	if len(notes) > 0 {
		dst = append(dst, `"values":`...)
		if len(notes[0].path) == 0 {
			dst = appendNote(dst, notes[0])
		} else {
			dst = appendNotes(dst, notes)
		}
		dst = append(dst, ',')
	}
	for i, places := range shared {
		if i == 0 {
			dst = append(dst, `"referentialEqualities":{`...)
		}
		dst = append(appendPath(dst, places[0]), ":["...)
		for j, p := range places[1:] {
			if j > 0 {
				dst = append(dst, ',')
			}
			dst = appendPath(dst, p)
		}
		if dst = append(dst, "],"...); i == len(shared)-1 {
			dst = append(dst[:len(dst)-1], "},"...)
		}
	}
	return append(dst, `"v":1}`...)
}

func appendNotes(dst []byte, notes []note) []byte {
	dst = append(dst, '{')
	for i, n := range notes {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendPath(dst, n.path), ':')
		dst = appendNote(dst, n)
	}
	return append(dst, '}')
}

func appendNote(dst []byte, n note) []byte {
	dst = append(append(dst, '['), n.kind...)
	if len(n.inner) > 0 {
		dst = appendNotes(append(dst, ','), n.inner)
	}
	return append(dst, ']')
}

func appendPath(dst []byte, segs []string) []byte {
	escaped := make([]string, len(segs))
	for i, s := range segs {
		escaped[i] = escaper.Replace(s)
	}
	dst, _ = jsontext.AppendQuote(dst, strings.Join(escaped, ".")) // members are valid UTF-8: they have been written
	return dst
}

var escaper = strings.NewReplacer(`.`, `\.`, `\`, `\\`)
