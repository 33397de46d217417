package op

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// NewRegistry makes an empty registry of schemas. Times are date-times. It is
// not safe for concurrent use while schemas are added.
func NewRegistry() huma.Registry {
	strictSchemas()
	reg := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	reg.RegisterTypeAlias(timeType, reflect.TypeFor[timeSchema]())
	return reg
}

// timeSchema stands for api.Time, which the schema library would take for an
// integer.
type timeSchema struct{}

// Schema implements huma.SchemaProvider.
func (timeSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

// InputSchema registers the schema of an input and returns it without a
// reference. The members of a merge patch are described by what they hold.
func InputSchema(reg huma.Registry, t reflect.Type) *huma.Schema {
	if reg == nil {
		return nil // a part of an input: its owner's schema has it
	}
	aliasOpts(reg, t, map[reflect.Type]bool{})
	s := reg.Schema(t, false, t.Name())
	if s.Ref != "" {
		s = reg.SchemaFromRef(s.Ref)
	}
	return s
}

func aliasOpts(reg huma.Registry, t reflect.Type, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if inner := optValue(t); inner != nil {
		reg.RegisterTypeAlias(t, inner)
		t = inner
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return
	}
	seen[t] = true
	for i := range t.NumField() {
		aliasOpts(reg, t.Field(i).Type, seen)
	}
}

// OutputSchema returns the schema of an answer: for a type of alternatives (no
// member has a name) the choice among them.
func OutputSchema(reg huma.Registry, t reflect.Type) *huma.Schema {
	if t.Kind() == reflect.Struct && t.NumField() > 0 && t.Field(0).Tag.Get("json") == "" && !t.Field(0).Anonymous {
		s := &huma.Schema{}
		for i := range t.NumField() {
			s.OneOf = append(s.OneOf, reg.Schema(t.Field(i).Type, true, ""))
		}
		return s
	}
	return reg.Schema(t, true, t.Name())
}

// forms are the patterns of texts whose form the domains check by themselves,
// by the member's tag form. An id of another form names nothing.
var forms = map[string]string{
	"id":     `[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}`,
	"slug":   `[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+(-[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{N}]+)*`,
	"label":  `[a-z0-9]+(-[a-z0-9]+)*`,
	"locale": `[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*`,
}

// Form is the pattern of a text of that form, "" for an unknown one.
func Form(form string) string {
	if forms[form] == "" {
		return ""
	}
	return "^" + forms[form] + "$"
}

// MarkForms gives every member tagged form its pattern in the schemas of reg,
// whose references begin with prefix. It is for documents: the domains refuse
// what has another form in their own words, and an id as not found.
func MarkForms(reg huma.Registry, prefix string) {
	for name, s := range reg.Map() {
		t := reg.TypeFromRef(prefix + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			member, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			p, form := s.Properties[member], forms[f.Tag.Get("form")]
			switch {
			case p == nil || form == "":
			case strings.HasPrefix(options, "omit") && f.Tag.Get("minLength") == "":
				p.Pattern = "^(" + form + ")?$" // without one as if it were not sent
			default:
				p.Pattern = Form(f.Tag.Get("form"))
			}
		}
	}
}

// MarkNull lets every member tagged null:"true" be null in the schemas of reg,
// whose references begin with prefix. Documents need it; validation treats null
// by the rules of the operation's input.
func MarkNull(reg huma.Registry, prefix string) {
	for name, s := range reg.Map() {
		t := reg.TypeFromRef(prefix + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			p := s.Properties[member]
			switch {
			case f.Tag.Get("null") != "true" || p == nil:
			case p.Ref != "":
				s.Properties[member] = &huma.Schema{OneOf: []*huma.Schema{{Ref: p.Ref}, {Type: "null"}}}
			default:
				p.Nullable = true
			}
		}
	}
}
