package sdk_test

import (
	"slices"
	"testing"

	"edgesvc.dev/svc/sdk/api"
)

func page(next string, ids ...string) api.Page[api.Post] {
	p := api.Page[api.Post]{NextCursor: next, HasMore: next != ""}
	for _, id := range ids {
		p.Data = append(p.Data, api.Post{ID: id})
	}
	return p
}

func TestAllWalksPages(t *testing.T) {
	w := newWire(t, ok(page("c1", "post_1", "post_2")), ok(page("c2", "post_3")), ok(page("", "post_4")))
	var ids []string
	for p, err := range w.client().Posts.All(t.Context(), api.PostQuery{Status: api.PostDraft}) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, p.ID)
	}
	if !slices.Equal(ids, []string{"post_1", "post_2", "post_3", "post_4"}) {
		t.Errorf("posts %v", ids)
	}
	requests := w.sent(t, 3)
	if got := requests[1].Path; got != "/svc-api/v1/posts?cursor=c1&limit=100&status=DRAFT" {
		t.Errorf("second page asked as %s", got)
	}
}

func TestAllStopsWhenTheLoopDoes(t *testing.T) {
	w := newWire(t, ok(page("c1", "post_1", "post_2")))
	for range w.client().Posts.All(t.Context(), api.PostQuery{}) {
		break
	}
	w.sent(t, 1)
}

func TestAllCanBeRangedOverTwice(t *testing.T) {
	w := newWire(t, ok(page("", "post_1")), ok(page("", "post_1")))
	posts := w.client().Posts.All(t.Context(), api.PostQuery{})
	for range 2 {
		n := 0
		for range posts {
			n++
		}
		if n != 1 {
			t.Errorf("%d posts, want 1", n)
		}
	}
}

func TestAllEndsAtAnError(t *testing.T) {
	w := newWire(t, ok(page("c1", "post_1")), refuse(400, "invalid_cursor", ""))
	var failures int
	for _, err := range w.client().Posts.All(t.Context(), api.PostQuery{}) {
		if err != nil {
			failures++
		}
	}
	if failures != 1 {
		t.Errorf("%d errors, want 1", failures)
	}
}

func TestAllRefusesACursorThatLeadsToItself(t *testing.T) {
	w := newWire(t, ok(page("c1", "post_1")), ok(page("c1", "post_1")), ok(page("c1", "post_1")))
	var last error
	for _, err := range w.client().Posts.All(t.Context(), api.PostQuery{}) {
		last = err
	}
	if last == nil {
		t.Error("walked in a circle")
	}
	w.sent(t, 2)
}
