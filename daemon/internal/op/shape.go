package op

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"edgesvc.dev/svc/sdk/api"
)

// Bounds of any JSON that is looked at beyond its type.
const (
	maxDepth   = 64
	maxMembers = 1000
)

// unmarshal decodes body into ptr. A body that fits is decoded once; one that
// does not is read a second time to say everything that is wrong with it.
func (in *input) unmarshal(reg huma.Registry, args *Args, ptr any) error {
	err := json.Unmarshal(args.Body, ptr, decodeOptions)
	if err == nil && string(bytes.TrimSpace(args.Body)) != "null" {
		return nil
	}
	if shape := checkShape(args.Body); shape != nil {
		return shape
	}
	if bad := in.mismatches(reg, args); len(bad) > 0 {
		return refuseFields(bad, false)
	}
	if se, ok := errors.AsType[*json.SemanticError](err); ok {
		return refuseFields([]api.FieldError{{Pointer: string(se.JSONPointer), Code: "type", Message: "has a value of the wrong type"}}, false)
	}
	return api.NewError(400, api.CodeInvalidJSON, "The body is not valid JSON.")
}

// checkShape refuses what is no JSON (RFC 8259, with duplicate members and
// invalid UTF-8 refused), and JSON that nests too deep or is too wide.
func checkShape(body []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(body))
	for {
		tok, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return notJSON(err)
		}
		if dec.StackDepth() > maxDepth {
			return api.NewError(400, api.CodeInvalidJSON, "The body nests deeper than %d levels.", maxDepth)
		}
		if k := tok.Kind(); k == '{' || k == '[' {
			continue
		}
		if _, n := dec.StackIndex(dec.StackDepth()); n > 2*maxMembers {
			return api.NewError(400, api.CodeInvalidJSON, "An object or list of the body has more than %d members.", maxMembers)
		}
		if dec.StackDepth() == 0 {
			return trailing(body[dec.InputOffset():])
		}
	}
}

func trailing(rest []byte) error {
	if len(bytes.TrimSpace(rest)) > 0 {
		return api.NewError(400, api.CodeInvalidJSON, "Something follows the JSON value.")
	}
	return nil
}

func notJSON(err error) error {
	e := api.NewError(400, api.CodeInvalidJSON, "The body is not valid JSON.")
	if se, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		e.Detail = "The body is not valid JSON: " + reason(se.Err)
		e.Errors = []api.FieldError{{Pointer: string(se.JSONPointer), Code: "syntax", Message: reason(se.Err)}}
	}
	return e
}

// reason is the library's words without its prefix.
func reason(err error) string {
	if err == nil {
		return "unexpected end"
	}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return "a member stands twice"
	}
	return strings.TrimPrefix(err.Error(), "jsontext: ")
}

// mismatches validates the body against the schema and lists all failures.
// Members that a parameter gives are not missing.
func (in *input) mismatches(reg huma.Registry, args *Args) []api.FieldError {
	var v any
	if err := json.Unmarshal(args.Body, &v); err != nil {
		return nil
	}
	var res huma.ValidateResult
	huma.Validate(reg, in.schema, huma.NewPathBuffer(make([]byte, 0, 64), 0), huma.ModeWriteToServer, v, &res)
	bad := make([]api.FieldError, 0, len(res.Errors))
	for _, err := range res.Errors {
		if d, ok := errors.AsType[*huma.ErrorDetail](err); ok {
			bad = append(bad, fieldError(d))
		}
	}
	bad = slices.DeleteFunc(bad, func(f api.FieldError) bool {
		return f.Code == "required" && slices.ContainsFunc(args.Params, func(p Param) bool { return f.Pointer == "/"+p.Name })
	})
	slices.SortFunc(bad, func(a, b api.FieldError) int { return strings.Compare(a.Pointer, b.Pointer) })
	if len(bad) > 50 {
		bad = bad[:50]
	}
	return bad
}

// messages maps the schema library's messages to codes and words. Values are
// never echoed.
var messages = []struct{ prefix, code, words string }{
	{validation.MsgUnexpectedProperty, "unknown_field", "is not a field of this request"},
	{validation.MsgExpectedRFC3339DateTime, "format", "must be an RFC 3339 time, like 2026-01-02T15:04:05Z"},
	{validation.MsgExpectedBoolean, "type", "must be true or false"},
	{validation.MsgExpectedInteger, "type", "must be a whole number"},
	{validation.MsgExpectedNumber, "type", "must be a number"},
	{validation.MsgExpectedString, "type", "must be text"},
	{validation.MsgExpectedArray, "type", "must be a list"},
	{validation.MsgExpectedObject, "type", "must be an object"},
	{"expected value to be one of", "enum", ""},
	{"expected number >=", "too_small", ""},
	{"expected number <=", "too_large", ""},
	{"expected length >=", "too_short", ""},
	{"expected length <=", "too_long", ""},
	{"expected array length >=", "too_few", ""},
	{"expected array length <=", "too_many", ""},
	{"expected string to match pattern", "pattern", ""},
}

const requiredPrefix = "expected required property "

func fieldError(d *huma.ErrorDetail) api.FieldError {
	pointer := pointerOf(d.Location)
	if name, ok := strings.CutPrefix(d.Message, requiredPrefix); ok {
		name, _, _ = strings.Cut(name, " ")
		return api.FieldError{Pointer: pointer + "/" + name, Code: "required", Message: "is required"}
	}
	for _, m := range messages {
		if d.Message == m.prefix || m.words == "" && strings.HasPrefix(d.Message, m.prefix) {
			words := m.words
			if words == "" {
				words = "must be as the schema says: " + d.Message
			}
			return api.FieldError{Pointer: pointer, Code: m.code, Message: words}
		}
	}
	return api.FieldError{Pointer: pointer, Code: "invalid", Message: "is not accepted by the schema"}
}

// pointerOf turns a path like a.b[2].c into a JSON pointer.
func pointerOf(path string) string {
	if path == "" {
		return ""
	}
	path = strings.ReplaceAll(strings.ReplaceAll(path, "]", ""), "[", ".")
	return "/" + strings.ReplaceAll(strings.ReplaceAll(path, "~", "~0"), ".", "/")
}
