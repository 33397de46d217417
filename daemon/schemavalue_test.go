package daemon_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// value draws what a schema allows. The name of the member tells what its ids
// name.
func (w *world) value(rt *rapid.T, s map[string]any, name string) any {
	if ref, ok := s["$ref"].(string); ok {
		return w.value(rt, w.follow(rt, ref), name)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if of, ok := s[key].([]any); ok {
			return w.value(rt, rapid.SampledFrom(of).Draw(rt, name).(map[string]any), name)
		}
	}
	if enum, ok := s["enum"].([]any); ok {
		return rapid.SampledFrom(enum).Draw(rt, name)
	}
	switch kind := kindOfSchema(rt, s, name); kind {
	case "object":
		return w.object(rt, s, name)
	case "array":
		return w.array(rt, s, name)
	case "string":
		return w.text(rt, s, name)
	case "integer":
		low, high := bounds(s)
		return rapid.Int64Range(int64(math.Ceil(low)), int64(high)).Draw(rt, name)
	case "number":
		return rapid.Float64Range(bounds(s)).Draw(rt, name)
	case "boolean":
		return rapid.Bool().Draw(rt, name)
	case "null":
		return nil
	}
	return rapid.SampledFrom([]any{nil, true, 1.5, "x", []any{}, map[string]any{"a": "b"}}).Draw(rt, name)
}

func kindOfSchema(rt *rapid.T, s map[string]any, name string) string {
	switch kind := s["type"].(type) {
	case string:
		return kind
	case []any:
		return rapid.SampledFrom(kind).Draw(rt, "type of "+name).(string)
	}
	return ""
}

// follow finds what a reference within the root names.
func (w *world) follow(rt *rapid.T, ref string) map[string]any {
	at := w.root
	for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		next, ok := at[step].(map[string]any)
		if !ok {
			rt.Fatalf("%s names nothing", ref)
		}
		at = next
	}
	return at
}

func (w *world) object(rt *rapid.T, s map[string]any, name string) any {
	v := map[string]any{}
	members, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, member := range sortedKeys(members) {
		if member == "$schema" || !slices.Contains(required, any(member)) && rapid.IntRange(0, 2).Draw(rt, "with "+member) > 0 {
			continue
		}
		v[member] = w.value(rt, members[member].(map[string]any), member)
	}
	if more, ok := s["additionalProperties"].(map[string]any); ok {
		for range rapid.IntRange(0, 3).Draw(rt, "more of "+name) {
			v[rapid.StringN(1, 10, -1).Draw(rt, "key")] = w.value(rt, more, name)
		}
	}
	return v
}

func (w *world) array(rt *rapid.T, s map[string]any, name string) any {
	least, most := whole(s, "minItems", 0), whole(s, "maxItems", 5)
	v := []any{}
	items, _ := s["items"].(map[string]any)
	for range rapid.IntRange(least, min(most, least+3)).Draw(rt, "items of "+name) {
		v = append(v, w.value(rt, items, name))
	}
	return v
}

// text draws ids that exist more often than others, and short and long ones.
func (w *world) text(rt *rapid.T, s map[string]any, name string) string {
	least, most := whole(s, "minLength", 0), whole(s, "maxLength", 300)
	pattern, _ := s["pattern"].(string)
	if s["format"] == "date-time" {
		at := time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(rt, name)).UTC()
		return at.Format(rapid.SampledFrom([]string{time.RFC3339, time.RFC3339Nano}).Draw(rt, "format"))
	}
	kind := name
	if named := w.ids[nounOf(w.ids, name)]; named != "" && namesAnother.MatchString(name) {
		kind, _, _ = strings.Cut(named, "_")
	}
	if len(w.pool[kind]) > 0 && rapid.IntRange(0, 9).Draw(rt, "known "+name) > 1 {
		return w.pick(rt, kind, name)
	}
	var drawn *rapid.Generator[string]
	switch {
	case pattern != "":
		drawn = rapid.StringMatching(pattern)
	case rapid.Bool().Draw(rt, "plain "+name):
		drawn = rapid.StringOfN(rapid.RuneFrom([]rune("abc XYZ 012 -_<>&\"'{}/\\?#%äß中😀")), least, min(most, least+40), -1)
	default:
		drawn = rapid.StringN(least, min(most, least+40), -1)
	}
	return drawn.Filter(func(s string) bool {
		n := utf8.RuneCountInString(s)
		return n >= least && n <= most
	}).Draw(rt, name)
}

func (w *world) pick(rt *rapid.T, kind, name string) string {
	known := w.pool[kind]
	if len(known) == 0 {
		return "none"
	}
	return known[rapid.IntRange(0, 1<<10).Draw(rt, "which "+name)%len(known)]
}

func whole(s map[string]any, name string, otherwise int) int {
	if n, ok := s[name].(float64); ok {
		return int(n)
	}
	return otherwise
}

func bounds(s map[string]any) (low, high float64) {
	low, high = -1<<53+1, 1<<53-1
	if n, ok := s["minimum"].(float64); ok {
		low = n
	}
	if n, ok := s["maximum"].(float64); ok {
		high = n
	}
	return low, high
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func decodedSchemas(rt *rapid.T, c *contract) map[string]any {
	out := map[string]any{}
	for name, raw := range c.Components.Schemas {
		var s map[string]any
		if err := json.Unmarshal(raw, &s); err != nil {
			rt.Fatal(err)
		}
		out[name] = s
	}
	return out
}
