package event

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// described lists the types with the JSON Schema of their objects.
func (l *Log) described() (api.EventTypeList, error) {
	list := api.EventTypeList{Data: make([]api.EventType, 0, len(l.types))}
	schemas := map[reflect.Type]json.RawMessage{}
	for _, t := range l.types {
		schema := schemas[t.object]
		if schema == nil {
			var err error
			if schema, err = schemaOf(t.object); err != nil {
				return list, err
			}
			schemas[t.object] = schema
		}
		list.Data = append(list.Data, api.EventType{Type: t.name, Category: t.category, Description: t.doc, Schema: schema})
	}
	return list, nil
}

const (
	draft = "https://json-schema.org/draft/2020-12/schema"
	local = "#/$defs/"
)

// schemaOf is the JSON Schema of t, whole: what it refers to is in its $defs. An
// object of an event may get further members within a version of the contract, so
// a receiver that validates lets them pass.
func schemaOf(t reflect.Type) (json.RawMessage, error) {
	reg := huma.NewMapRegistry(local, huma.DefaultSchemaNamer)
	reg.RegisterTypeAlias(reflect.TypeFor[api.Time](), reflect.TypeFor[instant]())
	root := reg.Schema(t, true, t.Name())
	op.MarkNull(reg, local)
	for _, s := range reg.Map() {
		s.AdditionalProperties = nil
	}
	return op.Encode(nil, struct {
		Schema string                  `json:"$schema"`
		Ref    string                  `json:"$ref"`
		Defs   map[string]*huma.Schema `json:"$defs"`
	}{draft, root.Ref, reg.Map()})
}

// instant is api.Time as it is on the wire.
type instant struct{}

// Schema implements huma.SchemaProvider.
func (instant) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}
