package superjson_test

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/superjson"
	"edgesvc.dev/svc/daemon/internal/superjson/superjsontest"
	"edgesvc.dev/svc/sdk/api"
)

type vector struct {
	ID, Kind, Tier, Name, Input, Stringified string
	Value, Serialized, Revived               json.RawMessage
	Throws, ReviveThrows                     bool
	Cyclic, RefsOptional                     bool
	AcceptError, MustReject, AcceptValue     bool
}

// TestVectors holds the codec to what the library does. Cases of other tiers
// need registrations or values that only JavaScript has; values that contain
// themselves are refused.
func TestVectors(t *testing.T) {
	raw, err := os.ReadFile("testdata/superjson.public.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []vector }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range file.Cases {
		if c.Tier != "core" {
			continue
		}
		ran++
		t.Run(c.ID, func(t *testing.T) {
			if c.Kind == "serialize" {
				c.serialize(t)
				return
			}
			c.revive(t, []byte(c.Input), c.Throws)
		})
	}
	if ran < 180 {
		t.Errorf("only %d cases ran", ran)
	}
}

func (c *vector) serialize(t *testing.T) {
	out, err := superjsontest.Encode(nil, tagged(t, c.Value))
	if c.Throws || c.Cyclic {
		if err == nil {
			t.Errorf("no error but %s", out)
		}
		if c.Throws {
			return
		}
	} else if err != nil {
		t.Fatal(err)
	} else if got, want := comparable(t, out, c.RefsOptional), comparable(t, c.Serialized, c.RefsOptional); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %s\nwant %s", out, c.Serialized)
	}
	c.revive(t, c.Serialized, c.ReviveThrows)
}

func (c *vector) revive(t *testing.T, payload []byte, throws bool) {
	v, err := superjson.Decode(payload)
	switch {
	case c.MustReject, c.Cyclic, throws && !c.AcceptValue:
		if err == nil {
			t.Errorf("%s: accepted", payload)
		}
	case err != nil:
		if !c.AcceptError && !throws {
			t.Errorf("%s: %v", payload, err)
		}
	case !throws:
		same(t, v, tagged(t, c.Revived))
	}
}

// comparable decodes an envelope; references are compared as sets of places.
func comparable(t *testing.T, b []byte, dropRefs bool) any {
	t.Helper()
	var env map[string]any
	if err := json.Unmarshal(b, &env); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	meta, _ := env["meta"].(map[string]any)
	refs, ok := meta["referentialEqualities"].(map[string]any)
	if !ok {
		return env
	}
	delete(meta, "referentialEqualities")
	if dropRefs {
		return env
	}
	var classes []string
	for from, list := range refs {
		class := []string{from}
		for _, to := range list.([]any) {
			class = append(class, to.(string))
		}
		slices.Sort(class)
		classes = append(classes, strings.Join(class, " "))
	}
	slices.Sort(classes)
	env["refs"] = classes
	return env
}

// same compares trees, and that what one value holds at two places the other
// holds at the same two.
func same(t *testing.T, got, want *superjson.Value) {
	t.Helper()
	twin := map[*superjson.Value]*superjson.Value{}
	var walk func(g, w *superjson.Value, at string)
	walk = func(g, w *superjson.Value, at string) {
		if other, ok := twin[w]; ok && other != g {
			t.Errorf("%s: shared places differ", at)
		}
		if g.Kind > superjson.BigInt {
			twin[w] = g
		}
		gt, wt := g.Text, w.Text
		if g.Kind == superjson.Number && gt != wt {
			gt, wt = normal(gt), normal(wt)
		}
		if g.Kind != w.Kind || gt != wt || g.Bool != w.Bool || g.Time != w.Time || len(g.Items) != len(w.Items) {
			t.Errorf("%s: got %+v, want %+v", at, g, w)
			return
		}
		for i := range w.Items {
			name := at + "."
			j := i
			if w.Kind == superjson.Object || w.Kind == superjson.Error {
				name += w.Keys[i]
				if j = slices.Index(g.Keys, w.Keys[i]); j < 0 {
					t.Errorf("%s is missing", name)
					continue
				}
			}
			walk(g.Items[j], w.Items[i], name)
		}
	}
	walk(got, want, "")
}

func normal(literal string) string {
	var f float64
	if json.Unmarshal([]byte(literal), &f) != nil {
		return literal
	}
	b, _ := json.Marshal(f)
	return string(b)
}

type answer struct {
	At     api.Time       `json:"at"`
	Unset  api.Time       `json:"unset"`
	Opened *time.Time     `json:"opened,omitempty"`
	Views  int64          `json:"views"`
	Items  []answer       `json:"items"`
	Named  map[string]int `json:"na.med"`
	Any    any            `json:"any"`
}

func TestShape(t *testing.T) {
	shape := superjson.ShapeOf(reflect.TypeFor[answer]())
	body := `{"at":"2026-01-02T03:04:05.006Z","unset":null,"views":9007199254740993,"items":[{"at":null,"views":-9007199254740991,` +
		`"opened":"2026-01-02T03:04:05Z","items":[],"na.med":{"a.b":-9223372036854775808,"c":1}}],"na.med":{},"any":{"at":"x","views":9007199254740993}}`
	got, err := shape.Wrap([]byte("data:"), []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	want := `data:{"json":` + strings.NewReplacer(`"views":9007199254740993,"items"`, `"views":"9007199254740993","items"`,
		`-9223372036854775808`, `"-9223372036854775808"`).Replace(body) +
		`,"meta":{"values":{"at":["Date"],"views":["bigint"],"items.0.opened":["Date"],"items.0.na\\.med.a\\.b":["bigint"]},"v":1}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	v, err := superjson.Decode(got[len("data:"):])
	if err != nil {
		t.Fatal(err)
	}
	if views := v.Member("views"); views.Kind != superjson.BigInt || views.Text != "9007199254740993" {
		t.Errorf("views: %+v", views)
	}
}

// TestShapeOfAlternatives wraps an answer that is one of several types.
func TestShapeOfAlternatives(t *testing.T) {
	shape := superjson.ShapeOf(reflect.TypeFor[api.PostCreated]())
	for _, body := range []string{`{"createdAt":"2026-01-02T03:04:05.006Z"}`} {
		got, err := shape.Wrap(nil, []byte(body))
		if want := `{"json":` + body + `,"meta":{"values":{"createdAt":["Date"]},"v":1}}`; err != nil || string(got) != want {
			t.Errorf("%s, %v", got, err)
		}
	}
}

func TestPlain(t *testing.T) {
	for payload, want := range map[string]string{
		`{"json":{"a":1}}`: `{"a":1}`,
		` {"json": [1] } `: `[1]`,
		`{"json":null,"meta":{"values":["undefined"],"v":1}}`: ``,
		`5`: ``,
		`{"json":{"d":"2024-01-02T03:04:05+02:00","n":"123","u":null,"s":[1,1],"m":[["k",null]]},"meta":{"values":{"d":["Date"],"n":["bigint"],"u":["undefined"],"s":["set"],"m":["map"]},"v":1}}`: `{"d":"2024-01-02T01:04:05.000Z","n":123,"s":[1],"m":{"k":null}}`,
		`{"json":{"a":{"x":1},"b":null},"meta":{"referentialEqualities":{"a":["b"]},"v":1}}`:                                                                                                       `{"a":{"x":1},"b":{"x":1}}`,
		`{"json":["-0","http://h"],"meta":{"values":{"0":["number"],"1":["URL"]},"v":1}}`:                                                                                                          `[0,"http://h/"]`,
		// Refused: what JSON cannot hold, and what is no payload.
		`{"json":"NaN","meta":{"values":["number"],"v":1}}`:       `error`,
		`{"json":"/a/","meta":{"values":["regexp"],"v":1}}`:       `error`,
		`{"json":[[1,2]],"meta":{"values":["map"],"v":1}}`:        `error`,
		`{"json":{"name":"E"},"meta":{"values":["Error"],"v":1}}`: `error`,
		`{"json":{"a":1}} x`:  `error`,
		`{"json":1,"json":2}`: `error`,
		`null`:                `error`,
		``:                    `error`,
	} {
		got, err := superjson.Plain([]byte(payload))
		if err != nil {
			got = []byte("error")
		}
		if string(got) != want {
			t.Errorf("%s: got %s (%v), want %s", payload, got, err, want)
		}
	}
}

// TestHostile sends payloads that are small and would become large, deep or
// endless.
func TestHostile(t *testing.T) {
	doubling := `"0":{}`
	refs := ``
	for i := range 40 {
		n, next := letters(i), letters(i+1)
		doubling += `,"` + n + `":{"l":{},"r":{}}`
		if i > 0 {
			refs += `,`
		}
		refs += `"` + next + `":["` + n + `.l","` + n + `.r"]`
	}
	doubling += `,"` + letters(40) + `":{"x":1}`
	for name, payload := range map[string]string{
		"expansion":    `{"json":{` + doubling + `},"meta":{"referentialEqualities":{` + refs + `},"v":1}}`,
		"depth":        strings.Repeat(`[`, 100_000),
		"huge index":   `{"json":[1],"meta":{"values":{"4294967294":["Date"]},"v":1}}`,
		"allocation":   `{"json":4294967295,"meta":{"values":[["typed-array","Uint8Array"]],"v":1}}`,
		"cycle":        `{"json":{"a":{"b":{}}},"meta":{"referentialEqualities":{"a":["a.b"]},"v":1}}`,
		"root":         `{"json":{"a":null},"meta":{"referentialEqualities":[["a"]],"v":1}}`,
		"digits":       `{"json":"` + strings.Repeat("1", 2000) + `","meta":{"values":["bigint"],"v":1}}`,
		"annotations":  `{"json":[],"meta":{"values":` + strings.Repeat(`["set",{"":`, 60) + `["Date"]` + strings.Repeat(`}]`, 60) + `,"v":1}}`,
		"class":        `{"json":{},"meta":{"values":[["class","Object"]],"v":1}}`,
		"string nodes": `{"json":{},"meta":{"values":"values","v":1}}`,
	} {
		if v, err := superjson.Decode([]byte(payload)); err == nil {
			t.Errorf("%s: accepted as %+v", name, v)
		}
	}
	v, err := superjson.Decode([]byte(`{"json":{"__proto__":{"admin":true},"a":{"__proto__":1,"b":2}}}`))
	if err != nil || v.Member("__proto__") != nil || len(v.Member("a").Keys) != 1 {
		t.Errorf("%+v, %v", v, err)
	}
}

func letters(i int) string { return string(rune('a'+i/26)) + string(rune('a'+i%26)) }

// FuzzDecode is still for minutes where it minimises what it finds, because
// coverage differs between runs: -fuzzminimizetime=1x keeps it going.
func FuzzDecode(f *testing.F) {
	raw, err := os.ReadFile("testdata/superjson.public.json")
	if err != nil {
		f.Fatal(err)
	}
	var file struct{ Cases []vector }
	if err := json.Unmarshal(raw, &file); err != nil {
		f.Fatal(err)
	}
	for _, c := range file.Cases {
		f.Add([]byte(c.Input + c.Stringified))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		v, err := superjson.Decode(payload)
		if err != nil {
			return
		}
		if plain, err := v.AppendJSON(nil); err == nil && !json.Valid(plain) {
			t.Errorf("%s: plain %s", payload, plain)
		}
		out, err := superjsontest.Encode(nil, v)
		if err != nil {
			return // a member named constructor
		}
		again, err := superjson.Decode(out)
		if err != nil {
			t.Fatalf("%s: own output %s: %v", payload, out, err)
		}
		same(t, again, v)
	})
}
