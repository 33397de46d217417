package superjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Bounds of one payload.
const (
	maxDepth       = 64
	maxNodes       = 200_000 // values, after shared ones are written out
	maxAnnotations = 10_000  // annotations and references
	maxDigits      = 1_000   // of a big integer
)

var errDepth = fmt.Errorf("nests deeper than %d levels", maxDepth)

// Parse reads JSON without annotations. Members named __proto__ are dropped, as
// the library's copy drops them. Duplicate members and invalid UTF-8 are
// refused.
func Parse(raw []byte) (*Value, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	v, err := parse(dec)
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read JSON: there is more than one value")
	}
	return v, nil
}

func parse(dec *jsontext.Decoder) (*Value, error) {
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	if dec.StackDepth() > maxDepth {
		return nil, errDepth
	}
	switch tok.Kind() {
	case 'n':
		return &Value{Kind: Null}, nil
	case 't', 'f':
		return &Value{Kind: Bool, Bool: tok.Bool()}, nil
	case '"':
		return Text(tok.String()), nil
	case '[':
		return parseArray(dec)
	case '{':
		return parseObject(dec)
	}
	return number(tok.String()), nil
}

// number keeps the literal, so that no digit of a large integer is lost.
func number(literal string) *Value { return &Value{Kind: Number, Text: literal} }

func parseArray(dec *jsontext.Decoder) (*Value, error) {
	v := &Value{Kind: Array}
	for dec.PeekKind() != ']' {
		item, err := parse(dec)
		if err != nil {
			return nil, err
		}
		v.Items = append(v.Items, item)
	}
	_, err := dec.ReadToken()
	return v, err
}

func parseObject(dec *jsontext.Decoder) (*Value, error) {
	v := &Value{Kind: Object}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		member, err := parse(dec)
		if err != nil {
			return nil, err
		}
		v.set(key, member)
	}
	_, err := dec.ReadToken()
	return v, err
}
