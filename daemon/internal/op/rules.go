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
	typ       reflect.Type
	opt       bool // an api.Opt, whose value the rules are about
	nullable  bool
	minLength int
	maxLength int // 0: none
	minimum   *bound
	maximum   *bound
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
	r.typ = t
	number := func(name string) int { n, _ := strconv.Atoi(tag.Get(name)); return n }
	r.minLength, r.maxLength = number("minLength"), number("maxLength")
	r.minItems, r.maxItems = number("minItems"), number("maxItems")
	r.minimum, r.maximum = parseBound(tag.Get("minimum")), parseBound(tag.Get("maximum"))
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

// bound is a limit of a number: as it is written, and exact for either kind.
type bound struct {
	text  string
	whole int64
	real  float64
}

func parseBound(s string) *bound {
	if s == "" {
		return nil
	}
	b := &bound{text: s}
	var err error
	if b.real, err = strconv.ParseFloat(s, 64); err != nil {
		panic("op: bound " + s + " is not a number")
	}
	if b.whole, err = strconv.ParseInt(s, 10, 64); err != nil {
		b.whole = int64(b.real)
	}
	return b
}

// kind is what a value must be, in words.
func (r *rules) kind() string {
	if r.typ == timeType {
		return "an RFC 3339 time"
	}
	switch r.typ.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	}
	return "text"
}

// optValue returns T when t is api.Opt[T], nil otherwise.
func optValue(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Struct && t.PkgPath() == timeType.PkgPath() && strings.HasPrefix(t.Name(), "Opt[") {
		return t.Field(0).Type
	}
	return nil
}

// check reports every field of a decoded input that breaks its rules. A zero
// that was sent is a value like any other; one that was not is an absence.
func (in *input) check(v reflect.Value, given *sent) []api.FieldError {
	var bad []api.FieldError
	for i := range in.fields {
		f := &in.fields[i]
		fv := v.FieldByIndex(f.index)
		if fv.IsZero() {
			if !f.required && !f.barred {
				continue
			}
			if !given.has(f.name) {
				if f.required {
					bad = append(bad, api.FieldError{Pointer: "/" + f.name, Code: "required", Message: "is required"})
				}
				continue
			}
		}
		f.rules.check(given.pointer(f.name), fv, given, f.name, &bad)
	}
	return bad
}

// bar reports whether the rules refuse v.
func (r *rules) bar(v reflect.Value) bool {
	if r.opt || r.element != nil || v.Kind() == reflect.Pointer {
		return false
	}
	var bad []api.FieldError
	r.check("", v, &sent{}, "", &bad)
	return len(bad) > 0
}

// check reports what is wrong with v, the member of that name of what was given.
func (r *rules) check(at string, v reflect.Value, given *sent, name string, bad *[]api.FieldError) {
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
		r.checkWhole(at, v.Int(), bad)
	case reflect.Float64:
		r.checkReal(at, v.Float(), bad)
	case reflect.Slice:
		r.checkList(at, v, given, name, bad)
	case reflect.Struct:
		for _, b := range r.element.check(v, given.in(name)) {
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
	r.checkEnum(at, s, bad)
	if r.pattern != nil && !r.pattern.MatchString(s) {
		fail(bad, at, "pattern", "must match %s", r.pattern)
	}
}

func (r *rules) checkWhole(at string, n int64, bad *[]api.FieldError) {
	if r.typ == timeType {
		return
	}
	r.checkBounds(at, r.minimum != nil && n < r.minimum.whole, r.maximum != nil && n > r.maximum.whole, bad)
	r.checkEnum(at, strconv.FormatInt(n, 10), bad)
}

func (r *rules) checkReal(at string, n float64, bad *[]api.FieldError) {
	r.checkBounds(at, r.minimum != nil && n < r.minimum.real, r.maximum != nil && n > r.maximum.real, bad)
}

func (r *rules) checkBounds(at string, under, over bool, bad *[]api.FieldError) {
	switch {
	case under:
		fail(bad, at, "too_small", "must be at least %s", r.minimum.text)
	case over:
		fail(bad, at, "too_large", "may be at most %s", r.maximum.text)
	}
}

func (r *rules) checkEnum(at, text string, bad *[]api.FieldError) {
	if r.enum != nil && !slices.Contains(r.enum, text) {
		fail(bad, at, "enum", "must be one of %s", strings.Join(r.enum, ", "))
	}
}

func (r *rules) checkList(at string, v reflect.Value, given *sent, name string, bad *[]api.FieldError) {
	if n := v.Len(); n < r.minItems {
		fail(bad, at, "too_few", "must have at least %d items", r.minItems)
	} else if r.maxItems > 0 && n > r.maxItems {
		fail(bad, at, "too_many", "may have at most %d items, this has %d", r.maxItems, n)
		return
	}
	if r.element == nil {
		r.checkTexts(at, v, bad)
		return
	}
	list := given.in(name)
	for i := range v.Len() {
		for _, b := range r.element.check(reflect.Indirect(v.Index(i)), list.at(i)) {
			b.Pointer = fmt.Sprintf("%s/%d%s", at, i, b.Pointer)
			*bad = append(*bad, b)
		}
	}
}

// checkTexts holds the rules of a list of texts for each of them.
func (r *rules) checkTexts(at string, v reflect.Value, bad *[]api.FieldError) {
	if v.Type().Elem().Kind() != reflect.String || !r.ofText() {
		return
	}
	for i := range v.Len() {
		r.checkText(fmt.Sprintf("%s/%d", at, i), v.Index(i).String(), bad)
	}
}

func (r *rules) ofText() bool {
	return r.minLength > 0 || r.maxLength > 0 || r.enum != nil || r.pattern != nil
}

func fail(bad *[]api.FieldError, at, code, format string, args ...any) {
	*bad = append(*bad, api.FieldError{Pointer: at, Code: code, Message: fmt.Sprintf(format, args...)})
}
