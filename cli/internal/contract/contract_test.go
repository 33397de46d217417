package contract_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/cli/internal/contract"
	"edgesvc.dev/svc/sdk/api"
)

func TestMembers(t *testing.T) {
	type written struct {
		name, flag         string
		kind               contract.Kind
		required, nullable bool
		long               bool
	}
	for _, test := range []struct {
		of   reflect.Type
		want []written
	}{
		{reflect.TypeFor[api.CannedCreate](), []written{
			{"shortcut", "shortcut", contract.Text, true, false, false},
			{"title", "title", contract.Text, true, false, false},
			{"body", "body", contract.Text, true, false, true},
		}},
		{reflect.TypeFor[api.CategoryPatch](), []written{ // not id, not ifMatch
			{"name", "name", contract.Text, false, false, false},
			{"slug", "slug", contract.Text, false, false, false},
			{"position", "position", contract.Int, false, false, false},
		}},
		{reflect.TypeFor[api.KeyUpdate](), []written{
			{"name", "name", contract.Text, false, false, false},
			{"scopes", "scope", contract.List, false, false, false},
			{"expiresAt", "expires-at", contract.Time, false, true, false},
		}},
	} {
		var got []written
		for _, m := range contract.Members(test.of) {
			got = append(got, written{m.Name, m.Flag(), m.Kind, m.Required, m.Nullable, m.Long})
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s has %+v, want %+v", test.of, got, test.want)
		}
	}
	if !contract.Has(reflect.TypeFor[api.CannedPatch](), "ifMatch") || contract.Has(reflect.TypeFor[api.KeyUpdate](), "ifMatch") {
		t.Error("ifMatch is a member of api.CannedPatch, not of api.KeyUpdate")
	}
}

// TestEveryInputCanBeWritten: no two members of an input share a flag, and each
// phrase reads as the help of a flag.
func TestEveryInputCanBeWritten(t *testing.T) {
	for _, of := range []reflect.Type{
		reflect.TypeFor[api.PostCreate](), reflect.TypeFor[api.PostPatch](), reflect.TypeFor[api.PostQuery](),
		reflect.TypeFor[api.ArticlePatch](), reflect.TypeFor[api.AgentCreate](), reflect.TypeFor[api.AgentPatch](),
		reflect.TypeFor[api.TaskCreate](), reflect.TypeFor[api.TaskPatch](), reflect.TypeFor[api.SitePatch](),
		reflect.TypeFor[api.CannedPatch](), reflect.TypeFor[api.Brand](), reflect.TypeFor[api.TeamPatch](),
	} {
		seen := map[string]bool{}
		for _, m := range contract.Members(of) {
			if seen[m.Flag()] {
				t.Errorf("%s has two members with the flag --%s", of, m.Flag())
			}
			seen[m.Flag()] = true
			if strings.HasSuffix(m.Doc, ".") || strings.ContainsAny(m.Doc, "\n") {
				t.Errorf("%s: %q does not read as the help of a flag", of, m.Doc)
			}
		}
	}
}

func TestEncode(t *testing.T) {
	noon := func(string) (time.Time, error) { return time.Date(2040, 1, 2, 12, 0, 0, 0, time.UTC), nil }
	status := contract.Member{Name: "status", Enum: []string{"DRAFT", "PUBLISHED"}}
	for _, test := range []struct {
		m     contract.Member
		texts []string
		want  string
	}{
		{contract.Member{Kind: contract.Text}, []string{"<b>"}, `"<b>"`},
		{contract.Member{Kind: contract.Text}, []string{""}, `""`},
		{contract.Member{Kind: contract.Text, Nullable: true}, []string{""}, `null`},
		{status, []string{"draft"}, `"DRAFT"`},
		{contract.Member{Kind: contract.Bool}, []string{"false"}, `false`},
		{contract.Member{Kind: contract.Int}, []string{"-7"}, `-7`},
		{contract.Member{Kind: contract.Number}, []string{"0.5"}, `0.5`},
		{contract.Member{Kind: contract.Time}, []string{"90d"}, `"2040-01-02T12:00:00Z"`},
		{contract.Member{Kind: contract.List}, []string{"a, b", "c"}, `["a, b","c"]`},
		{contract.Member{Kind: contract.List}, []string{""}, `[]`},
		{contract.Member{Kind: contract.List, Nullable: true}, []string{""}, `null`},
		{contract.Member{Kind: contract.JSON}, []string{`{"a":1}`}, `{"a":1}`},
	} {
		got, err := test.m.Encode(test.texts, noon)
		if err != nil || string(got) != test.want {
			t.Errorf("%+v of %q: %s, %v; want %s", test.m, test.texts, got, err, test.want)
		}
	}
	for _, test := range []struct {
		m          contract.Member
		text, want string
	}{
		{status, "gone", `must be draft or published, not "gone"`},
		{contract.Member{Kind: contract.Bool}, "perhaps", "true or false"},
		{contract.Member{Kind: contract.Int}, "1.5", "a whole number"},
		{contract.Member{Kind: contract.Number}, "x", "a number"},
		{contract.Member{Kind: contract.JSON}, "{", "JSON"},
	} {
		if _, err := test.m.Encode([]string{test.text}, noon); !errors.Is(err, contract.ErrValue) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v of %q: %v, want %q", test.m, test.text, err, test.want)
		}
	}
}

func TestKebab(t *testing.T) {
	for name, want := range map[string]string{"title": "title", "publishAt": "publish-at", "avatarUrl": "avatar-url", "avatarURL": "avatar-url", "create_post": "create-post", "canonicalURLOf": "canonical-url-of"} {
		if got := contract.Kebab(name); got != want {
			t.Errorf("%s is --%s, want --%s", name, got, want)
		}
	}
}
