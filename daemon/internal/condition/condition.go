// Package condition decides about facts: and/or trees of rules over maps, for
// audiences, sequences and automations. There is no other language for that: texts
// have Liquid, and nobody would learn a third one.
package condition

import (
	"fmt"
	"strings"
	"time"

	"edgesvc.dev/svc/sdk/api"
)

// Bounds of one condition.
const (
	maxDepth = 8
	maxRules = 100
)

// Condition is one that was checked. The zero Condition is true.
type Condition struct{ root node }

// node is a rule, or what joins others.
type node interface {
	match(facts map[string]any, now time.Time) bool
}

// Compile checks a condition, which is at pointer in the input, and returns every
// fault at once. nil is a condition that is true.
func Compile(c *api.Condition, pointer string) (*Condition, []api.FieldError) {
	if c == nil {
		return &Condition{}, nil
	}
	k := &compiler{}
	root := k.node(c, pointer, 1)
	if k.rules > maxRules {
		k.add(pointer, "too_many", "has %d rules; at most %d are allowed", k.rules, maxRules)
	}
	if len(k.bad) > 0 {
		return nil, k.bad
	}
	return &Condition{root}, nil
}

// Match reports whether the facts meet the condition at a time. A field that is
// missing, or null, meets only exists:false and ne.
func (c *Condition) Match(facts map[string]any, now time.Time) bool {
	return c.root == nil || c.root.match(facts, now)
}

type compiler struct {
	bad   []api.FieldError
	rules int
}

func (k *compiler) add(pointer, code, message string, args ...any) {
	k.bad = append(k.bad, api.FieldError{Pointer: pointer, Code: code, Message: fmt.Sprintf(message, args...)})
}

func (k *compiler) node(c *api.Condition, pointer string, depth int) node {
	if depth > maxDepth {
		k.add(pointer, "depth", "is nested deeper than %d levels", maxDepth)
		return nil
	}
	var kinds []string
	for name, has := range map[string]bool{"all": c.All != nil, "any": c.Any != nil, "not": c.Not != nil, "a rule": c.Field != "" || c.Op != "" || c.Value != nil} {
		if has {
			kinds = append(kinds, name)
		}
	}
	if len(kinds) != 1 {
		k.add(pointer, "required", "must be one of all, any, not, or a rule of field, op and value")
		return nil
	}
	switch kinds[0] {
	case "all":
		return all(k.nodes(c.All, pointer+"/all", depth))
	case "any":
		return anyOf(k.nodes(c.Any, pointer+"/any", depth))
	case "not":
		return not(k.nodes(c.Not, pointer+"/not", depth))
	}
	k.rules++
	return k.rule(c, pointer)
}

func (k *compiler) nodes(list []api.Condition, pointer string, depth int) []node {
	if len(list) == 0 {
		k.add(pointer, "required", "must have at least one condition")
	}
	out := make([]node, 0, len(list))
	for i := range list {
		out = append(out, k.node(&list[i], fmt.Sprintf("%s/%d", pointer, i), depth+1))
	}
	return out
}

func (k *compiler) rule(c *api.Condition, pointer string) node {
	path := strings.Split(c.Field, ".")
	for _, part := range path {
		if part == "" {
			k.add(pointer+"/field", "format", "must be a path such as person.attributes.plan")
			return nil
		}
	}
	compile, known := operators[c.Op]
	if !known {
		k.add(pointer+"/op", "enum", "must be one of %s", operatorNames())
		return nil
	}
	test, err := compile(c.Value)
	if err != nil {
		k.add(pointer+"/value", "type", "%s", err.Error())
		return nil
	}
	return &rule{path, test}
}

type (
	all   []node
	anyOf []node
	not   []node
)

func (n all) match(facts map[string]any, now time.Time) bool {
	for _, one := range n {
		if !one.match(facts, now) {
			return false
		}
	}
	return true
}

func (n anyOf) match(facts map[string]any, now time.Time) bool {
	for _, one := range n {
		if one.match(facts, now) {
			return true
		}
	}
	return false
}

func (n not) match(facts map[string]any, now time.Time) bool { return !anyOf(n).match(facts, now) }

// rule is a test of the value at a path.
type rule struct {
	path []string
	test test
}

func (r *rule) match(facts map[string]any, now time.Time) bool {
	return r.test(lookup(facts, r.path), now)
}

// lookup is the value at a path, nil for none. A member whose name has dots in it is
// found as well, the longest name first: attributes have names of their team's own.
func lookup(v any, path []string) any {
	m, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	for n := len(path); n > 0; n-- {
		inner, has := m[strings.Join(path[:n], ".")]
		if has && n == len(path) {
			return inner
		}
		if has {
			if found := lookup(inner, path[n:]); found != nil {
				return found
			}
		}
	}
	return nil
}
