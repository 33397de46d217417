package daemon_test

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/op"
)

// TestEveryMemberCanBeChanged sends each member of each patch alone, by every
// operation that updates an object: the object has another value and a later version
// afterwards. A member that was added to the contract and forgotten further in would
// be answered with 200 and the old value.
func TestEveryMemberCanBeChanged(t *testing.T) {
	in := start(t, unlimited)
	token := in.session(t, in.A)
	ids := in.populate(t, in.A)
	of := func(member string) string { return ids[nounOf(ids, member)] }
	members := 0
	for _, o := range in.Table().Ops {
		noun, ok := strings.CutSuffix(o.Name, ".update")
		read := in.Table().Lookup(noun + ".get")
		if !ok || read == nil {
			continue
		}
		objects := []string{ids[noun]}
		if in.Table().Lookup(noun+".create") != nil {
			objects = in.untouched(t, token, noun, of)
		}
		all := inputs(t, o)
		var whole map[string]any
		mustJSON(t, []byte(all[len(all)-1]), &whole)
		for _, member := range slices.Sorted(maps.Keys(whole)) {
			if slices.Contains(requiredOf(o.InputType()), member) {
				continue
			}
			members++
			t.Run(noun+"/"+member, func(t *testing.T) {
				var last string
				for _, id := range objects {
					var ok bool
					if last, ok = in.changes(t, token, o, read, id, member, of); ok {
						return
					}
				}
				t.Errorf("it cannot be changed: %s", last)
			})
		}
	}
	if members < 50 {
		t.Errorf("only %d members were looked at", members)
	}
}

// untouched makes an object of each of its kinds.
func (in *instance) untouched(t *testing.T, token, noun string, of func(string) string) (ids []string) {
	row := in.Table().Lookup(noun + ".create")
	var kinds []any
	for _, i := range inputs(t, row) {
		var sent map[string]any
		mustJSON(t, []byte(i), &sent)
		if slices.Contains(kinds, sent["kind"]) {
			continue
		}
		if a, _ := in.attempt(t, row, token, i, "", of); a.StatusCode < 300 {
			if made := a.JSON(t); made["id"] != nil && made["jobId"] == nil {
				kinds, ids = append(kinds, sent["kind"]), append(ids, made["id"].(string))
			}
		}
	}
	return ids
}

// other are values of members that an object may have besides those that follow
// from the schema.
var other = map[string]string{
	"timezone": `"Europe/Berlin"`, "aliases": `["/2019/hello.html"]`, "metadata": `{"key":"value"}`, "publishedAt": `"2020-01-02T03:04:05Z"`,
	"position": `7`, "respondToChats": `false`, "maxOutputTokens": `100`, "url": `"https://example.com/other"`, "chatSiteId": `"{{of siteId}}"`,
	"body": `"{}","method":"POST"`,
}

// changes sends what a member can be until one of the values changes the object.
// why is the last refusal.
func (in *instance) changes(t *testing.T, token string, o, read *op.Op, id, member string, of func(string) string) (why string, ok bool) {
	get := func() map[string]any {
		body := `{"id":"` + id + `"}`
		if len(requiredOf(read.InputType())) == 0 {
			body = "{}"
		}
		a := in.procedure(t, read.Name, token, body)
		if a.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %s", read.Name, a.Status, a.Body)
		}
		return a.JSON(t)
	}
	last := "no value was tried"
	required := requiredOf(o.InputType())
	tried := slices.DeleteFunc(inputs(t, o), func(i input) bool {
		var sent map[string]any
		mustJSON(t, []byte(i), &sent)
		_, has := sent[member]
		return !has || len(sent) > len(required)+1
	})
	if value := other[member]; value != "" {
		more := `{"` + member + `":` + value
		if len(required) > 0 {
			more += `,"id":"{{id}}"`
		}
		tried = append(tried, input(more+"}"))
	}
	for _, i := range tried {
		before := get()
		body, _ := i.with(id, of)
		a := in.procedure(t, o.Name, token, body)
		after := get()
		last = a.Status + " " + string(a.Body)
		name := member
		if name == "publishedAt" {
			name = "date" // of a text that is not public
		}
		was, shown := before[name]
		is, showsNow := after[name]
		switch {
		case a.StatusCode != http.StatusOK:
		case before["version"] != nil && reflect.DeepEqual(before["version"], after["version"]):
			last = "the version is the same after " + body
		case (shown || showsNow) && reflect.DeepEqual(was, is):
			last = "the value is the same after " + body
		default:
			return "", true
		}
	}
	return last, false
}
