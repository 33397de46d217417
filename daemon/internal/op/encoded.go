package op

import (
	"fmt"
	"reflect"
)

// Encoded is an answer of type T that its domain has as JSON already, as the
// encoder would write it. Of says what the answer tells of itself (status,
// location, version) and need not be complete; it is the answer where JSON is
// nil.
type Encoded[T any] struct {
	Of   T
	JSON []byte
}

func (e Encoded[T]) parts() (any, []byte) { return e.Of, e.JSON }
func (Encoded[T]) answer() reflect.Type   { return reflect.TypeFor[T]() }

// answerType is the contract's type behind Out.
func answerType[Out any]() reflect.Type {
	var zero Out
	if e, ok := any(zero).(interface{ answer() reflect.Type }); ok {
		return e.answer()
	}
	return reflect.TypeFor[Out]()
}

// Answer returns a result of the operation as a value, decoding it where it is
// JSON only.
func (o *Op) Answer(res Result) (any, error) {
	if res.JSON == nil {
		return res.Value, nil
	}
	v := reflect.New(o.output)
	if err := Decode(res.JSON, v.Interface()); err != nil {
		return nil, fmt.Errorf("read answer of %s: %w", o.Name, err)
	}
	return v.Elem().Interface(), nil
}
