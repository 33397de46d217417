package resource_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/resource"
	"edgesvc.dev/svc/daemon/internal/slug"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// A shelf has a member of every shape that an input can set.
type shelf struct {
	api.Head
	Name   string            `json:"name"`
	Slug   string            `json:"slug"`
	Width  int               `json:"width"`
	Open   bool              `json:"open"`
	Tags   []string          `json:"tags"`
	Labels map[string]string `json:"labels,omitempty"`
	Owner  *owner            `json:"owner"`
	Code   string            `json:"code"`
}

type owner struct {
	Name string `json:"name"`
}

type shelfCreate struct {
	Name   string            `json:"name" minLength:"1"`
	Slug   string            `json:"slug,omitempty"`
	Width  int               `json:"width,omitempty"`
	Open   *bool             `json:"open,omitempty"`
	Tags   []string          `json:"tags,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Code   string            `json:"code,omitempty"`
}

type shelfPatch struct {
	api.Ref
	Name  api.Opt[string]   `json:"name,omitzero"`
	Width api.Opt[int]      `json:"width,omitzero" null:"true"`
	Open  api.Opt[bool]     `json:"open,omitzero"`
	Tags  api.Opt[[]string] `json:"tags,omitzero" null:"true"`
	Owner api.Opt[owner]    `json:"owner,omitzero" null:"true"`
	Code  api.Opt[string]   `json:"code,omitzero"`
}

type shelfQuery struct {
	api.PageQuery
	Wide bool `json:"wide,omitempty"`
}

type fixture struct {
	store kv.Store
	table *op.Table
	now   time.Time
}

const most = 4

func open(t *testing.T) *fixture {
	t.Helper()
	store := optest.Store(t)
	f := &fixture{store: store, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	shelves := resource.New(store, func() time.Time { return f.now }, resource.Kind[shelf]{
		Table: kv.NewTable("shelf",
			kv.Index[shelf]{Name: "slug", Unique: true, Keys: func(v *shelf, add func([]byte)) { add(kv.Key(v.Slug)) }},
			kv.Index[shelf]{Name: "code", Unique: true, Keys: func(v *shelf, add func([]byte)) {
				if v.Code != "" {
					add(kv.Key(v.Code))
				}
			}},
			kv.Index[shelf]{Name: "all", Keys: func(_ *shelf, add func([]byte)) { add(nil) }}),
		Index: "all", Prefix: "shelf", Noun: "shelf", Plural: "shelves", Max: most,
		Slug:  &resource.Slug[shelf]{Names: slug.Names{Noun: "shelf", Counter: "shelfSlug"}, Of: func(v *shelf) (*string, string) { return &v.Slug, v.Name }},
		Taken: map[string]api.Code{"code": "code_taken"},
		Validate: func(_ kv.Tx, _ op.Caller, before, after *shelf) error {
			if before != nil && before.Open && !after.Open {
				return api.Invalid("/open", "not_allowed", "cannot be closed again")
			}
			after.Name = strings.TrimSpace(after.Name)
			return nil
		},
		OnDelete: func(_ kv.Tx, _ op.Caller, v *shelf) error {
			if v.Open {
				return api.Invalid("/id", "not_allowed", "is open")
			}
			return nil
		},
	})
	f.table = op.NewTable(store, op.NewLimiter(nil), resource.Rows[shelf, shelfCreate, shelfPatch](shelves, resource.Offer[shelf, shelfQuery]{
		Name: "shelves", Path: "/shelves", Read: op.PostsRead, Write: op.PostsWrite, A: "a shelf", Many: "shelves",
		Page: func(q *shelfQuery) (p kv.Page[shelf], scope string) {
			if q.Wide {
				p.Keep = func(v *shelf) bool { return v.Width > 100 }
			}
			return p, fmt.Sprint(q.Wide)
		},
	}))
	return f
}

func call[Out any](f *fixture, name, body string) (out Out, refused *api.Error) {
	who := op.Caller{Kind: op.Key, Credential: "key_1", Team: "team_a", Scopes: op.AllScopes}
	res, e := f.table.Call(context.Background(), op.Request{Op: f.table.Lookup("shelves." + name), Caller: who, Args: op.Args{Body: []byte(body)}})
	if e != nil {
		return out, e
	}
	return res.Value.(Out), nil
}

func (f *fixture) must(t *testing.T, name, body string) shelf {
	t.Helper()
	v, e := call[shelf](f, name, body)
	if e != nil {
		t.Fatalf("%s %s: %+v", name, body, e)
	}
	return v
}

func TestCreateTakesEveryMember(t *testing.T) {
	f := open(t)
	got := f.must(t, "create", `{"name":" Top ","width":3,"open":true,"tags":["a"],"labels":{"k":"v"},"code":"x"}`)
	want := shelf{
		Head: api.Head{ID: got.ID, Version: 1, CreatedAt: api.TimeOf(f.now), UpdatedAt: api.TimeOf(f.now)},
		Name: "Top", Slug: "top", Width: 3, Open: true, Tags: []string{"a"}, Labels: map[string]string{"k": "v"}, Code: "x",
	}
	if diff := cmp.Diff(want, got); diff != "" || !strings.HasPrefix(got.ID, "shelf_") {
		t.Error(diff)
	}
	if read := f.must(t, "get", `{"id":"`+got.ID+`"}`); !cmp.Equal(read, got) {
		t.Error(cmp.Diff(got, read))
	}
}

func TestChangeTellsWhatDiffers(t *testing.T) {
	f := open(t)
	v := f.must(t, "create", `{"name":"Top","width":3,"tags":["a"],"code":"x"}`)
	for _, tc := range []struct {
		patch   string
		changed func(*shelf) // nil for nothing
	}{
		{`"name":"Top"`, nil},
		{`"tags":["a"],"width":3,"code":"x"`, nil},
		{`"owner":null`, nil},
		{`"name":" Top "`, nil},
		{`"width":null`, func(v *shelf) { v.Width = 0 }},
		{`"tags":["a","b"]`, func(v *shelf) { v.Tags = []string{"a", "b"} }},
		{`"tags":null`, func(v *shelf) { v.Tags = nil }},
		{`"tags":[]`, nil},
		{`"owner":{"name":"Ada"}`, func(v *shelf) { v.Owner = &owner{Name: "Ada"} }},
		{`"owner":{"name":"Ada"}`, nil},
		{`"owner":null`, func(v *shelf) { v.Owner = nil }},
		{`"open":true`, func(v *shelf) { v.Open = true }},
	} {
		f.now = f.now.Add(time.Minute)
		want := v
		if tc.changed != nil {
			tc.changed(&want)
			want.Version, want.UpdatedAt = v.Version+1, api.TimeOf(f.now)
		}
		f.must(t, "update", `{"id":"`+v.ID+`",`+tc.patch+`}`)
		if v = f.must(t, "get", `{"id":"`+v.ID+`"}`); !cmp.Equal(v, want) {
			t.Errorf("%s: %s", tc.patch, cmp.Diff(want, v))
		}
	}
}

func TestRefusals(t *testing.T) {
	f := open(t)
	first := f.must(t, "create", `{"name":"Top","slug":"top","code":"x"}`)
	id := `{"id":"` + first.ID + `"`
	if second := f.must(t, "create", `{"name":"Top"}`); second.Slug != "top-2" {
		t.Errorf("a derived slug that is taken became %s", second.Slug)
	}
	refused := func(name, body string, status int, code api.Code) *api.Error {
		t.Helper()
		_, e := call[shelf](f, name, body)
		if e == nil || e.Status != status || e.Code != code {
			t.Fatalf("%s %s: %+v", name, body, e)
		}
		return e
	}
	if e := refused("create", `{"name":"Other","slug":"top"}`, 409, api.CodeSlugTaken); e.SuggestedSlug != "top-3" || e.ExistingID != first.ID {
		t.Errorf("%+v", e)
	}
	if e := refused("create", `{"name":"Other","code":"x"}`, 409, "code_taken"); e.ExistingID != first.ID || e.Detail != "Another shelf has this code." {
		t.Errorf("%+v", e)
	}
	refused("update", id+`,"ifMatch":2,"width":9}`, 412, api.CodeVersionConflict)
	refused("get", id+`,"ifMatch":2}`, 412, api.CodeVersionConflict)
	refused("get", `{"id":"shelf_none"}`, 404, api.CodeNotFound)
	f.must(t, "update", id+`,"open":true}`)
	if e := refused("update", id+`,"open":false,"width":9}`, 422, api.CodeValidationFailed); e.Errors[0].Pointer != "/open" {
		t.Errorf("%+v", e)
	}
	if v := f.must(t, "get", id+`}`); v.Width != 0 || v.Version != 2 {
		t.Errorf("a refused change was kept: %+v", v)
	}
	f.must(t, "create", `{"name":"Third"}`)
	f.must(t, "create", `{"name":"Fourth"}`)
	if e := refused("create", `{"name":"Fifth"}`, 409, api.CodeQuotaExceeded); e.Detail != "The team has 4 shelves, which is the most. Delete one first." {
		t.Error(e.Detail)
	}
}

func TestDeleteAsksTheKind(t *testing.T) {
	f := open(t)
	closed, opened := f.must(t, "create", `{"name":"Closed"}`), f.must(t, "create", `{"name":"Open","open":true}`)
	if _, e := call[api.Deleted](f, "delete", `{"id":"`+opened.ID+`"}`); e == nil || e.Status != http.StatusUnprocessableEntity {
		t.Errorf("open: %+v", e)
	}
	if _, e := call[api.Deleted](f, "delete", `{"id":"`+closed.ID+`","ifMatch":7}`); e == nil || e.Code != api.CodeVersionConflict {
		t.Errorf("another version: %+v", e)
	}
	if got, e := call[api.Deleted](f, "delete", `{"id":"`+closed.ID+`"}`); e != nil || got != (api.Deleted{ID: closed.ID, Deleted: true}) {
		t.Errorf("%+v %v", got, e)
	}
	if _, e := call[shelf](f, "get", `{"id":"`+closed.ID+`"}`); e == nil || e.Code != api.CodeNotFound {
		t.Errorf("it is still there: %v", e)
	}
}

func TestListPagesAndFilters(t *testing.T) {
	f := open(t)
	var names []string
	for i, width := range []int{50, 150, 250} {
		f.must(t, "create", fmt.Sprintf(`{"name":"S%d","width":%d}`, i, width))
	}
	page, e := call[api.Page[shelf]](f, "list", `{"limit":1,"wide":true}`)
	for ; e == nil; page, e = call[api.Page[shelf]](f, "list", `{"limit":1,"wide":true,"cursor":"`+page.NextCursor+`"}`) {
		for _, v := range page.Data {
			names = append(names, v.Name)
		}
		if !page.HasMore {
			break
		}
	}
	if e != nil || !cmp.Equal(names, []string{"S2", "S1"}) {
		t.Errorf("%v %v", names, e)
	}
	first, _ := call[api.Page[shelf]](f, "list", `{"limit":1}`)
	if _, e := call[api.Page[shelf]](f, "list", `{"limit":1,"wide":true,"cursor":"`+first.NextCursor+`"}`); e == nil || e.Code != api.CodeInvalidCursor {
		t.Errorf("the cursor of another list: %v", e)
	}
}

// Records from before there was a head to embed are read as they were written.
func TestRecordsOfEarlierReleases(t *testing.T) {
	type flat struct {
		ID        string   `json:"id"`
		Name      string   `json:"name"`
		Tags      []string `json:"tags"`
		Version   int      `json:"version"`
		CreatedAt api.Time `json:"createdAt"`
		UpdatedAt api.Time `json:"updatedAt"`
	}
	f := open(t)
	at := api.TimeOf(f.now)
	old := flat{ID: "shelf_1", Name: "Old", Tags: []string{"a"}, Version: 7, CreatedAt: at - 2, UpdatedAt: at - 1}
	if err := f.store.Update(t.Context(), func(tx kv.Tx) error {
		return kv.NewTable[flat]("shelf").Insert(tx, "team_a", old.ID, &old)
	}); err != nil {
		t.Fatal(err)
	}
	want := shelf{Head: api.Head{ID: old.ID, Version: 7, CreatedAt: at - 2, UpdatedAt: at - 1}, Name: "Old", Tags: old.Tags}
	if got := f.must(t, "get", `{"id":"shelf_1"}`); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

// What an input has and the object has not would be lost without a word.
func TestMembersThatWouldBeLost(t *testing.T) {
	type unknown struct {
		Name  string `json:"name"`
		Depth int    `json:"depth"`
	}
	type other struct {
		Width api.Opt[string] `json:"width"`
	}
	for name, tc := range map[string]struct {
		compile func()
		says    string
	}{
		"no such member":  {func() { resource.Copier[shelf, unknown]() }, "depth"},
		"of another type": {func() { resource.Copier[shelf, other]() }, "api.Opt[string]"},
		"no head":         {func() { resource.New(nil, time.Now, resource.Kind[owner]{}) }, "api.Head"},
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, tc.says) {
					t.Errorf("%s: %s", name, said)
				}
			}()
			tc.compile()
		}()
	}
	resource.Copier[shelf, unknown]("depth") // the domain sees to it
}

// TestToolsAreNamedAfterTheKind offers a kind on MCP, and the shelves of the other
// tests, which have no tools.
func TestToolsAreNamedAfterTheKind(t *testing.T) {
	f := open(t)
	shelves := resource.New(f.store, time.Now, resource.Kind[shelf]{Table: kv.NewTable[shelf]("other shelf"), Prefix: "shelf", Noun: "shelf"})
	var names []string
	for _, row := range resource.Rows[shelf, shelfCreate, shelfPatch](shelves, resource.Offer[shelf, shelfQuery]{Name: "book.shelves", Many: "book shelves", Tool: "book_shelf"}) {
		names = append(names, row.Tool)
	}
	if got := strings.Join(names, " "); got != "create_book_shelf list_book_shelves get_book_shelf update_book_shelf delete_book_shelf" {
		t.Error(got)
	}
	for _, row := range f.table.Ops {
		if row.Tool != "" {
			t.Errorf("%s is the tool %s, which nobody asked for", row.Name, row.Tool)
		}
	}
}
