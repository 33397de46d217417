package api

import (
	"bytes"
	"encoding/json"
)

// Opt is a member of a merge patch (RFC 7396): absent leaves the value as it
// is, null clears it. Tag it omitzero.
type Opt[T any] struct {
	Value T
	Set   bool // the member is present
	Null  bool // it is present and null; Value is zero
}

// Some is a member that sets v.
func Some[T any](v T) Opt[T] { return Opt[T]{Value: v, Set: true} }

// Null is a member that clears the value.
func Null[T any]() Opt[T] { return Opt[T]{Set: true, Null: true} }

// IsZero reports that the member is absent.
func (o Opt[T]) IsZero() bool { return !o.Set }

// Apply assigns the value, or the zero value for null, to dst when the member
// is present.
func (o Opt[T]) Apply(dst *T) {
	if o.Set {
		*dst = o.Value
	}
}

// MarshalJSON writes the value or null.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.Set || o.Null {
		return []byte("null"), nil
	}
	// Not json.Marshal: its escapes of < and > double a post's HTML.
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(o.Value)
	return b.Bytes(), err
}

// UnmarshalJSON marks the member as present.
func (o *Opt[T]) UnmarshalJSON(b []byte) error {
	*o = Opt[T]{Set: true, Null: string(b) == "null"}
	if o.Null {
		return nil
	}
	return json.Unmarshal(b, &o.Value)
}
