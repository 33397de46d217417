package superjson_test

import (
	"encoding/json"
	"testing"

	"edgesvc.dev/svc/daemon/internal/superjson"
)

// tagged reads a value as the vectors write it: JSON stands for itself, other
// values are objects with a "$" member.
func tagged(t *testing.T, raw []byte) *superjson.Value {
	t.Helper()
	v, err := superjson.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if tag := v.Member("$"); tag == nil || tag.Text != "graph" {
		return untag(t, v, nil)
	}
	shared := map[string]*superjson.Value{}
	list := v.Member("shared")
	for _, id := range list.Keys {
		shared[id] = &superjson.Value{}
	}
	for i, id := range list.Keys {
		*shared[id] = *untag(t, list.Items[i], shared)
	}
	return untag(t, v.Member("root"), shared)
}

func untag(t *testing.T, v *superjson.Value, shared map[string]*superjson.Value) *superjson.Value {
	deep := func(v *superjson.Value) *superjson.Value { return untag(t, v, shared) }
	tag := v.Member("$")
	if tag == nil {
		out := *v
		out.Items = nil
		for _, item := range v.Items {
			out.Items = append(out.Items, deep(item))
		}
		if v.Kind == superjson.Number && v.Text == "-0" {
			out.Text = "0"
		}
		return &out
	}
	text := func(name string) string {
		if m := v.Member(name); m != nil {
			return m.Text
		}
		return ""
	}
	switch tag.Text {
	case "ref":
		return shared[text("id")]
	case "undefined":
		return &superjson.Value{}
	case "number":
		return &superjson.Value{Kind: superjson.Number, Text: text("v")}
	case "bigint":
		return &superjson.Value{Kind: superjson.BigInt, Text: text("v")}
	case "Date":
		iso, _ := json.Marshal(text("iso"))
		d, err := superjson.Decode([]byte(`{"json":` + string(iso) + `,"meta":{"values":["Date"],"v":1}}`))
		if err != nil {
			t.Skipf("invalid Date: %v", err)
		}
		return d
	case "RegExp":
		return &superjson.Value{Kind: superjson.RegExp, Text: "/" + text("source") + "/" + text("flags")}
	case "URL":
		return &superjson.Value{Kind: superjson.URL, Text: text("href")}
	case "Set":
		return &superjson.Value{Kind: superjson.Set, Items: deep(v.Member("items")).Items}
	case "TypedArray":
		return &superjson.Value{Kind: superjson.TypedArray, Text: text("kind"), Items: deep(v.Member("values")).Items}
	case "Map", "object":
		return entries(tag.Text, deep(v.Member("entries")))
	case "Error":
		e := &superjson.Value{Kind: superjson.Error}
		for _, name := range []string{"name", "message", "cause"} {
			if m := v.Member(name); m != nil {
				e.Keys, e.Items = append(e.Keys, name), append(e.Items, deep(m))
			}
		}
		return e
	}
	t.Fatalf("tag %s", tag.Text)
	return nil
}

func entries(kind string, rows *superjson.Value) *superjson.Value {
	out := &superjson.Value{Kind: superjson.Map}
	if kind == "object" {
		out.Kind = superjson.Object
	}
	for _, row := range rows.Items {
		if kind == "object" {
			out.Keys, out.Items = append(out.Keys, row.Items[0].Text), append(out.Items, row.Items[1])
			continue
		}
		out.Items = append(out.Items, row.Items...)
	}
	return out
}
