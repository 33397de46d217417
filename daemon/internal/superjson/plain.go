package superjson

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Plain turns a payload into the JSON that a Go type decodes: a Date becomes an
// RFC 3339 text, a bigint a whole number, a Set or typed array a list, a Map
// with text keys an object; undefined members are absent. It is nil where the
// payload is undefined. What JSON cannot hold (NaN, infinities, regular
// expressions, errors) is refused. The JSON may alias raw.
func Plain(raw []byte) ([]byte, error) {
	if body, ok := bare(raw); ok {
		return body, nil
	}
	v, err := Decode(raw)
	if err != nil || v.Kind == Undefined {
		return nil, err
	}
	return v.AppendJSON(nil)
}

// Bare reports whether raw, which is JSON, is a payload without annotations.
func Bare(raw []byte) bool {
	_, ok := bare(raw)
	return ok
}

// bare returns the json member of a payload that has no other, without looking
// into it: whoever decodes the arguments does. The payload is JSON if body is.
func bare(raw []byte) (body []byte, ok bool) {
	w := wrapper{src: raw}
	if w.kind() != '{' {
		return nil, false
	}
	w.at++
	if w.kind(); !bytes.HasPrefix(raw[w.at:], []byte(`"json"`)) {
		return nil, false
	}
	w.at += len(`"json"`)
	if w.kind() != ':' {
		return nil, false
	}
	w.at++
	w.kind()
	start := w.at
	if !w.skip() || w.at == start {
		return nil, false
	}
	body = raw[start:w.at]
	if w.kind() != '}' {
		return nil, false
	}
	w.at++
	return body, w.kind() == 0 && w.at == len(raw)
}

// AppendJSON appends v as Plain describes. Undefined in a list is null.
func (v *Value) AppendJSON(dst []byte) ([]byte, error) {
	switch v.Kind {
	case Undefined, Null:
		return append(dst, "null"...), nil
	case Bool:
		return strconv.AppendBool(dst, v.Bool), nil
	case Date:
		return append(appendDate(append(dst, '"'), v.Time), '"'), nil
	case BigInt:
		return append(dst, v.Text...), nil
	case Number:
		return v.appendNumber(dst)
	case String, URL:
		return jsontext.AppendQuote(dst, v.Text)
	case Array, Set, TypedArray:
		return v.appendList(dst)
	case Object:
		return appendObject(dst, len(v.Keys), func(i int) (*Value, *Value) { return Text(v.Keys[i]), v.Items[i] })
	case Map:
		return appendObject(dst, len(v.Items)/2, func(i int) (*Value, *Value) { return v.Items[2*i], v.Items[2*i+1] })
	}
	return dst, errors.New("a RegExp or Error is not accepted here")
}

func (v *Value) appendNumber(dst []byte) ([]byte, error) {
	switch {
	case v.Text == "-0":
		return append(dst, '0'), nil
	case v.special():
		return dst, fmt.Errorf("%s is not accepted here", v.Text)
	}
	return append(dst, v.Text...), nil
}

func (v *Value) appendList(dst []byte) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, item := range v.Items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = item.AppendJSON(dst); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func appendObject(dst []byte, n int, member func(int) (key, value *Value)) (_ []byte, err error) {
	dst = append(dst, '{')
	first := true
	for i := range n {
		key, value := member(i)
		if value.Kind == Undefined {
			continue
		}
		if key.Kind != String {
			return dst, errors.New("a Map here must have text keys")
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if dst, err = jsontext.AppendQuote(dst, key.Text); err != nil {
			return dst, err
		}
		if dst, err = value.AppendJSON(append(dst, ':')); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}
