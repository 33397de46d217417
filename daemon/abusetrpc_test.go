package daemon_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// superJSONBodies are the generated bodies of hostile cases, by name.
var superJSONBodies = map[string]func(n int) string{
	"batch": func(n int) string {
		return "{" + joined(n, func(i int) string { return `"` + strconv.Itoa(i) + `":{"json":{}}` }) + "}"
	},
	"messages": func(n int) string {
		return "[" + joined(n, func(i int) string {
			return fmt.Sprintf(`{"id":%d,"method":"query","params":{"path":"posts.list"}}`, i)
		}) + "]"
	},
	"superjson_refs": func(n int) string {
		return `{"json":{"a":1},"meta":{"referentialEqualities":{"a":[` + joined(n, func(i int) string { return `"b.` + strconv.Itoa(i) + `"` }) + `]}}}`
	},
	// Each place holds two of the place before.
	"superjson_doubling": func(n int) string {
		return `{"json":{"tags":[` + strings.TrimSuffix(strings.Repeat("[0,0],", n), ",") + `]},"meta":{"referentialEqualities":{` +
			joined(n-1, func(i int) string { return fmt.Sprintf(`"tags.%d":["tags.%d.0","tags.%[2]d.1"]`, i, i+1) }) + `},"v":1}}`
	},
	"superjson_depth": func(n int) string {
		return `{"json":{"title":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
	},
	"superjson_meta_depth": func(n int) string {
		return `{"json":{"title":"x"},"meta":{"values":` + strings.Repeat(`{"title":`, n) + `["Date"]` + strings.Repeat("}", n) + `,"v":1}}`
	},
	"superjson_bigint": func(n int) string {
		return `{"json":{"title":"` + strings.Repeat("9", n) + `"},"meta":{"values":{"title":["bigint"]},"v":1}}`
	},
}

func joined(n int, one func(i int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = one(i)
	}
	return strings.Join(all, ",")
}

const taskKey = "task-api-key-0123456789abcdef"

// sealedTask makes a task that holds a key and returns its id.
func (in *instance) sealedTask(t *testing.T) string {
	t.Helper()
	token := in.session(t, in.A)
	agent := in.procedure(t, "agents.create", token, `{"name":"Keeper"}`).JSON(t)
	task := in.procedure(t, "tasks.create", token, `{"agentId":"`+agent["id"].(string)+`","kind":"api","name":"Call","method":"GET","url":"https://example.test/x"}`)
	id, ok := task.JSON(t)["id"].(string)
	if !ok {
		t.Fatalf("%s", task.Body)
	}
	if a := in.procedure(t, "tasks.setApiKey", token, `{"id":"`+id+`","key":"`+taskKey+`"}`); a.StatusCode != 200 {
		t.Fatalf("%s", a.Body)
	}
	return id
}
