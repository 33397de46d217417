package op

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"edgesvc.dev/svc/sdk/api"
)

// rules are the constraints of one field's tags, the same that the schema
// shows, compiled for the decoded value.
type rules struct {
	kind      reflect.Kind
	opt       bool // an api.Opt, whose value the rules are about
	nullable  bool
	minLength int
	maxLength int // 0: none
	minimum   *int64
	maximum   *int64
	minItems  int
	maxItems  int // 0: none
	enum      []string
	pattern   *regexp.Regexp
	element   *input // rules of a struct, or of the structs of a list
}

func compileRules(tag reflect.StructTag, t reflect.Type) rules {
	r := rules{nullable: tag.Get("null") == "true"}
	if inner := optValue(t); inner != nil {
		r.opt, t = true, inner
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	r.kind = t.Kind()
	number := func(name string) int { n, _ := strconv.Atoi(tag.Get(name)); return n }
	r.minLength, r.maxLength = number("minLength"), number("maxLength")
	r.minItems, r.maxItems = number("minItems"), number("maxItems")
	r.minimum, r.maximum = bound(tag.Get("minimum")), bound(tag.Get("maximum"))
	if e := tag.Get("enum"); e != "" {
		r.enum = strings.Split(e, ",")
	}
	if p := tag.Get("pattern"); p != "" {
		r.pattern = regexp.MustCompile(p)
	}
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		r.element = compileInput(nil, t)
	}
	return r
}

func bound(s string) *int64 {
	if s == "" {
		return nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("op: bound " + s + " is no whole number")
	}
	return &n
}

// optValue returns T when t is api.Opt[T], nil otherwise.
func optValue(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Struct && t.PkgPath() == timeType.PkgPath() && strings.HasPrefix(t.Name(), "Opt[") {
		return t.Field(0).Type
	}
	return nil
}

// check reports every field of a decoded input that breaks its rules.
func (in *input) check(v reflect.Value) []api.FieldError {
	var bad []api.FieldError
	for i := range in.fields {
		f := &in.fields[i]
		fv := v.FieldByIndex(f.index)
		if fv.IsZero() {
			if f.required && f.rules.kind != reflect.Bool {
				bad = append(bad, api.FieldError{Pointer: "/" + f.name, Code: "required", Message: "is required"})
			}
			continue
		}
		f.rules.check("/"+f.name, fv, &bad)
	}
	return bad
}

func (r *rules) check(at string, v reflect.Value, bad *[]api.FieldError) {
	if r.opt {
		if v.Field(2).Bool() {
			if !r.nullable {
				fail(bad, at, "type", "cannot be null")
			}
			return
		}
		v = v.Field(0) // Value, Set, Null
	}
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		r.checkText(at, v.String(), bad)
	case reflect.Int, reflect.Int64:
		r.checkNumber(at, v.Int(), bad)
	case reflect.Slice:
		r.checkList(at, v, bad)
	case reflect.Struct:
		for _, b := range r.element.check(v) {
			b.Pointer = at + b.Pointer
			*bad = append(*bad, b)
		}
	}
}

func (r *rules) checkText(at, s string, bad *[]api.FieldError) {
	if r.minLength > 0 || r.maxLength > 0 && len(s) > r.maxLength {
		n := utf8.RuneCountInString(s)
		switch {
		case n < r.minLength && n == 0:
			fail(bad, at, "required", "cannot be empty")
		case n < r.minLength:
			fail(bad, at, "too_short", "must have at least %d characters", r.minLength)
		case r.maxLength > 0 && n > r.maxLength:
			fail(bad, at, "too_long", "may have at most %d characters, this has %d", r.maxLength, n)
		}
	}
	if r.enum != nil && !slices.Contains(r.enum, s) {
		fail(bad, at, "enum", "must be one of %s", strings.Join(r.enum, ", "))
	}
	if r.pattern != nil && !r.pattern.MatchString(s) {
		fail(bad, at, "pattern", "must match %s", r.pattern)
	}
}

func (r *rules) checkNumber(at string, n int64, bad *[]api.FieldError) {
	if r.minimum != nil && n < *r.minimum {
		fail(bad, at, "too_small", "must be at least %d", *r.minimum)
	}
	if r.maximum != nil && n > *r.maximum {
		fail(bad, at, "too_large", "may be at most %d", *r.maximum)
	}
}

func (r *rules) checkList(at string, v reflect.Value, bad *[]api.FieldError) {
	if n := v.Len(); n < r.minItems {
		fail(bad, at, "too_few", "must have at least %d items", r.minItems)
	} else if r.maxItems > 0 && n > r.maxItems {
		fail(bad, at, "too_many", "may have at most %d items, this has %d", r.maxItems, n)
		return
	}
	if r.element == nil {
		return
	}
	for i := range v.Len() {
		for _, b := range r.element.check(reflect.Indirect(v.Index(i))) {
			b.Pointer = fmt.Sprintf("%s/%d%s", at, i, b.Pointer)
			*bad = append(*bad, b)
		}
	}
}

func fail(bad *[]api.FieldError, at, code, format string, args ...any) {
	*bad = append(*bad, api.FieldError{Pointer: at, Code: code, Message: fmt.Sprintf(format, args...)})
}
