package posts_test

import (
	"fmt"
	"testing"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/sdk/api"
)

func outcomes(r api.PostBatchResult) string {
	var out string
	for _, o := range r.Results {
		code := api.Code("")
		if o.Error != nil {
			code = o.Error.Code
		}
		out += fmt.Sprintf("%d %s;", o.Status, code)
	}
	return out
}

func TestBatch(t *testing.T) {
	w := newWorld(t)
	a := w.create(`{"title":"a","content":"x"}`)
	r := optest.Must[api.PostBatchResult](w, "posts.batch", `{"items":[
		{"op":"create","create":{"title":"fresh","content":"x"}},
		{"op":"create","create":{"title":"fresh","slug":"a","content":"x"}},
		{"op":"create","create":{"title":"gen","generateContent":true}},
		{"op":"patch","id":"`+a.ID+`","patch":{"title":"A"}},
		{"op":"patch","id":"post_nope","patch":{"title":"A"}},
		{"op":"publish","id":"`+a.ID+`"},
		{"op":"delete","id":"`+a.ID+`"},
		{"op":"unpublish","id":"`+a.ID+`"},
		{"op":"archive","id":"`+a.ID+`"},
		{"op":"unarchive","id":"`+a.ID+`"},
		{"op":"archive","id":"`+a.ID+`"},
		{"op":"delete","id":"`+a.ID+`"},
		{"op":"create","id":"x"},
		{"op":"patch","id":"x"}]}`)
	want := "201 ;409 slug_taken;202 ;200 ;404 not_found;200 ;409 invalid_transition;200 ;200 ;200 ;200 ;200 ;422 validation_failed;422 validation_failed;"
	if got := outcomes(r); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if r.Results[0].Post == nil || r.Results[0].Post.Slug != "fresh" || r.Results[2].Job == nil || r.Results[3].Post.Title != "A" {
		t.Errorf("%+v", r.Results)
	}
	if e := r.Results[12].Error; len(e.Errors) != 2 {
		t.Errorf("%+v", e)
	}
}

func TestBatchChecksScopesOfEachItem(t *testing.T) {
	w := newWorld(t)
	a := w.create(`{"title":"a","content":"x"}`)
	r, refusal := optest.Call[api.PostBatchResult](w, without(op.PostsPublish|op.AIUse), "posts.batch", `{"items":[
		{"op":"publish","id":"`+a.ID+`"},{"op":"unpublish","id":"`+a.ID+`"},
		{"op":"patch","id":"`+a.ID+`","patch":{"status":"PUBLISHED"}},
		{"op":"create","create":{"title":"x","generateTags":true}},
		{"op":"patch","id":"`+a.ID+`","patch":{"title":"b"}}]}`)
	if got := outcomes(r); refusal != nil || got != "403 insufficient_scope;403 insufficient_scope;403 insufficient_scope;403 insufficient_scope;200 ;" {
		t.Error(got, refusal)
	}
}

// A batch that is sent again under its key changes nothing twice.
func TestBatchReplay(t *testing.T) {
	w := newWorld(t)
	const body = `{"items":[{"op":"create","create":{"title":"one","content":"x"}},{"op":"create","create":{"title":"one","content":"x"}}]}`
	first, refusal := optest.Keyed[api.PostBatchResult](w, alice, "posts.batch", body, "k")
	if refusal != nil {
		t.Fatal(refusal)
	}
	again, refusal := optest.Keyed[api.PostBatchResult](w, alice, "posts.batch", body, "k")
	if refusal != nil || outcomes(again) != outcomes(first) || again.Results[1].Post.ID != first.Results[1].Post.ID {
		t.Errorf("%+v %+v", again, refusal)
	}
	if page := optest.Must[api.Page[api.Post]](w, "posts.list", `{}`); len(page.Data) != 2 {
		t.Errorf("%d posts", len(page.Data))
	}
}

func TestBatchSize(t *testing.T) {
	w := newWorld(t)
	items := ""
	for range 101 {
		items += `{"op":"publish","id":"x"},`
	}
	w.Refused(api.CodeValidationFailed, "posts.batch", `{"items":[]}`)
	w.Refused(api.CodeValidationFailed, "posts.batch", `{"items":[`+items[:len(items)-1]+`]}`)
}
