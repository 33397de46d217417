package template

import (
	"fmt"

	"github.com/osteele/liquid/values"
)

// traced is a value that knows its name, so that what is asked of it and not
// there can be told by name.
type traced struct {
	values.Value
	run  *run
	name string
}

// traced wraps what has members; other values need no name.
func (r *run) traced(name string, v any) any {
	switch v.(type) {
	case map[string]any, []any:
		return traced{values.ValueOf(v), r, name}
	case nil:
		return nil
	}
	return v
}

// PropertyValue implements values.Value.
func (t traced) PropertyValue(name values.Value) values.Value {
	return t.member(t.Value.PropertyValue(name), fmt.Sprintf("%s.%v", t.name, name.Interface()))
}

// IndexValue implements values.Value.
func (t traced) IndexValue(index values.Value) values.Value {
	if s, ok := index.Interface().(string); ok {
		return t.member(t.Value.IndexValue(index), t.name+"."+s)
	}
	return t.member(t.Value.IndexValue(index), fmt.Sprintf("%s[%v]", t.name, index.Interface()))
}

func (t traced) member(v values.Value, name string) values.Value {
	raw := v.Interface()
	if raw == nil {
		return t.run.lacking(name)
	}
	return values.ValueOf(t.run.traced(name, raw))
}

// nothing is the absence of a value; what is asked of it is absent in its place.
type nothing struct {
	values.Value
	run  *run
	name string
	at   int // in run.absent
}

func (r *run) lacking(name string) values.Value {
	r.absent = append(r.absent, name)
	return nothing{values.ValueOf(nil), r, name, len(r.absent) - 1}
}

// PropertyValue implements values.Value.
func (n nothing) PropertyValue(name values.Value) values.Value {
	n.name = fmt.Sprintf("%s.%v", n.name, name.Interface())
	if n.at < len(n.run.absent) {
		n.run.absent[n.at] = n.name
	}
	return n
}

// IndexValue implements values.Value.
func (n nothing) IndexValue(index values.Value) values.Value { return n.PropertyValue(index) }
