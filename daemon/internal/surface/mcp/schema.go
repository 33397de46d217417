package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"

	"edgesvc.dev/svc/daemon/internal/op"
)

const (
	refPrefix  = "#/components/schemas/"
	defsPrefix = "#/$defs/"
)

// object is a JSON object on its way through the schema code.
type object = map[string]any

// schemas are those of all tools' inputs and answers. The table's own registry
// is for validation, which treats null otherwise.
type schemas struct{ reg huma.Registry }

func newSchemas(tools []*tool) schemas {
	reg := op.NewRegistry()
	for _, t := range tools {
		op.InputSchema(reg, t.op.InputType())
		op.OutputSchema(reg, t.op.OutputType())
	}
	op.MarkNull(reg, refPrefix)
	return schemas{reg}
}

// decoded is s as an object that the caller may change.
func decoded(s *huma.Schema) object {
	b, err := json.Marshal(s)
	var v object
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		panic(fmt.Sprintf("mcp: schema cannot be read: %v", err))
	}
	return v
}

// input is the whole schema of an operation's input. What it refers to stands
// below $defs, as the protocol's clients resolve nothing else.
func (s schemas) input(o *op.Op) object {
	root, defs := decoded(op.InputSchema(s.reg, o.InputType())), object{}
	s.localize(root, defs)
	if len(defs) > 0 {
		root["$defs"] = defs
	}
	return root
}

// localize makes the references in v local and adds to defs what they name.
func (s schemas) localize(v any, defs object) {
	switch v := v.(type) {
	case []any:
		for _, member := range v {
			s.localize(member, defs)
		}
	case object:
		if types, ok := v["type"].([]any); ok && slices.Contains(types, any("array")) {
			v["type"] = "array" // null would mean the same as []
		}
		if format, _ := v["format"].(string); strings.HasPrefix(format, "int") {
			delete(v, "format")
		}
		if ref, ok := v["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, refPrefix)
			v["$ref"] = defsPrefix + name
			if defs[name] == nil {
				def := decoded(s.reg.Map()[name])
				defs[name] = def
				s.localize(def, defs)
			}
		}
		for _, member := range v {
			s.localize(member, defs)
		}
	}
}

// answer outlines an operation's answer: its members and, of lists of objects,
// their members. Whole schemas of answers would fill a model's context with
// what it reads off the first answer, so text is only named; more would make clients
// refuse an answer for what a later version adds.
func (s schemas) answer(o *op.Op) object {
	const levels = 2
	root := s.outline(decoded(op.OutputSchema(s.reg, o.OutputType())), levels)
	root["type"] = "object"
	return root
}

func (s schemas) outline(v object, levels int) object {
	if ref, ok := v["$ref"].(string); ok {
		return s.outline(decoded(s.reg.Map()[strings.TrimPrefix(ref, refPrefix)]), levels)
	}
	if alternatives, ok := v["oneOf"].([]any); ok {
		return s.alternatives(alternatives, levels)
	}
	out := object{}
	if enum := v["enum"]; enum != nil {
		return object{"enum": enum} // the values tell the type
	}
	if v["type"] != nil {
		out["type"] = v["type"]
	}
	if items, ok := v["items"].(object); ok {
		out["type"], out["items"] = "array", s.outline(items, levels-1)
	}
	if members, ok := v["properties"].(object); ok && levels > 0 {
		out["properties"] = s.members(members, levels)
	}
	return out
}

// members outlines those of one object: objects in it are only named, lists
// keep the levels.
func (s schemas) members(of object, levels int) object {
	out := object{}
	for name, v := range of {
		member, _ := v.(object)
		if member["items"] == nil {
			out[name] = s.outline(member, 0)
		} else {
			out[name] = s.outline(member, levels)
		}
		if one, ok := out[name].(object); ok && isText(one) {
			out[name] = object{}
		} else if items, ok := one["items"].(object); ok && isText(items) {
			delete(one, "items")
		}
	}
	return out
}

// isText reports whether an outline is of text, or of text that may be null: that
// is what an outline that says nothing stands for.
func isText(v object) bool {
	if types, ok := v["type"].([]any); ok {
		return len(v) == 1 && !slices.ContainsFunc(types, func(t any) bool { return t != "string" && t != "null" })
	}
	return len(v) == 1 && v["type"] == "string"
}

// alternatives outlines a choice of answers, or a member that may be null.
func (s schemas) alternatives(of []any, levels int) object {
	var outlines, types []any
	for _, v := range of {
		one, _ := v.(object)
		out := s.outline(one, levels)
		outlines = append(outlines, out)
		if out["type"] != nil {
			types = append(types, out["type"])
		}
	}
	if levels == 0 {
		return object{"type": types}
	}
	return object{"anyOf": outlines} // without what is required, an outline may fit two
}
