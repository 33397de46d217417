package sdk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// envelope is a value in SuperJSON: plain JSON, and what of it was of a type
// that JSON does not have. Inputs need no notes: the daemon reads times and
// integers as the contract's plain JSON has them.
type envelope struct {
	JSON json.RawMessage `json:"json"`
	Meta struct {
		Values json.RawMessage `json:"values"`
	} `json:"meta"`
}

// wrapped is in as an input.
func wrapped(in any) ([]byte, error) {
	if in == nil {
		in = struct{}{}
	}
	body, err := encode(in)
	if err != nil {
		return nil, err
	}
	return append(append([]byte(`{"json":`), body...), '}'), nil
}

// plain is the value as the contract's JSON. A Date is a text there already,
// and undefined null; a bigint becomes a number again.
func (e *envelope) plain() ([]byte, error) {
	if e.JSON == nil {
		return []byte("null"), nil
	}
	if !bytes.Contains(e.Meta.Values, []byte(`"bigint"`)) {
		return e.JSON, nil
	}
	dec := json.NewDecoder(bytes.NewReader(e.JSON))
	dec.UseNumber()
	var root, notes any
	if err := dec.Decode(&root); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(e.Meta.Values, &notes); err != nil {
		return nil, err
	}
	revive(notes, func() any { return root }, func(v any) { root = v })
	return encode(root)
}

// revive turns the texts that notes call bigints into numbers. A note is a list
// for the value itself and an object for what is inside.
func revive(notes any, get func() any, set func(any)) {
	switch n := notes.(type) {
	case []any:
		if digits, ok := get().(string); ok && len(n) == 1 && n[0] == "bigint" && wholeNumber(digits) {
			set(json.Number(digits))
		}
	case map[string]any:
		for path, note := range n {
			if get, set, ok := place(get, path); ok {
				revive(note, get, set)
			}
		}
	}
}

func wholeNumber(s string) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	return err == nil
}

// place finds what is at a path, whose segments are parted by dots; a backslash
// makes the dot after it, or another backslash, part of the segment.
func place(get func() any, path string) (func() any, func(any), bool) {
	var set func(any)
	for _, segment := range segments(path) {
		switch parent := get().(type) {
		case map[string]any:
			get, set = func() any { return parent[segment] }, func(v any) { parent[segment] = v }
		case []any:
			i, err := strconv.Atoi(segment)
			if err != nil || i < 0 || i >= len(parent) {
				return nil, nil, false
			}
			get, set = func() any { return parent[i] }, func(v any) { parent[i] = v }
		default:
			return nil, nil, false
		}
	}
	return get, set, set != nil
}

func segments(path string) []string {
	var list []string
	var segment []byte
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '.':
			list, segment = append(list, string(segment)), nil
		case c == '\\' && i+1 < len(path) && strings.IndexByte(`\.`, path[i+1]) >= 0:
			i++
			segment = append(segment, path[i])
		default:
			segment = append(segment, c)
		}
	}
	return append(list, string(segment))
}

// unwrap reads an envelope into out.
func unwrap(raw []byte, out any) error {
	var e envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("read the value: %w", err)
	}
	body, err := e.plain()
	if err != nil {
		return fmt.Errorf("read the value: %w", err)
	}
	return json.Unmarshal(body, out)
}
