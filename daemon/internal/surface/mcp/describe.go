package mcp

import (
	stdjson "encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	mcpsdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func describe(tools []*tool) map[string]*mcpsdk.Tool {
	s := newSchemas(tools)
	out := make(map[string]*mcpsdk.Tool, len(tools))
	for _, t := range tools {
		out[t.op.Tool] = t.describe(s)
	}
	return out
}

// describe is what a client sees of the tool. All hints are explicit: the
// protocol's defaults are the dangerous ones.
func (t *tool) describe(s schemas) *mcpsdk.Tool {
	o, title := t.op, t.op.Hints.Title
	if title == "" {
		title = strings.ToUpper(o.Tool[:1]) + strings.ReplaceAll(o.Tool[1:], "_", " ")
	}
	return &mcpsdk.Tool{
		Name: o.Tool, Title: title, Description: o.Doc,
		InputSchema: schemaJSON(t.inputSchema(s)), OutputSchema: schemaJSON(t.outputSchema(s)),
		Annotations: &mcpsdk.ToolAnnotations{
			ReadOnlyHint: o.ReadOnly(), IdempotentHint: o.ReadOnly() || o.Hints.Idempotent,
			DestructiveHint: new(o.Hints.Destructive && !o.ReadOnly()), OpenWorldHint: new(o.Hints.OpenWorld),
		},
	}
}

// inputSchema adds what tools take beyond their row: Markdown wherever HTML is
// taken, and shorter pages.
func (t *tool) inputSchema(s schemas) object {
	in := s.input(t.op)
	members, _ := in["properties"].(object)
	t.narrow(members)
	if id, ok := members["id"].(object); ok {
		if doc, ok := id["description"].(string); ok {
			id["description"] = t.op.Named(doc)
		}
	}
	if t.content {
		members["contentFormat"] = object{"type": "string", "enum": []string{"html", "markdown"}, "default": "html", "description": "What content is written in."}
	}
	if limit, ok := members["limit"].(object); ok && t.list {
		limit["maximum"] = maxLimit
	}
	return in
}

// narrow offers what is done for AI clients and no more, as the tag tool of the
// contract's members says: the values that it names, none of the member for -.
func (t *tool) narrow(members object) {
	for _, f := range reflect.VisibleFields(t.op.InputType()) {
		offered, ok := f.Tag.Lookup("tool")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if member, ok := members[name].(object); ok && offered != "-" {
			member["enum"] = strings.Split(offered, ",")
		} else {
			delete(members, name)
		}
	}
}

func (t *tool) outputSchema(s schemas) object {
	out := s.answer(t.op)
	members, _ := out["properties"].(object)
	if members == nil {
		members = object{}
		out["properties"] = members
	}
	members["truncated"] = object{"type": "boolean"}
	return out
}

func schemaJSON(s object) stdjson.RawMessage {
	b, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("mcp: schema cannot be written: %v", err))
	}
	return stdjson.RawMessage(b)
}
