package superjson_test

import (
	"reflect"
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
