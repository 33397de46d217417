// Package superjson reads SuperJSON 2 envelopes, the serialization of tRPC
// clients, and wraps answers in them: plain JSON beside a note of what its
// members were in JavaScript (dates, big integers, sets, shared objects). Input is
// hostile: paths must exist, bodies must have the form that the library writes,
// and depth, annotations and expansion have a budget. Registered classes, symbols
// and custom types are refused. It knows no procedure and no transport.
package superjson

import "strconv"

// Kind is what a value is in JavaScript.
type Kind uint8

// The kinds.
const (
	Undefined Kind = iota
	Null
	Bool
	Number
	String
	BigInt
	Date
	RegExp
	URL
	Array
	Object
	Set
	Map
	Error
	TypedArray
)

// Value is one value of a tree. Two places may hold the same Value, as two
// places in JavaScript may hold one object; a decoded tree has no cycles.
type Value struct {
	Kind Kind
	// Text is the String, the decimal digits of a BigInt, the href of a URL,
	// /source/flags of a RegExp, the class of a TypedArray, and the literal of a
	// Number: JSON's, or NaN, Infinity, -Infinity or -0.
	Text string
	Bool bool
	Time int64    // of a Date, in milliseconds since 1970
	Keys []string // names of the members of an Object or Error
	// Items are elements, members in the order of Keys, and for a Map keys and
	// values in turn.
	Items []*Value

	byName map[string]int // index of a wide object's members, made on first use
}

// Text returns a String value.
func Text(s string) *Value { return &Value{Kind: String, Text: s} }

// Int returns a Number value.
func Int(n int64) *Value { return &Value{Kind: Number, Text: strconv.FormatInt(n, 10)} }

// Member returns the member of that name of an Object or Error, or nil.
func (v *Value) Member(name string) *Value {
	if i := v.find(name); i >= 0 {
		return v.Items[i]
	}
	return nil
}

// With returns a copy of an Object that has the member besides its own.
func (v *Value) With(name string, member *Value) *Value {
	c := &Value{Kind: v.Kind, Keys: append([]string(nil), v.Keys...), Items: append([]*Value(nil), v.Items...)}
	if i := c.find(name); i >= 0 {
		c.Items[i] = member
		return c
	}
	c.set(name, member)
	return c
}

func (v *Value) set(name string, member *Value) {
	v.Keys, v.Items = append(v.Keys, name), append(v.Items, member)
}

// wide is the number of members from which an object is searched by an index.
const wide = 16

func (v *Value) find(name string) int {
	if v.Kind != Object && v.Kind != Error {
		return -1
	}
	if len(v.Keys) < wide {
		for i, key := range v.Keys {
			if key == name {
				return i
			}
		}
		return -1
	}
	if len(v.byName) != len(v.Keys) {
		v.byName = make(map[string]int, len(v.Keys))
		for i, key := range v.Keys {
			v.byName[key] = i
		}
	}
	if i, ok := v.byName[name]; ok {
		return i
	}
	return -1
}

// scalar reports whether JavaScript compares the value by what it holds and
// not by identity.
func (v *Value) scalar() bool { return v.Kind <= BigInt }

// special reports whether a Number has no form in JSON.
func (v *Value) special() bool {
	switch v.Text {
	case "NaN", "Infinity", "-Infinity", "-0":
		return v.Kind == Number
	}
	return false
}
