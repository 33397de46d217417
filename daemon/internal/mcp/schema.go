package mcp

import (
	"bytes"
	"fmt"
	"maps"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"edgesvc.dev/svc/daemon/internal/op"
)

const refPrefix = "#/components/schemas/"

// object is a JSON object on its way through the schema code.
type object = map[string]any

// schemas are those of all tools' inputs and answers. The table's own registry
// is for validation, which treats null otherwise.
type schemas struct{ reg huma.Registry }

func newSchemas(rows []*row) schemas {
	reg := op.NewRegistry()
	for _, r := range rows {
		op.InputSchema(reg, r.op.InputType())
		op.OutputSchema(reg, r.op.OutputType())
	}
	op.MarkNull(reg, refPrefix)
	return schemas{reg}
}

func (s schemas) input(o *op.Op) object {
	return s.flatten(op.InputSchema(s.reg, o.InputType()), false)
}
func (s schemas) answer(o *op.Op) object {
	return s.flatten(op.OutputSchema(s.reg, o.OutputType()), true)
}

// flatten makes one self-contained JSON Schema of an object: what it refers to
// stands below $defs, as the protocol's clients resolve nothing else. Answers
// are described more loosely than inputs: a client must not refuse an answer
// for a member or a length that a later version adds.
func (s schemas) flatten(of *huma.Schema, answer bool) object {
	f := flattening{reg: s.reg, answer: answer, defs: object{}}
	root, _ := f.rewrite(decoded(of)).(object)
	if ref, ok := root["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		root, _ = f.defs[name].(object)
		if !f.refers(name) {
			delete(f.defs, name)
		}
	}
	root = maps.Clone(root)
	root["type"] = "object"
	if len(f.defs) > 0 {
		root["$defs"] = f.defs
	}
	return root
}

type flattening struct {
	reg    huma.Registry
	answer bool
	defs   object
}

// refers reports whether anything refers to the definition.
func (f *flattening) refers(name string) bool {
	b, err := json.Marshal(f.defs)
	return err != nil || bytes.Contains(b, []byte(`"#/$defs/`+name+`"`))
}

func decoded(s *huma.Schema) any {
	b, err := json.Marshal(s)
	var v any
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		panic(fmt.Sprintf("mcp: schema cannot be read: %v", err))
	}
	return v
}

func (f *flattening) rewrite(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = f.rewrite(v[i])
		}
	case object:
		f.trim(v)
		for name, member := range v {
			v[name] = f.rewrite(member)
		}
		if ref, ok := v["$ref"].(string); ok {
			v["$ref"] = f.define(strings.TrimPrefix(ref, refPrefix))
		}
	}
	return v
}

func (f *flattening) define(name string) string {
	if _, done := f.defs[name]; !done {
		f.defs[name] = nil // a type may hold itself
		f.defs[name] = f.rewrite(decoded(f.reg.Map()[name]))
	}
	return "#/$defs/" + name
}

// trim leaves out what costs a model's attention and tells it nothing. An empty
// list is written as [], never as null.
func (f *flattening) trim(s object) {
	if types, ok := s["type"].([]any); ok && len(types) == 2 && types[0] == "array" {
		s["type"] = "array"
	}
	if format, _ := s["format"].(string); format == "int64" || format == "int32" {
		delete(s, "format")
	}
	if !f.answer {
		return
	}
	if _, isSchema := s["type"].(string); !isSchema {
		return
	}
	for _, word := range []string{"maxLength", "minLength", "maxItems", "minItems", "minimum", "maximum", "pattern", "default"} {
		delete(s, word)
	}
	if s["additionalProperties"] == false {
		delete(s, "additionalProperties")
	}
}
