package op

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"edgesvc.dev/svc/sdk/api"
)

// Args are the arguments of one call: JSON object members, and parameters that
// stood in the path or the query. Nothing in it is kept after the call.
type Args struct {
	Body   []byte // JSON object; empty is {}
	Params []Param
	// Query says that Params are all there can be, as for GET: unknown names
	// and bad values are refused as parameters.
	Query bool
}

// Param is one parameter as text.
type Param struct{ Name, Value string }

// input is what NewTable learns of an operation's input type, so that a call
// needs no look at tags.
type input struct {
	typ    reflect.Type
	schema *huma.Schema
	fields []field
	more   func(in any) []api.FieldError // see Also
}

// field is one member of an input. Embedded structs are flattened.
type field struct {
	name     string
	index    []int
	required bool
	def      string // default as text, "" for none
	barred   bool   // the rules refuse the zero value
	rules    rules
	set      func(v reflect.Value, text string) bool // from a parameter; nil for objects and lists
}

func compileInput(reg huma.Registry, t reflect.Type) *input {
	in := &input{typ: t, schema: InputSchema(reg, t)}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		one := field{
			name: name, index: f.Index,
			required: !strings.Contains(options, "omit") && f.Tag.Get("required") != "false",
			def:      f.Tag.Get("default"),
			rules:    compileRules(f.Tag, f.Type),
			set:      setter(f.Type),
		}
		one.barred = one.rules.bar(reflect.Zero(f.Type))
		in.fields = append(in.fields, one)
	}
	return in
}

func (in *input) param(name string) *field {
	for i := range in.fields {
		if in.fields[i].name == name && in.fields[i].set != nil {
			return &in.fields[i]
		}
	}
	return nil
}

var timeType = reflect.TypeFor[api.Time]()

// setter parses a parameter into a value of type t.
func setter(t reflect.Type) func(reflect.Value, string) bool {
	if t == timeType {
		return func(v reflect.Value, s string) bool {
			at, err := api.ParseTime(s)
			v.SetInt(int64(at))
			return err == nil
		}
	}
	switch t.Kind() {
	case reflect.String:
		return func(v reflect.Value, s string) bool { v.SetString(s); return utf8.ValidString(s) }
	case reflect.Bool:
		return func(v reflect.Value, s string) bool {
			b, err := strconv.ParseBool(s)
			v.SetBool(b)
			return err == nil
		}
	case reflect.Int, reflect.Int64:
		return func(v reflect.Value, s string) bool {
			n, err := strconv.ParseInt(s, 10, 64)
			v.SetInt(n)
			return err == nil
		}
	case reflect.Float64:
		return func(v reflect.Value, s string) bool {
			n, err := strconv.ParseFloat(s, 64)
			v.SetFloat(n)
			return err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
		}
	}
	return nil
}

// decode makes a new input of the arguments. The returned pointer is to the
// operation's input type.
func (in *input) decode(reg huma.Registry, args *Args) (any, error) {
	ptr := reflect.New(in.typ)
	v := ptr.Elem()
	if len(args.Body) > 0 {
		if err := in.unmarshal(reg, args, ptr.Interface()); err != nil {
			return nil, err
		}
		if in.patchesObject(v) {
			if bad := in.mismatches(reg, args); len(bad) > 0 {
				return nil, refuseFields(bad, false)
			}
		}
	}
	if err := in.setParams(v, args); err != nil {
		return nil, err
	}
	given := args.sent()
	in.setDefaults(v, given)
	if bad := in.check(v, given); len(bad) > 0 {
		return nil, refuseFields(in.withMore(bad, ptr.Interface()), args.Query)
	}
	return ptr.Interface(), nil
}

// withMore adds what the domain finds wrong with members that are not in bad.
func (in *input) withMore(bad []api.FieldError, input any) []api.FieldError {
	if in.more == nil {
		return bad
	}
	known := len(bad)
	for _, f := range in.more(input) {
		if !slices.ContainsFunc(bad[:known], func(b api.FieldError) bool { return b.Pointer == f.Pointer }) {
			bad = append(bad, f)
		}
	}
	return bad
}

// patchesObject reports whether a merge patch sets a member that is an object.
// The contract's Opt decodes such values by the standard library, which lets
// unknown members pass, so the schema has to look at them.
func (in *input) patchesObject(v reflect.Value) bool {
	for i := range in.fields {
		if f := &in.fields[i]; f.rules.opt && f.rules.element != nil && !v.FieldByIndex(f.index).IsZero() {
			return true
		}
	}
	return false
}

func (in *input) setParams(v reflect.Value, args *Args) error {
	var bad []api.FieldError
	for i, p := range args.Params {
		f := in.param(p.Name)
		if f == nil {
			e := api.NewError(400, api.CodeUnknownParameter, "There is no parameter %s.", strconv.Quote(p.Name))
			e.Errors = []api.FieldError{{Pointer: p.Name, Code: "unknown_parameter", Message: "Allowed: " + strings.Join(in.paramNames(), ", ")}}
			return e
		}
		fv := v.FieldByIndex(f.index)
		switch {
		case !fv.IsZero() && len(args.Body) > 0:
			bad = append(bad, api.FieldError{Pointer: "/" + p.Name, Code: "unknown_field", Message: "belongs in the path, not in the body"})
		case slices.ContainsFunc(args.Params[:i], func(q Param) bool { return q.Name == p.Name }):
			bad = append(bad, api.FieldError{Pointer: p.Name, Code: "duplicate", Message: "is given twice"})
		case !f.set(fv, p.Value):
			bad = append(bad, api.FieldError{Pointer: p.Name, Code: "type", Message: "must be " + f.rules.kind()})
		}
	}
	if len(bad) > 0 {
		return refuseFields(bad, args.Query)
	}
	return nil
}

func (in *input) paramNames() []string {
	var names []string
	for _, f := range in.fields {
		if f.set != nil {
			names = append(names, f.name)
		}
	}
	return names
}

// setDefaults fills in what was not sent.
func (in *input) setDefaults(v reflect.Value, given *sent) {
	for i := range in.fields {
		if f := &in.fields[i]; f.def != "" && f.set != nil {
			if fv := v.FieldByIndex(f.index); fv.IsZero() && !given.has(f.name) {
				f.set(fv, f.def)
			}
		}
	}
}

// refuseFields is the error for all failing fields of one input.
func refuseFields(bad []api.FieldError, query bool) error {
	if query {
		for i := range bad {
			bad[i].Pointer = strings.TrimPrefix(bad[i].Pointer, "/")
		}
		return InvalidParameters(bad...)
	}
	if slices.ContainsFunc(bad, func(b api.FieldError) bool { return b.Code != "unknown_field" }) {
		return api.InvalidFields(bad...)
	}
	return api.InvalidFields(bad...).WithCode(api.CodeUnknownField)
}

// InvalidParameters is the error for parameters that cannot be accepted, each named
// by its Pointer. Operations use it for rules that a schema cannot say.
func InvalidParameters(bad ...api.FieldError) error {
	e := api.NewError(400, api.CodeInvalidParameter, "%s %s.", bad[0].Pointer, bad[0].Message)
	e.Errors = bad
	return e
}
