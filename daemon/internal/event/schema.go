package event

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// described lists the types with the JSON Schema of their objects.
func described() (api.EventTypeList, error) {
	list := api.EventTypeList{Data: make([]api.EventType, 0, len(types))}
	schemas := map[reflect.Type]json.RawMessage{}
	for _, t := range types {
		schema := schemas[t.object]
		if schema == nil {
			var err error
			if schema, err = schemaOf(t.object); err != nil {
				return list, err
			}
			schemas[t.object] = schema
		}
		list.Data = append(list.Data, api.EventType{Type: t.name, Category: t.category, Description: t.description, Schema: schema})
	}
	return list, nil
}

const (
	draft = "https://json-schema.org/draft/2020-12/schema"
	local = "#/$defs/"
)

// schemaOf is the JSON Schema of t, whole: what it refers to is in its $defs.
func schemaOf(t reflect.Type) (json.RawMessage, error) {
	d := defs{}
	return op.Encode(nil, struct {
		Schema string `json:"$schema"`
		Ref    string `json:"$ref"`
		Defs   defs   `json:"$defs"`
	}{draft, d.Schema(t, true, "").Ref, d})
}

// defs is the schemas of the structs that one schema refers to, by their names.
// It is a huma.Registry of its own because the library's refuses objects that
// may be null, and because an object of an event may get further members: a
// receiver that validates must let them pass.
type defs map[string]*huma.Schema

// Schema implements huma.Registry.
func (d defs) Schema(t reflect.Type, _ bool, _ string) *huma.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[api.Time]():
		return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
	case t.Kind() != reflect.Struct:
		return huma.SchemaFromType(d, t)
	}
	name := t.Name()
	if d[name] == nil {
		d[name] = &huma.Schema{} // ends the recursion of a type that refers to itself
		d[name] = object(huma.SchemaFromType(d, t))
	}
	return &huma.Schema{Ref: local + name}
}

// object lets null and further members in.
func object(s *huma.Schema) *huma.Schema {
	s.AdditionalProperties = nil
	for name, p := range s.Properties {
		if p.Ref != "" && p.Nullable {
			s.Properties[name] = &huma.Schema{
				Description: p.Description,
				AnyOf:       []*huma.Schema{{Ref: p.Ref}, {Type: "null"}},
			}
		}
	}
	return s
}

// SchemaFromRef implements huma.Registry. While a schema is built it is asked
// only whether a member that may be null is an object, to refuse it.
func (d defs) SchemaFromRef(string) *huma.Schema { return &huma.Schema{} }

// TypeFromRef implements huma.Registry; nothing asks.
func (d defs) TypeFromRef(string) reflect.Type { return nil }

// Map implements huma.Registry.
func (d defs) Map() map[string]*huma.Schema { return d }

// RegisterTypeAlias implements huma.Registry; Schema knows the only alias.
func (d defs) RegisterTypeAlias(_, _ reflect.Type) {}
