package condition_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/condition"
	"edgesvc.dev/svc/sdk/api"
)

var now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

const facts = `{"person":{"email":"ada@example.com","firstName":"Ada","tags":["VIP","newsletter"],"seen":"2026-03-08T12:00:00Z","birthday":"1990-12-10","gone":null,
	"attributes":{"plan":"pro","seats":5,"five":"5","trial":false,"shop.size":"L","colors":["red","blue"]}},"event":{"data":{"object":{"total":1999}}}}`

func parse(t *testing.T, s string) *api.Condition {
	t.Helper()
	var c api.Condition
	if err := json.Unmarshal([]byte(s), &c); err != nil {
		t.Fatal(err)
	}
	return &c
}

func TestRules(t *testing.T) {
	var m map[string]any
	if err := json.Unmarshal([]byte(facts), &m); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		field, op, value string
		want             bool
	}{
		{"person.attributes.plan", "eq", `"pro"`, true}, {"person.attributes.plan", "eq", `"Pro"`, false}, {"person.attributes.plan", "ne", `"free"`, true},
		{"person.attributes.seats", "eq", `5`, true}, {"person.attributes.seats", "eq", `"5"`, false}, {"person.attributes.five", "eq", `5`, false}, {"person.attributes.five", "ne", `5`, true},
		{"person.attributes.trial", "eq", `false`, true}, {"person.attributes.trial", "exists", `true`, true}, {"person.attributes.trial", "eq", `0`, false},
		{"person.attributes.seats", "gt", `4`, true}, {"person.attributes.seats", "gt", `5`, false}, {"person.attributes.seats", "gte", `5`, true}, {"person.attributes.seats", "lt", `5.5`, true}, {"person.attributes.seats", "lte", `4`, false}, {"person.attributes.five", "gt", `4`, false},
		{"person.attributes.plan", "in", `["free","pro"]`, true}, {"person.attributes.plan", "in", `["free"]`, false}, {"person.attributes.seats", "in", `[1,5]`, true},
		{"person.email", "contains", `"@example."`, true}, {"person.attributes.colors", "contains", `"blue"`, true}, {"person.attributes.colors", "contains", `"blu"`, false},
		{"person.email", "starts_with", `"ada@"`, true}, {"person.email", "starts_with", `"da@"`, false},
		{"person.tags", "tagged", `"vip"`, true}, {"person.tags", "tagged", `"news"`, false},
		{"person.seen", "before", `"2026-03-09"`, true}, {"person.seen", "after", `"2026-03-08T13:00:00+01:00"`, false}, {"person.seen", "after", `"2026-03-08T12:59:59+01:00"`, true}, {"person.birthday", "before", `"2000-01-01"`, true},
		{"person.seen", "within", `"2d"`, true}, {"person.seen", "within", `"47h"`, false}, {"person.birthday", "within", `"1d"`, false}, {"person.email", "within", `"1d"`, false},
		{"person.phone", "exists", `false`, true}, {"person.phone", "exists", ``, false}, {"person.gone", "exists", `true`, false}, {"person.email", "exists", ``, true},
		{"person.phone", "eq", `"1"`, false}, {"person.phone", "ne", `"1"`, true}, {"person.phone", "gt", `0`, false}, {"person.phone", "contains", `"1"`, false}, {"person.email.x", "ne", `"1"`, true},
		{"person.attributes.shop.size", "eq", `"L"`, true}, {"event.data.object.total", "gte", `1000`, true},
	} {
		rule := &api.Condition{Field: c.field, Op: c.op}
		if c.value != "" {
			rule.Value = json.RawMessage(c.value)
		}
		compiled, bad := condition.Compile(rule, "/if")
		if len(bad) > 0 {
			t.Errorf("%+v is refused: %v", c, bad)
			continue
		}
		if got := compiled.Match(m, now); got != c.want {
			t.Errorf("%s %s %s is %t", c.field, c.op, c.value, got)
		}
	}
}

func TestTrees(t *testing.T) {
	yes, no := `{"field":"a","op":"exists"}`, `{"field":"b","op":"exists"}`
	for s, want := range map[string]bool{
		`{"all":[` + yes + `,` + yes + `]}`: true, `{"all":[` + yes + `,` + no + `]}`: false,
		`{"any":[` + no + `,` + yes + `]}`: true, `{"any":[` + no + `,` + no + `]}`: false,
		`{"not":[` + no + `]}`: true, `{"not":[` + no + `,` + yes + `]}`: false,
		`{"all":[{"any":[` + no + `,{"not":[` + no + `]}]},` + yes + `]}`: true,
	} {
		c, bad := condition.Compile(parse(t, s), "")
		if len(bad) > 0 || c.Match(map[string]any{"a": 1}, now) != want {
			t.Errorf("%s: %v, want %t", s, bad, want)
		}
	}
	if c, bad := condition.Compile(nil, ""); len(bad) > 0 || !c.Match(nil, now) {
		t.Error("no condition is not true")
	}
}

// TestRefusals: every fault is named at once, with its place.
func TestRefusals(t *testing.T) {
	deep := strings.Repeat(`{"not":[`, 8) + `{"field":"a","op":"exists"}` + strings.Repeat(`]}`, 8)
	rules := make([]string, 101)
	for i := range rules {
		rules[i] = fmt.Sprintf(`{"field":"f%d","op":"exists"}`, i)
	}
	for s, want := range map[string][]string{
		`{}`: {"/if required"}, `{"all":[]}`: {"/if/all required"}, `{"all":[{}],"field":"a","op":"exists"}`: {"/if required"},
		`{"all":[{"field":"a","op":"is"},{"field":"a..b","op":"exists"},{"field":"a","op":"gt","value":"5"}]}`: {"/if/all/0/op enum", "/if/all/1/field format", "/if/all/2/value type"},
		`{"field":"a","op":"eq"}`: {"/if/value type"}, `{"field":"a","op":"eq","value":null}`: {"/if/value type"}, `{"field":"a","op":"eq","value":[1]}`: {"/if/value type"},
		`{"field":"a","op":"in","value":"x"}`: {"/if/value type"}, `{"field":"a","op":"in","value":[]}`: {"/if/value type"}, `{"field":"a","op":"exists","value":"yes"}`: {"/if/value type"},
		`{"field":"a","op":"before","value":"soon"}`: {"/if/value type"}, `{"field":"a","op":"within","value":"2 months"}`: {"/if/value type"}, `{"field":"a","op":"lt","value":null}`: {"/if/value type"},
		`{"op":"exists"}`: {"/if/field format"}, deep: {"/if" + strings.Repeat("/not/0", 8) + " depth"}, `{"all":[` + strings.Join(rules, ",") + `]}`: {"/if too_many"},
	} {
		c, bad := condition.Compile(parse(t, s), "/if")
		var got []string
		for _, e := range bad {
			got = append(got, e.Pointer+" "+e.Code)
			if e.Message == "" {
				t.Errorf("%s: nothing says what is wrong at %s", s, e.Pointer)
			}
		}
		if c != nil || !slices.Equal(got, want) {
			t.Errorf("%.80s: %v, want %v", s, got, want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`{"all":[{"field":"a","op":"within","value":"7d"}]}`, facts)
	f.Fuzz(func(t *testing.T, s, about string) {
		var c api.Condition
		var m map[string]any
		if json.Unmarshal([]byte(s), &c) != nil || json.Unmarshal([]byte(about), &m) != nil {
			return
		}
		if compiled, bad := condition.Compile(&c, ""); len(bad) == 0 {
			compiled.Match(m, now)
		}
	})
}
