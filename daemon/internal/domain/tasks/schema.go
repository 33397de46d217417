package tasks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// The bounds of a schema that somebody brings.
const (
	maxSchema = 32 << 10
	maxParts  = 10_000 // with every reference written out
)

// compileSchema reads a JSON Schema. References lead to its own $defs only and
// never in a circle: the validator follows them without an end.
func compileSchema(raw json.RawMessage) (*jsonschema.Resolved, error) {
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("may have at most %d bytes", maxSchema)
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, errors.New("is not JSON")
	}
	root, ok := tree.(map[string]any)
	if !ok {
		return nil, errors.New("must be a JSON object")
	}
	if err := (&references{root: root, open: map[string]bool{}}).count(root); err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, errors.New("is not a JSON Schema")
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, errors.New("is not a JSON Schema that can be used: " + firstLine(err.Error()))
	}
	return resolved, nil
}

// references measures a schema with its references written out.
type references struct {
	root  map[string]any
	open  map[string]bool // the definitions that are being looked into
	parts int
}

func (r *references) count(v any) error {
	if r.parts++; r.parts > maxParts {
		return errors.New("is too large with its references written out")
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if err := r.count(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for name, item := range v {
			if err := r.member(name, item); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *references) member(name string, item any) error {
	switch target, isText := item.(string); {
	case isText && name == "$ref":
		return r.follow(target)
	case isText && (name == "$dynamicRef" || name == "$recursiveRef"):
		return errors.New("may not have " + name)
	case isText && (name == "$id" || name == "$anchor" || name == "$dynamicAnchor"):
		return errors.New("may not have " + name)
	}
	return r.count(item)
}

func (r *references) follow(target string) error {
	for _, home := range []string{"$defs", "definitions"} {
		name, ok := strings.CutPrefix(target, "#/"+home+"/")
		if !ok {
			continue
		}
		if r.open[target] {
			return fmt.Errorf("%s leads back to itself", target)
		}
		defs, _ := r.root[home].(map[string]any)
		def, found := defs[name]
		if !found {
			return fmt.Errorf("there is no %s", target)
		}
		r.open[target] = true
		defer delete(r.open, target)
		return r.count(def)
	}
	return errors.New("$ref must name a definition of the schema's own $defs")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// structured finds the JSON that a model wrote, also where it put a fence around
// it.
func structured(text string) (any, json.RawMessage, error) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		_, inner, _ = strings.Cut(inner, "\n")
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return nil, nil, errors.New("the model's answer is not JSON")
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		return nil, nil, err
	}
	return v, compact.Bytes(), nil
}
