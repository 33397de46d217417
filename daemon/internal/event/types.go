package event

import (
	"reflect"
	"strings"
)

// The categories that types belong to.
const (
	Content  = "content"
	Audience = "audience"
	Commerce = "commerce"
	Operator = "operator" // about what the team's operators must see to
)

// Kind is one type of event, declared by the domain that appends it: its object
// is a T.
type Kind[T any] struct {
	Name     string // "post.published"
	Category string
	Doc      string
	Person   func(*T) string // id of the person whom the object is about; nil: nobody
}

func (k Kind[T]) person(v *T) string {
	if k.Person == nil {
		return ""
	}
	return k.Person(v)
}

// Type is a kind as the catalogue lists it.
type Type struct {
	name, category, doc string
	object              reflect.Type
}

func (k Kind[T]) catalogued() Type {
	return Type{k.Name, k.Category, k.Doc, reflect.TypeFor[T]()}
}

// Types lists the kinds of a domain.
func Types(kinds ...interface{ catalogued() Type }) []Type {
	all := make([]Type, len(kinds))
	for i, k := range kinds {
		all[i] = k.catalogued()
	}
	return all
}

// typeOf finds a type; ok is false when it is not in the catalogue.
func (l *Log) typeOf(name string) (t Type, ok bool) {
	for _, t := range l.types {
		if t.name == name {
			return t, true
		}
	}
	return t, false
}

// category is that of a type, "" when the type is not emitted any more.
func (l *Log) category(name string) string {
	t, _ := l.typeOf(name)
	return t.category
}

// Match reports whether a type is meant by pattern: a type, "order.*", a category
// as "@commerce", or "*". What is about the operators' own affairs only its exact
// type means.
func (l *Log) Match(pattern, name string) bool {
	if pattern == name {
		return true
	}
	own := l.category(name)
	if own == Operator {
		return false
	}
	if c, ok := strings.CutPrefix(pattern, "@"); ok {
		return own == c
	}
	noun, ok := strings.CutSuffix(pattern, "*")
	return ok && (noun == "" || strings.HasSuffix(noun, ".") && strings.HasPrefix(name, noun))
}

// Known reports whether any type is meant by pattern.
func (l *Log) Known(pattern string) bool {
	for _, t := range l.types {
		if l.Match(pattern, t.name) {
			return true
		}
	}
	return false
}
