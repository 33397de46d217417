package posts_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"edgesvc.dev/svc/daemon/internal/domain/posts"
	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/sdk/api"
)

var htmlBody = "<h2>Heading</h2>" + strings.Repeat("<p>Some words of a paragraph that somebody wrote for a \\\"test\\\".</p>", 30)

func benchTable(b *testing.B) *op.Table {
	store := optest.Store(b)
	s := posts.New(store, event.New(store, posts.Events()), search.NewMemory(1<<30))
	return op.NewTable(store, op.NewLimiter(nil), s.Ops())
}

func caller(team int) op.Caller {
	return op.Caller{Kind: op.Key, Credential: "key_1", Team: fmt.Sprintf("team_%026d", team), Scopes: op.AllScopes,
		Source: "api", Actor: api.Actor{Type: "key", ID: "key_01h455vb4pex5vsknk084sn02q"}}
}

func mustCall(b *testing.B, t *op.Table, team int, name string, args op.Args) op.Result {
	r, err := t.Call(b.Context(), op.Request{Op: t.Lookup(name), Caller: caller(team), Args: args})
	if err != nil {
		b.Fatal(err)
	}
	return r
}

func createBody(i int) op.Args {
	return op.Args{Body: fmt.Appendf(nil, `{"title":"Post number %d","content":"%s","tags":["go","news"]}`, i, htmlBody)}
}

// encode writes an answer as a surface would.
func encode(b *testing.B, dst []byte, r op.Result) []byte {
	if r.JSON != nil {
		return append(dst[:0], r.JSON...)
	}
	out, err := op.Encode(dst[:0], r.Value)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

func BenchmarkCreate(b *testing.B) {
	for _, teams := range []int{1, 100} {
		b.Run(fmt.Sprintf("teams=%d", teams), func(b *testing.B) {
			t := benchTable(b)
			b.SetParallelism(32)
			b.ReportAllocs()
			var n atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				var buf []byte
				for pb.Next() {
					i := int(n.Add(1))
					buf = encode(b, buf, mustCall(b, t, i%teams, "posts.create", createBody(i)))
				}
			})
		})
	}
}

func BenchmarkGet(b *testing.B) {
	t := benchTable(b)
	var p api.Post
	if err := op.Decode(mustCall(b, t, 0, "posts.create", createBody(0)).JSON, &p); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var buf []byte
		for pb.Next() {
			buf = encode(b, buf, mustCall(b, t, 0, "posts.get", op.Args{Params: []op.Param{{Name: "id", Value: p.ID}}, Query: true}))
		}
	})
}

func BenchmarkList20(b *testing.B) {
	t := benchTable(b)
	for i := range 200 {
		mustCall(b, t, 0, "posts.create", createBody(i))
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var buf []byte
		for pb.Next() {
			buf = encode(b, buf, mustCall(b, t, 0, "posts.list", op.Args{Query: true}))
		}
	})
}
