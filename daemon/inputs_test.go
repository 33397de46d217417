package daemon_test

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"pgregory.net/rapid"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// An input is the JSON of what an operation takes, with {{id}} for the object that
// it is about, {{of member}} for the id that a member names, and {{new}} for a
// word that no other call uses.
type input string

var placeholder = regexp.MustCompile(`\{\{[^}]+\}\}`)

// words numbers what {{new}} stands for.
var words atomic.Int64

// with fills an input. The word that it used is the second value.
func (i input) with(id string, of func(member string) string) (body, word string) {
	word = fmt.Sprintf("word%dw", words.Add(1))
	return placeholder.ReplaceAllStringFunc(string(i), func(m string) string {
		switch name := strings.Trim(m, "{}"); {
		case name == "id":
			return id
		case name == "new":
			return word
		default:
			return of(strings.TrimPrefix(name, "of "))
		}
	}), word
}

// members are those of the input that name other objects.
func (i input) members() (all []string) {
	for _, m := range placeholder.FindAllString(string(i), -1) {
		if name, ok := strings.CutPrefix(strings.Trim(m, "{}"), "of "); ok && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// mended is the input without the members that a refusal names, where it has them,
// and with them, where it has not.
func (i input) mended(t testing.TB, row *op.Op, refused answer) input {
	t.Helper()
	all := inputs(t, row)
	var now, whole map[string]any
	mustJSON(t, []byte(i), &now)
	mustJSON(t, []byte(all[len(all)-1]), &whole)
	var problem api.Error
	mustJSON(t, refused.Body, &problem)
	for _, e := range problem.Errors {
		name, _, _ := strings.Cut(strings.TrimPrefix(e.Pointer, "/"), "/")
		switch _, has := now[name]; {
		case slices.Contains(requiredOf(row.InputType()), name):
		case has:
			delete(now, name)
		case whole[name] != nil:
			now[name] = whole[name]
		}
	}
	return input(encode(t, now))
}

// usual are values of members of which the schema says too little.
var usual = map[string]string{
	"email": "{{new}}@example.test", "currentPassword": password, "newPassword": password, "password": password,
	"url": "https://example.com", "model": "gpt-6-luna", "locale": "en", "scopes": "posts:read", "allowedOrigins": "https://example.com", "from": "visitor",
}

const password = "correct horse battery"

var (
	namesAnother = regexp.MustCompile(`^.*Ids?$|^sources$`)
	inAddress    = regexp.MustCompile(`(?i)url$`)
)

// inputs are those that the schema of a row's input allows, the simplest first:
// the required members alone, each other member and each choice besides, and all. A member that says what becomes of the
// answer (a page, a version, a wait) is left out.
func inputs(t testing.TB, row *op.Op) []input {
	t.Helper()
	return inputsOf(t, row.InputType(), about(row))
}

func inputsOf(t testing.TB, typ reflect.Type, about string) (all []input) {
	t.Helper()
	reg := op.NewRegistry()
	s := sampler{reg: reg, about: about}
	for _, v := range s.objects(op.InputSchema(reg, typ), true) {
		if i := input(encode(t, v)); !slices.Contains(all, i) {
			all = append(all, i)
		}
	}
	return all
}

// about is the member of an input that names what the operation is about, "" for
// none.
func about(row *op.Op) string {
	if slices.Contains(requiredOf(row.InputType()), "id") {
		return "id"
	}
	if slices.Contains(row.PathParams(), "slug") {
		return "slug"
	}
	return ""
}

func requiredOf(typ reflect.Type) []string { return op.InputSchema(op.NewRegistry(), typ).Required }

type sampler struct {
	reg   huma.Registry
	about string
}

var leftOut = []string{"ifMatch", "cursor", "order", "wait", "lastEventId"}

// objects are the ways to write an object, the simplest first.
func (s sampler) objects(schema *huma.Schema, top bool) []map[string]any {
	required, whole := map[string]any{}, map[string]any{}
	choices, optional := []map[string]any{{}}, []map[string]any{{}}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if slices.Contains(leftOut, name) {
			continue
		}
		values := s.values(schema.Properties[name], name, top)
		whole[name] = values[0]
		if slices.Contains(schema.Required, name) {
			required[name] = values[0]
			for _, v := range values[1:] {
				choices = append(choices, map[string]any{name: v})
			}
			continue
		}
		for _, v := range values {
			optional = append(optional, map[string]any{name: v})
		}
	}
	all := []map[string]any{}
	for _, choice := range choices {
		for _, more := range optional {
			all = append(all, join(required, choice, more))
		}
	}
	return append(all, whole)
}

func join(all ...map[string]any) map[string]any {
	out := map[string]any{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}

// values are the ways to write a member, at least one.
func (s sampler) values(schema *huma.Schema, name string, top bool) []any {
	if schema.Ref != "" {
		schema = s.reg.SchemaFromRef(schema.Ref)
	}
	switch {
	case top && name == s.about:
		return []any{"{{id}}"}
	case len(schema.Enum) > 0:
		return schema.Enum
	case len(schema.OneOf) > 0:
		return s.values(schema.OneOf[0], name, false)
	}
	switch schema.Type {
	case huma.TypeObject:
		var all []any
		for _, v := range s.objects(schema, false) {
			all = append(all, v)
		}
		return all
	case huma.TypeArray:
		var all []any
		for _, v := range s.values(schema.Items, name, false) {
			all = append(all, []any{v})
		}
		return all
	case huma.TypeBoolean:
		return []any{true}
	case huma.TypeInteger, huma.TypeNumber:
		return []any{number(schema)}
	case huma.TypeString:
		return []any{s.text(schema, name)}
	}
	return []any{map[string]any{}}
}

func number(s *huma.Schema) any {
	if s.Maximum != nil && *s.Maximum <= 200 {
		return *s.Maximum // a whole page rather than its first record
	}
	if s.Minimum != nil {
		return *s.Minimum
	}
	return 1
}

func (s sampler) text(schema *huma.Schema, name string) string {
	switch {
	case schema.Format == "date-time":
		return time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	case usual[name] != "":
		return usual[name]
	case name == "id" || namesAnother.MatchString(name):
		return "{{of " + name + "}}"
	case inAddress.MatchString(name):
		return "https://example.com/{{new}}"
	case schema.Pattern != "" && !regexp.MustCompile(schema.Pattern).MatchString("word1w"):
		return rapid.StringMatching(schema.Pattern).Example(1)
	}
	if schema.MinLength != nil && *schema.MinLength > len("word1w") {
		return "{{new}}" + strings.Repeat("x", *schema.MinLength)
	}
	return "{{new}}"
}

// split parts an input into what REST takes in the path and the rest.
func split(t testing.TB, o *op.Op, body string) (path string, rest map[string]any) {
	t.Helper()
	mustJSON(t, []byte(body), &rest)
	path = o.Path
	for _, name := range o.PathParams() {
		path = strings.Replace(path, "{"+name+"}", plain(rest[name]), 1)
		delete(rest, name)
	}
	return path, rest
}

// asQuery writes members that have one value as parameters.
func asQuery(members map[string]any) string {
	q := url.Values{}
	for name, v := range members {
		switch v.(type) {
		case []any, map[string]any:
		default:
			q.Set(name, plain(v))
		}
	}
	return q.Encode()
}

// plain is a text, number or truth as it is in an address.
func plain(v any) string { return strings.Trim(fmt.Sprint(v), "\"") }
