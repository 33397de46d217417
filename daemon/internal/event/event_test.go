package event_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/kvtest"
	"edgesvc.dev/svc/sdk/api"
)

// bench is one log on a store of its own, with a clock that the test moves.
type bench struct {
	t     testing.TB
	store kv.Store
	log   *event.Log
	table *op.Table
	now   time.Time
}

func newBench(t testing.TB) *bench {
	store := optest.Store(t)
	twice := kvtest.Twice(store)
	b := &bench{t: t, store: twice, log: event.New(twice, catalogue()), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	b.log.Now = func() time.Time { return b.now }
	b.table = op.NewTable(twice, op.NewLimiter(nil), b.log.Ops())
	return b
}

// kindOf is a kind as a domain declares it.
func kindOf(name string) event.Kind[api.Post] {
	category := event.Content
	if strings.HasPrefix(name, "conversation.") {
		category = event.Audience
	}
	return event.Kind[api.Post]{Name: name, Category: category, Doc: name + " happened."}
}

func catalogue() []event.Type {
	all := event.Types(event.Kind[api.Media]{Name: "media.uploaded", Category: event.Content, Doc: "A file was uploaded."})
	for _, name := range []string{"post.archived", "post.created", "post.published"} {
		all = append(all, event.Types(kindOf(name))...)
	}
	return all
}

// append adds an event a second after the one before.
func (b *bench) append(team, typ, id string) {
	b.t.Helper()
	b.now = b.now.Add(time.Second)
	err := b.store.Update(b.t.Context(), func(tx kv.Tx) error {
		who := op.Caller{Team: team, Actor: api.Actor{Type: "key", ID: "key_1"}}
		return event.Append(b.log, tx, who, kindOf(typ), &api.Post{ID: id, Title: "A <b>", Slug: id}, map[string]any{"title": "B"})
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) call(name, team string, scope op.Scope, params ...op.Param) (any, *api.Error) {
	o := b.table.Lookup(name)
	res, err := b.table.Call(b.t.Context(), op.Request{
		Op: o, Caller: op.Caller{Kind: op.Key, Credential: "key_1", Team: team, Scopes: scope},
		Args: op.Args{Params: params, Query: true},
	})
	return res.Value, err
}

func (b *bench) list(team string, params ...op.Param) api.Page[api.Event] {
	b.t.Helper()
	v, err := b.call("events.list", team, op.WebhooksManage, params...)
	if err != nil {
		b.t.Fatal(err)
	}
	return v.(api.Page[api.Event])
}

// objects are the ids of what the events are about.
func objects(t testing.TB, events []api.Event) string {
	t.Helper()
	var ids []string
	for _, e := range events {
		var o struct{ ID string }
		if err := json.Unmarshal(e.Data.Object, &o); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, o.ID)
	}
	return strings.Join(ids, " ")
}

func TestEnvelope(t *testing.T) {
	b := newBench(t)
	b.append("team_a", "post.created", "p1")
	e := b.list("team_a").Data[0]
	if !kv.ValidID("evt", e.ID) || e.Type != "post.created" || e.Category != "content" || e.APIVersion != "v1" ||
		e.TeamID != "team_a" || e.Actor != (api.Actor{Type: "key", ID: "key_1"}) || e.Sequence != 1 ||
		e.Timestamp != api.TimeOf(b.now) || string(e.Data.Previous) != `{"title":"B"}` {
		t.Fatalf("%+v", e)
	}
	if !strings.Contains(string(e.Data.Object), `"title":"A <b>"`) || strings.Contains(string(e.Data.Object), `"content"`) {
		t.Fatalf("object is %s", e.Data.Object)
	}
}

func TestAnEventExistsExactlyWhenItsChangeDoes(t *testing.T) {
	b := newBench(t)
	refused := errors.New("refused")
	err := b.store.Update(t.Context(), func(tx kv.Tx) error {
		if err := event.Append(b.log, tx, op.Caller{Team: "team_a"}, kindOf("post.created"), &api.Post{}, nil); err != nil {
			return err
		}
		return refused
	})
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	if got := b.list("team_a").Data; len(got) != 0 {
		t.Fatalf("an event of a change that never was: %+v", got)
	}
}

func TestUnknownTypeIsRefused(t *testing.T) {
	b := newBench(t)
	err := b.store.Update(t.Context(), func(tx kv.Tx) error {
		return event.Append(b.log, tx, op.Caller{Team: "team_a"}, kindOf("post.eaten"), &api.Post{}, nil)
	})
	if err == nil || !strings.Contains(err.Error(), "post.eaten") {
		t.Fatal(err)
	}
}

func TestList(t *testing.T) {
	b := newBench(t)
	start := b.now
	b.append("team_a", "post.created", "p1")
	b.append("team_b", "post.created", "other")
	b.append("team_a", "media.uploaded", "m1")
	b.append("team_a", "post.published", "p1b")
	at := func(seconds int) string { return api.TimeOf(start.Add(time.Duration(seconds) * time.Second)).String() }
	for _, row := range []struct {
		params []op.Param
		want   string
	}{
		{nil, "p1b m1 p1"},
		{[]op.Param{{Name: "order", Value: "asc"}}, "p1 m1 p1b"},
		{[]op.Param{{Name: "type", Value: "post.created"}}, "p1"},
		{[]op.Param{{Name: "type", Value: "post.*"}}, "p1b p1"},
		{[]op.Param{{Name: "type", Value: "@content"}}, "p1b m1 p1"},
		{[]op.Param{{Name: "since", Value: at(3)}}, "p1b m1"},
		{[]op.Param{{Name: "until", Value: at(3)}}, "p1"},
		{[]op.Param{{Name: "since", Value: at(2)}, {Name: "until", Value: at(4)}, {Name: "order", Value: "asc"}}, "m1"},
	} {
		if got := objects(t, b.list("team_a", row.params...).Data); got != row.want {
			t.Errorf("%v: got %q, want %q", row.params, got, row.want)
		}
	}
}

func TestPagesJoinWithoutGapOrRepeat(t *testing.T) {
	b := newBench(t)
	var want []string
	for i := range 7 {
		id := fmt.Sprintf("p%d", i)
		want = append(want, id)
		b.append("team_a", "post.created", id)
		b.append("team_b", "post.created", "other")
	}
	var got []string
	cursor := op.Param{Name: "cursor"}
	for {
		page := b.list("team_a", op.Param{Name: "limit", Value: "2"}, op.Param{Name: "order", Value: "asc"}, cursor)
		got = append(got, objects(t, page.Data))
		if !page.HasMore {
			break
		}
		cursor.Value = page.NextCursor
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Fatal(got)
	}
	if _, err := b.call("events.list", "team_b", op.WebhooksManage, op.Param{Name: "limit", Value: "2"}, op.Param{Name: "order", Value: "asc"}, cursor); err == nil || err.Code != api.CodeInvalidCursor {
		t.Fatal("another team's cursor:", err)
	}
}

func TestGet(t *testing.T) {
	b := newBench(t)
	b.append("team_a", "post.created", "p1")
	id := b.list("team_a").Data[0].ID
	v, err := b.call("events.get", "team_a", op.WebhooksManage, op.Param{Name: "id", Value: id})
	if err != nil || v.(api.Event).ID != id || objects(t, []api.Event{v.(api.Event)}) != "p1" {
		t.Fatal(v, err)
	}
	otherTime := id[:10] + "0" + id[11:]
	for name, ref := range map[string]string{
		"another team's": id, "of another time": otherTime, "absent": id[:len(id)-1] + "7", "nonsense": "evt_x",
		"nonsense of the right length": "evt_" + strings.Repeat("é", 13), "empty suffix": "evt_",
	} {
		team := "team_a"
		if name == "another team's" {
			team = "team_b"
		}
		if _, err := b.call("events.get", team, op.WebhooksManage, op.Param{Name: "id", Value: ref}); err == nil || err.Code != api.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadingTakesTheScope(t *testing.T) {
	b := newBench(t)
	for name, want := range map[string]api.Code{"events.list": api.CodeInsufficientScope, "events.types": ""} {
		_, err := b.call(name, "team_a", op.PostsRead)
		if want == "" && err != nil || want != "" && (err == nil || err.Code != want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := b.call("events.list", "team_a", op.WebhooksManage, op.Param{Name: "type", Value: "post.eaten"}); err == nil || err.Code != api.CodeInvalidParameter {
		t.Error(err)
	}
}

func TestTypesAreDescribed(t *testing.T) {
	b := newBench(t)
	v, refusal := b.call("events.types", "team_a", 0)
	if refusal != nil {
		t.Fatal(refusal)
	}
	list := v.(api.EventTypeList).Data
	if len(list) != len(catalogue()) {
		t.Fatalf("%d types", len(list))
	}
	for _, typ := range list {
		var schema struct {
			Ref  string `json:"$ref"`
			Defs map[string]struct {
				Properties map[string]struct {
					Type   any    `json:"type"`
					Format string `json:"format"`
				} `json:"properties"`
			} `json:"$defs"`
		}
		if err := json.Unmarshal(typ.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(schema.Ref, "#/$defs/")
		if p := schema.Defs[name].Properties; p["id"].Type != "string" || p["createdAt"].Format != "date-time" {
			t.Errorf("%s: %s", typ.Type, typ.Schema)
		}
		if strings.Contains(string(typ.Schema), `"additionalProperties":false`) {
			t.Errorf("%s lets no further members pass", typ.Type)
		}
		if typ.Type == "post.created" && !strings.Contains(string(typ.Schema), `{"oneOf":[{"$ref":"#/$defs/Author"},{"type":"null"}]}`) {
			t.Errorf("author may not be null: %s", typ.Schema)
		}
	}
}

func TestFollowResumesRepeatsAndKeepsOrder(t *testing.T) {
	b := newBench(t)
	for i := range 300 { // more than one batch
		b.append("team_a", "post.created", fmt.Sprint(i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var seen []uint64
	failed := false
	err := b.log.Follow(ctx, "index", func(_ context.Context, events []api.Event) error {
		if !failed {
			failed = true
			return errors.New("not now")
		}
		for _, e := range events {
			seen = append(seen, e.Sequence)
		}
		if len(seen) >= 300 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for i, s := range seen {
		if s != uint64(i+1) {
			t.Fatalf("event %d came at %d", s, i)
		}
	}
	if len(seen) != 300 {
		t.Fatalf("%d events", len(seen))
	}
}

func TestFollowWakesOnCommitAndRemembers(t *testing.T) {
	b := newBench(t)
	got := make(chan uint64)
	follow := func() (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			_ = b.log.Follow(ctx, "index", func(_ context.Context, events []api.Event) error {
				for _, e := range events {
					got <- e.Sequence
				}
				return nil
			})
		})
		return func() { cancel(); wg.Wait() }
	}
	stop := follow()
	for want := uint64(1); want <= 3; want++ {
		b.append("team_a", "post.created", "p")
		if s := <-got; s != want {
			t.Fatal(s)
		}
	}
	// What follows the third event shows that the third was noted.
	b.append("team_a", "post.created", "p")
	if s := <-got; s != 4 {
		t.Fatal(s)
	}
	stop()
	b.append("team_a", "post.created", "p")
	defer follow()()
	s := <-got
	if s == 4 {
		s = <-got // the note on the fourth may have been cut off
	}
	if s != 5 {
		t.Fatal("resumed at", s)
	}
}

// TestFollowByPattern hands over what the consumer wants and nothing else.
func TestFollowByPattern(t *testing.T) {
	b := newBench(t)
	for i := range 5 {
		b.append("team_a", "post.created", fmt.Sprint(i))
	}
	b.append("team_a", "post.archived", "5")
	b.append("team_a", "post.created", "6")
	follow := func(until string) (seen []api.Event) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_ = b.log.Follow(ctx, "index", func(_ context.Context, events []api.Event) error {
			seen = append(seen, events...)
			if strings.HasSuffix(objects(t, seen), until) {
				cancel()
			}
			return nil
		}, "media.*", "post.archived")
		return seen
	}
	if got := objects(t, follow("5")); got != "5" {
		t.Fatal(got)
	}
	b.append("team_a", "media.uploaded", "7")
	// The note on the first may have been cut off with its follower.
	if got := strings.TrimPrefix(objects(t, follow("7")), "5 "); got != "7" {
		t.Fatal(got)
	}
}

func TestSweepDeletesOnlyWhatIsOld(t *testing.T) {
	b := newBench(t)
	for range 600 {
		b.append("team_a", "post.created", "old")
	}
	b.now = b.now.Add(event.Retention)
	b.append("team_a", "post.created", "new")
	b.append("team_b", "post.created", "new")
	n, err := b.log.Sweep(t.Context(), event.Retention)
	if n != 600 || err != nil {
		t.Fatal(n, err)
	}
	if got := b.list("team_a").Data; objects(t, got) != "new" || got[0].Sequence != 601 {
		t.Fatal(got)
	}
	keys := 0
	err = b.store.View(t.Context(), func(tx kv.Tx) error {
		return tx.Scan(kv.Prefix(kv.Key("event")), func(_, _ []byte) error { keys++; return nil })
	})
	if err != nil || keys != 4 { // two records, two index entries
		t.Fatal(keys, err)
	}
}

func FuzzGet(f *testing.F) {
	b := newBench(f)
	b.append("team_a", "post.created", "p1")
	id := b.list("team_a").Data[0].ID
	f.Add(id)
	f.Add("evt_00000000000000000000000000")
	f.Add("evt_zzzzzzzzzzzzzzzzzzzzzzzzzz")
	f.Fuzz(func(t *testing.T, ref string) {
		e, err := b.log.Get(context.Background(), op.Caller{Team: "team_a"}, api.EventRef{ID: ref})
		if _, missing := errors.AsType[*kv.NotFoundError](err); missing != (ref != id) || err == nil && e.ID != ref {
			t.Fatalf("%q: %+v %v", ref, e, err)
		}
	})
}

func TestCheckersPassWhatWasWritten(t *testing.T) {
	b := newBench(t)
	b.append("team_a", "post.created", "p1")
	ctx, cancel := context.WithCancel(t.Context())
	_ = b.log.Follow(ctx, "index", func(context.Context, []api.Event) error { cancel(); return nil })
	for _, c := range event.Tables() {
		err := b.store.View(t.Context(), func(tx kv.Tx) error {
			return c.Check(tx, func(key []byte, reason string) { t.Errorf("%q: %s", key, reason) })
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	s := newBench(b)
	post := api.Post{ID: kv.NewID("post"), Title: "A title", Slug: "a-title", Tags: []string{"a", "b"}, Status: "DRAFT", Excerpt: strings.Repeat("words ", 40)}
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			err := s.store.Update(b.Context(), func(tx kv.Tx) error {
				return event.Append(s.log, tx, op.Caller{Team: "team_a"}, kindOf("post.created"), &post, nil)
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
