package sdk_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"edgesvc.dev/svc/sdk"
	"edgesvc.dev/svc/sdk/api"
)

var aPost = api.Post{ID: "post_1", Slug: "hi", Title: "Hi", Version: 3}

func TestRetries(t *testing.T) {
	create := func(c *sdk.Client) error {
		_, err := c.Posts.Create(t.Context(), api.PostCreate{Title: "Hi", Content: "<p>"})
		return err
	}
	remove := func(c *sdk.Client) error { return c.Posts.Delete(t.Context(), api.PostRef{ID: "post_1"}) }
	guarded := func(c *sdk.Client) error {
		_, err := c.Posts.Update(t.Context(), api.PostPatch{PostRef: api.PostRef{ID: "post_1", IfMatch: 3}})
		return err
	}
	busy := refuse(503, "overloaded", "busy")
	gateway := refuse(502, "provider_error", "gateway")
	for _, test := range []struct {
		name    string
		do      func(*sdk.Client) error
		answers []http.HandlerFunc
		sent    int
		fails   bool
	}{
		{"busy, then well", create, []http.HandlerFunc{busy, refuse(429, "rate_limited", ""), ok(aPost)}, 3, false},
		{"gateway errors", create, []http.HandlerFunc{gateway, refuse(504, "provider_timeout", ""), ok(aPost)}, 3, false},
		{"a broken connection", create, []http.HandlerFunc{cut, ok(aPost)}, 2, false},
		{"an answer cut short", create, []http.HandlerFunc{raw(200, "application/json", ""), ok(aPost)}, 1, true},
		{"the first attempt still runs", create, []http.HandlerFunc{cut, refuse(409, "idempotency_in_progress", ""), ok(aPost)}, 3, false},
		{"a taken slug stays taken", create, []http.HandlerFunc{refuse(409, "slug_taken", ""), ok(aPost)}, 1, true},
		{"an internal error", create, []http.HandlerFunc{refuse(500, "internal", ""), ok(aPost)}, 1, true},
		{"never well", create, []http.HandlerFunc{busy, busy, busy, busy, ok(aPost)}, 4, true},
		{"a wait too long", create, []http.HandlerFunc{refuse(429, "rate_limited", "", "Retry-After: 3600"), ok(aPost)}, 1, true},
		{"a deletion that may have happened", remove, []http.HandlerFunc{cut, ok(aPost)}, 1, true},
		{"a deletion that was refused", remove, []http.HandlerFunc{busy, ok(aPost)}, 2, false},
		{"a guarded change that may have happened", guarded, []http.HandlerFunc{cut, ok(aPost)}, 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWire(t, test.answers...)
			if err := test.do(w.client()); (err != nil) != test.fails {
				t.Errorf("error %v, want one: %t", err, test.fails)
			}
			requests := w.sent(t, test.sent)
			first := requests[0].Header.Get("Idempotency-Key")
			for _, r := range requests {
				if got := r.Header.Get("Idempotency-Key"); got == "" || got != first {
					t.Errorf("idempotency keys %q and %q, want one for all attempts", first, got)
				}
			}
		})
	}
}

func TestRetryWaits(t *testing.T) {
	w := newWire(t, refuse(429, "rate_limited", "", "Retry-After: 7"), refuse(503, "overloaded", ""), ok(aPost))
	if _, err := w.client().Posts.Get(t.Context(), "post_1"); err != nil {
		t.Fatal(err)
	}
	if w.waits[0] != 7*time.Second || w.waits[1] < 500*time.Millisecond || w.waits[1] > time.Second {
		t.Errorf("waits %v, want 7s as asked, then half a second to a second", w.waits)
	}
}

func TestOwnIdempotencyKeyAndMeta(t *testing.T) {
	w := newWire(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("ETag", `"3"`)
		rw.Header().Set("Idempotency-Replayed", "true")
		ok(aPost)(rw, r)
	})
	var meta sdk.Meta
	_, err := w.client().Posts.Publish(t.Context(), api.PostRef{ID: "post_1"}, sdk.IdempotencyKey("mine"), sdk.WithMeta(&meta))
	if err != nil {
		t.Fatal(err)
	}
	if got := w.sent(t, 1)[0].Header.Get("Idempotency-Key"); got != "mine" {
		t.Errorf("key %q", got)
	}
	if meta.RequestID != "req_ok" || meta.ETag != `"3"` || !meta.Replayed || meta.Status != 200 {
		t.Errorf("meta %+v", meta)
	}
}

func TestCancelledWhileWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := newWire(t, func(rw http.ResponseWriter, r *http.Request) {
		cancel()
		refuse(503, "overloaded", "")(rw, r)
	})
	_, err := w.client().Posts.Get(ctx, "post_1")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	w.sent(t, 1)
}

func TestSessionCallsAreNotRepeated(t *testing.T) {
	w := newWire(t, cut, answered(api.Key{ID: "key_1"}))
	d := sdk.New(w.URL, sdk.WithSession("sess_0123456789abcdef"), sdk.WithSleep(w.sleep))
	if _, err := d.Keys.Create(t.Context(), api.KeyCreate{Name: "ci"}); err == nil {
		t.Error("a key that may have been made was made again")
	}
	w.sent(t, 1)
}

func TestUnreachable(t *testing.T) {
	w := newWire(t)
	w.Close()
	_, err := w.client(sdk.WithRetries(2)).Posts.Get(t.Context(), "post_1")
	if err == nil || len(w.waits) != 2 {
		t.Errorf("error %v after %d waits, want 2", err, len(w.waits))
	}
	if slices.Contains(w.waits, 0) {
		t.Error("no wait between attempts")
	}
}
