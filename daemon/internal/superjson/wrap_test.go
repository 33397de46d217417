package superjson_test

import (
	"reflect"
	"strings"
	"testing"

	"edgesvc.dev/svc/daemon/internal/superjson"
	"edgesvc.dev/svc/sdk/api"
)

// TestWrapOfDamagedJSON ends, whatever is missing or in its place.
func TestWrapOfDamagedJSON(t *testing.T) {
	shape := superjson.ShapeOf(reflect.TypeFor[api.Page[api.Job]]())
	body := []byte(`{"data":[{"id":"job_1","usage":{"inputTokens":9007199254740993,"outputTokens":1},"steps":[{"name":"con\"tent","startedAt":"2026-01-02T15:04:05.000Z"}]}],"hasMore":false}`)
	if out, err := shape.Wrap(nil, body); err != nil || string(out[len(out)-len(`"v":1}}`):]) != `"v":1}}` {
		t.Fatalf("%s, %v", out, err)
	}
	for i := range body {
		for _, c := range []byte("}],:\"\\x") {
			damaged := append([]byte(nil), body...)
			damaged[i] = c
			_, _ = shape.Wrap(nil, damaged)
		}
		if _, err := shape.Wrap(nil, body[:i]); err == nil && i > 0 {
			t.Errorf("%s was taken for whole", body[:i])
		}
	}
}

// BenchmarkWrap annotates a page of posts, most of which is text that needs no
// note.
func BenchmarkWrap(b *testing.B) {
	shape := superjson.ShapeOf(reflect.TypeFor[api.Page[api.Post]]())
	post := `{"id":"post_01jd5w2x7f4q9c8m3n6k0v1b2z","slug":"a-post-19","title":"A post","description":"","tags":[],"status":"DRAFT","locale":"en",` +
		`"authorId":"user_01jd5w2x7f4q9c8m3n6k0v1b2z","readingMinutes":1,"words":1,"url":"http://127.0.0.1:8080/blog/a-post-19","image":null,` +
		`"provenance":{"source":"api","actor":{"type":"key","id":"key_01jd5w2x7f4q9c8m3n6k0v1b2z"}},"createdAt":"2026-01-02T15:04:05.000Z","updatedAt":"2026-01-02T15:04:05.000Z"}`
	body := []byte(`{"data":[` + strings.Repeat(post+",", 19) + post + `],"hasMore":true,"nextCursor":"bm90aGluZw"}`)
	dst := make([]byte, 0, 2*len(body))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := shape.Wrap(dst, body); err != nil {
			b.Fatal(err)
		}
	}
}
