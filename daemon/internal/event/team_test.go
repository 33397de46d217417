package event_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/event"
	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/kv/kvtest"
	"edgesvc.dev/svc/sdk/api"
)

// wantNumbers wants the team's events, oldest first, to have these sequence
// numbers, and each to be found by its id and by no other team.
func (b *bench) wantNumbers(team string, want ...uint64) {
	b.t.Helper()
	var got []uint64
	for _, e := range b.list(team, op.Param{Name: "order", Value: "asc"}).Data {
		got = append(got, e.Sequence)
		found, err := b.log.Get(b.t.Context(), op.Caller{Team: team}, api.EventRef{ID: e.ID})
		if err != nil || found.Sequence != e.Sequence {
			b.t.Errorf("%s is found as number %d, %v", e.ID, found.Sequence, err)
		}
		if other, err := b.log.Get(b.t.Context(), op.Caller{Team: "team_other"}, api.EventRef{ID: e.ID}); err == nil {
			b.t.Errorf("another team reads %s as %v", e.ID, other)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		b.t.Errorf("%s has the numbers %v, want %v", team, got, want)
	}
}

// TestTeamsDoNotCountEachOther numbers each team's events without gaps, whatever
// the others do and whatever fails, also within one millisecond.
func TestTeamsDoNotCountEachOther(t *testing.T) {
	b := newBench(t)
	refused := errors.New("refused")
	for range 3 {
		b.append("team_a", "post.created", "p")
		for range 3 {
			b.append("team_b", "post.created", "other")
			b.now = b.now.Add(-time.Second) // all of b in one millisecond
		}
		err := b.store.Update(t.Context(), func(tx kv.Tx) error {
			who := op.Caller{Team: "team_a"}
			return errors.Join(event.Append(b.log, tx, who, kindOf("post.created"), &api.Post{}, nil), refused)
		})
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
	}
	b.wantNumbers("team_a", 1, 2, 3)
	b.wantNumbers("team_b", 1, 2, 3, 4, 5, 6, 7, 8, 9)
}

// earlier is a stored event of the releases that showed its position in the log
// of all teams.
type earlier struct {
	Type      string          `json:"t"`
	At        api.Time        `json:"at"`
	ActorType string          `json:"ak"`
	ActorID   string          `json:"ai"`
	Object    json.RawMessage `json:"o"`
}

var earlierEvents = kv.NewTable("event", kv.Index[earlier]{
	Name: "t", Keys: func(v *earlier, add func([]byte)) { add(kv.Key(kv.Uint64(uint64(v.At)))) },
})

// TestEarlierEventsKeepTheirNumbers goes on with a log of an earlier release: old
// events keep number and id, new numbers are higher than every old one, and
// followers go on where they were.
func TestEarlierEventsKeepTheirNumbers(t *testing.T) {
	b := newBench(t)
	for _, team := range []string{"team_b", "team_a", "team_b", "team_a", "team_b"} {
		err := b.store.Update(t.Context(), func(tx kv.Tx) error {
			n, err := kv.Next(tx, kv.Key("eventsequence"))
			if err != nil {
				return err
			}
			return earlierEvents.Insert(tx, team, fmt.Sprintf("%016x", n), &earlier{Type: "post.created", At: api.TimeOf(b.now), Object: json.RawMessage(`{"id":"old"}`)})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	b.wantNumbers("team_a", 2, 4)
	b.append("team_a", "post.created", "new")
	b.append("team_a", "post.created", "new")
	b.append("team_c", "post.created", "new")
	b.append("team_b", "post.created", "new")
	b.wantNumbers("team_a", 2, 4, 6, 7)
	b.wantNumbers("team_b", 1, 3, 5, 6)
	b.wantNumbers("team_c", 6)
	ctx, cancel := context.WithCancel(t.Context())
	seen := 0
	_ = b.log.Follow(ctx, "index", func(_ context.Context, events []api.Event) error {
		if seen += len(events); seen >= 9 {
			cancel()
		}
		return nil
	})
	if seen != 9 {
		t.Errorf("%d events were followed", seen)
	}
}

// TestSweepMistrustsTheClock deletes nothing when all would go.
func TestSweepMistrustsTheClock(t *testing.T) {
	b := newBench(t)
	for range 10 {
		b.append("team_a", "post.created", "p")
	}
	now := b.now
	b.now = now.AddDate(1, 0, 0)
	n, err := b.log.Sweep(t.Context(), event.Retention)
	if n != 0 || !errors.Is(err, event.ErrClock) || len(b.list("team_a").Data) != 10 {
		t.Fatalf("%d deleted, %v", n, err)
	}
	b.now = now
	if n, err := b.log.Sweep(t.Context(), event.Retention); n != 0 || err != nil {
		t.Fatal(n, err)
	}
}

// TestTimeFollowsTheSequence lets the clock go back: a little, as clocks of two
// machines differ, and a lot, as one that was wrong is put right.
func TestTimeFollowsTheSequence(t *testing.T) {
	b := newBench(t)
	b.append("team_a", "post.created", "p1")
	at := b.now
	b.now = at.Add(-time.Minute)
	b.append("team_a", "post.created", "p2")
	b.append("team_b", "post.created", "other")
	b.now = at.Add(time.Second)
	b.append("team_a", "post.created", "p3")
	data := b.list("team_a", op.Param{Name: "order", Value: "asc"}).Data
	if got := objects(t, data); got != "p1 p2 p3" || data[1].Timestamp != api.TimeOf(at) {
		t.Errorf("%s: %v", got, data)
	}
	if e := b.list("team_b").Data[0]; e.Timestamp >= api.TimeOf(at) {
		t.Errorf("another team's event has the time %v", e.Timestamp)
	}
	b.now = at.Add(-24 * time.Hour)
	b.append("team_a", "post.created", "p4")
	if e, err := b.log.Get(t.Context(), op.Caller{Team: "team_a"}, api.EventRef{ID: b.list("team_a", op.Param{Name: "until", Value: api.TimeOf(at.Add(-time.Hour)).String()}).Data[0].ID}); err != nil || e.Timestamp != api.TimeOf(b.now) || e.Sequence != 4 {
		t.Errorf("after the clock was put right: %+v %v", e, err)
	}
}

// TestUnreadableEventsAreLeftOut has a batch of events of which none can be read
// between others.
func TestUnreadableEventsAreLeftOut(t *testing.T) {
	b := newBench(t)
	const bad = 600 // more than one page
	old := slog.Default()
	slog.SetDefault(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { slog.SetDefault(old) })
	for i := range bad + 2 {
		b.append("team_a", "post.created", fmt.Sprint(i))
	}
	err := b.store.Update(t.Context(), func(tx kv.Tx) (err error) {
		for i := range bad {
			key := kv.Key("event", "r", fmt.Sprintf("%016x", i+2))
			err = errors.Join(err, kvtest.Respell(tx, key, "post.created", "post.create\xff"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var seen []api.Event
	_ = b.log.Follow(ctx, "index", func(_ context.Context, events []api.Event) error {
		if seen = append(seen, events...); len(seen) == 2 {
			cancel()
		}
		return nil
	})
	if got := objects(t, seen); got != fmt.Sprint("0 ", bad+1) {
		t.Errorf("followed %s", got)
	}
	if got := objects(t, b.list("team_a").Data); got != fmt.Sprint(bad+1, " 0") {
		t.Errorf("listed %s", got)
	}
	b.now = b.now.Add(event.Retention)
	b.append("team_a", "post.created", "new")
	if n, err := b.log.Sweep(t.Context(), event.Retention); n != 2 || err != nil {
		t.Error(n, err)
	}
}

var about = event.Kind[api.Post]{Name: "post.published", Category: event.Content, Person: func(p *api.Post) string { return p.Slug }}

// TestEventsAboutAPerson are found by it.
func TestEventsAboutAPerson(t *testing.T) {
	b := newBench(t)
	for i, person := range []string{"per_1", "", "per_2", "per_1"} {
		b.now = b.now.Add(time.Second)
		err := b.store.Update(t.Context(), func(tx kv.Tx) error {
			return event.Append(b.log, tx, op.Caller{Team: "team_a"}, about, &api.Post{ID: fmt.Sprint(i), Slug: person}, nil)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	b.append("team_b", "post.published", "per_1")
	page := b.list("team_a", op.Param{Name: "personId", Value: "per_1"})
	if got := objects(t, page.Data); got != "3 0" || page.Data[0].PersonID != "per_1" {
		t.Errorf("%s: %+v", got, page.Data)
	}
	if got := objects(t, b.list("team_a", op.Param{Name: "personId", Value: "per_1"}, op.Param{Name: "until", Value: page.Data[0].Timestamp.String()}).Data); got != "0" {
		t.Errorf("until: %s", got)
	}
	if got := objects(t, b.list("team_a", op.Param{Name: "personId", Value: "per_"}).Data); got != "" {
		t.Errorf("a prefix of ids: %s", got)
	}
	if e := b.list("team_a").Data; len(e) != 4 || e[2].PersonID != "" {
		t.Errorf("%+v", e)
	}
}

// TestPatterns says what each pattern means.
func TestPatterns(t *testing.T) {
	store := newBench(t).store
	log := event.New(store, catalogue(), event.Types(event.Kind[api.Post]{Name: "webhook.endpoint_failing", Category: event.Operator}))
	for _, row := range []struct {
		pattern, name string
		want          bool
	}{
		{"post.created", "post.created", true}, {"post.created", "post.published", false},
		{"post.*", "post.created", true}, {"post.*", "media.uploaded", false}, {"po*", "post.created", false},
		{"@content", "media.uploaded", true}, {"@audience", "media.uploaded", false}, {"@", "media.uploaded", false},
		{"*", "media.uploaded", true},
		{"*", "webhook.endpoint_failing", false}, {"webhook.*", "webhook.endpoint_failing", false},
		{"@operator", "webhook.endpoint_failing", false}, {"webhook.endpoint_failing", "webhook.endpoint_failing", true},
	} {
		if got := log.Match(row.pattern, row.name); got != row.want {
			t.Errorf("%s means %s: %v", row.pattern, row.name, got)
		}
	}
	for pattern, want := range map[string]bool{"*": true, "@operator": false, "webhook.*": false, "webhook.endpoint_failing": true, "": false, ".*": false} {
		if got := log.Known(pattern); got != want {
			t.Errorf("%q is known: %v", pattern, got)
		}
	}
}
