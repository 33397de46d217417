// Package contract reads the members of the API's types, so that commands have
// the flags, help and completion that the contract describes. It knows types by
// reflection only, and nothing of commands.
package contract

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"edgesvc.dev/svc/sdk/api"
)

// Kind is how a member is written on a command line.
type Kind int

// The kinds of member.
const (
	Text Kind = iota
	Bool
	Int
	Number
	Time
	List  // of texts
	Pairs // a list of objects with two texts, written NAME=TEXT
	JSON  // everything else
)

// Member is a member of an input.
type Member struct {
	Name     string // in JSON
	Kind     Kind
	Doc      string   // a phrase, "" where the contract says nothing
	Enum     []string // the values it may have
	Required bool
	Nullable bool // null clears it
	Long     bool // a text that is written in a file more often than on a line

	pair [2]string // the members of Pairs
}

// longText is the length from which a text is long.
const longText = 500

// implied are members that a command sets by itself.
var implied = []string{"id", "ifMatch", "limit", "cursor"}

// Members lists the members of a struct and of those it embeds, in their order,
// but for those that a command sets by itself: id, ifMatch, limit and cursor.
func Members(t reflect.Type) []Member {
	var members []Member
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Anonymous || name == "" || name == "-" || slices.Contains(implied, name) {
			continue
		}
		members = append(members, member(f, name, options))
	}
	return members
}

func member(f reflect.StructField, name, options string) Member {
	m := Member{Name: name, Doc: phrase(f.Tag.Get("doc")), Nullable: f.Tag.Get("null") == "true", Required: !strings.Contains(options, "omit")}
	m.Kind = kind(value(f.Type))
	if m.Kind == JSON {
		m.pairs(value(f.Type))
	}
	if values := f.Tag.Get("enum"); values != "" {
		m.Enum = strings.Split(values, ",")
	}
	length := f.Tag.Get("maxLength")
	m.Long = m.Kind == Text && m.Enum == nil && !strings.HasSuffix(strings.ToLower(name), "url") && (len(length) > 3 || length == "" && f.Tag.Get("minLength") != "" || atLeast(length, longText))
	return m
}

// pairs makes Pairs of a list whose objects have two texts.
func (m *Member) pairs(t reflect.Type) {
	if t.Kind() != reflect.Slice || t.Elem().Kind() != reflect.Struct || t.Elem().NumField() != len(m.pair) {
		return
	}
	for i := range m.pair {
		f := t.Elem().Field(i)
		if f.Type.Kind() != reflect.String {
			return
		}
		m.pair[i], _, _ = strings.Cut(f.Tag.Get("json"), ",")
	}
	m.Kind = Pairs
}

func atLeast(length string, n int) bool {
	v := 0
	for _, r := range length {
		v = 10*v + int(r-'0')
	}
	return v >= n
}

// Has reports whether a struct has a member.
func Has(t reflect.Type, name string) bool {
	return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return !f.Anonymous && member == name
	})
}

// Docs are the phrases that a type has for its members.
func Docs(t reflect.Type) map[string]string {
	docs := map[string]string{}
	for _, m := range Members(t) {
		if m.Doc != "" {
			docs[m.Name] = m.Doc
		}
	}
	return docs
}

// value is the type that is written, without a pointer or api.Opt around it.
func value(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	if t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Opt[") && t.PkgPath() == reflect.TypeFor[api.None]().PkgPath() {
		return t.Field(0).Type
	}
	return t
}

func kind(t reflect.Type) Kind {
	switch t.Kind() {
	case reflect.String:
		return Text
	case reflect.Bool:
		return Bool
	case reflect.Int, reflect.Int32:
		return Int
	case reflect.Int64:
		if t == reflect.TypeFor[api.Time]() {
			return Time
		}
		return Int
	case reflect.Float64:
		return Number
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return List
		}
	}
	return JSON
}

// phrase is the first sentence of a doc tag as flags are described.
func phrase(doc string) string {
	first, _, more := strings.Cut(doc, ". ")
	if !more {
		first = strings.TrimSuffix(doc, ".")
	}
	r := []rune(first)
	if len(r) > 1 && unicode.IsUpper(r[0]) && !unicode.IsUpper(r[1]) {
		r[0] = unicode.ToLower(r[0])
	}
	return string(r)
}

// Flag is a member's name as a flag: publishAt is publish-at, and a list has
// the name of one of its values.
func (m Member) Flag() string {
	name := m.Name
	if m.Kind == List && strings.HasSuffix(name, "s") {
		name = strings.TrimSuffix(name, "s")
	}
	return Kebab(name)
}

// Kebab writes a name as flags are written: avatarURL and avatarUrl are
// avatar-url, create_post is create-post.
func Kebab(name string) string {
	var b strings.Builder
	r := []rune(name)
	for i, c := range r {
		begins := unicode.IsUpper(c) && i > 0 && (!unicode.IsUpper(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1]))
		if begins {
			b.WriteByte('-')
		}
		if c == '_' {
			c = '-'
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// Words writes a name as a phrase: avatarUrl is avatar url.
func Words(name string) string { return strings.ReplaceAll(Kebab(name), "-", " ") }
