package daemon_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/format"
	"os"
	"reflect"
	"slices"
	"testing"

	"edgesvc.dev/svc/daemon/internal/op"
)

const routesFile = "../sdk/routes.go"

// TestRoutesGolden keeps the SDK's routes equal to the table.
func TestRoutesGolden(t *testing.T) {
	got := routesSource(t, start(t).Table())
	if *update {
		if err := os.WriteFile(routesFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(routesFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Error("the table has other routes than the SDK; run go test ./daemon -run TestRoutesGolden -update")
	}
}

func routesSource(t *testing.T, table *op.Table) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(`package sdk

// Code generated from the operation table by go test ./daemon -run TestRoutesGolden -update. DO NOT EDIT.

// routes are the operations by name: the REST method and path, empty for those
// that only a member's session may call, and a member that every answer has.
var routes = map[string]route{
`)
	ops := slices.SortedFunc(slices.Values(table.Ops), func(a, b *op.Op) int { return cmp.Compare(a.Name, b.Name) })
	for _, o := range ops {
		fmt.Fprintf(&b, "%q: {%q, %q, %q},\n", o.Name, o.Method, o.Path, firstMember(t, o.OutputType()))
	}
	b.WriteString("}\n")
	source, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// firstMember is the first member of an empty answer, which is in every answer;
// "" where there is none.
func firstMember(t *testing.T, answer reflect.Type) string {
	t.Helper()
	if answer.Kind() == reflect.Pointer {
		answer = answer.Elem()
	}
	body, err := json.Marshal(reflect.New(answer).Interface())
	if err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	open, err := dec.Token()
	if err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	if open == nil { // one of several objects, and empty it is none of them
		return "id"
	}
	name, err := dec.Token()
	if err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	member, _ := name.(string)
	return member
}
