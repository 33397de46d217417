package chat_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/daemon/internal/optest"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// fill sends messages from an address, each visitor as many as it may, until the
// chat takes no more. It returns how many it took.
func (w *world) fill(address, text string) (n int, refusal *api.Error) {
	w.T.Helper()
	for {
		v := w.arrive(chat.Arrival{Address: address})
		for range 20 {
			err := v.try(api.ChatIn{T: "msg", CID: rand.Text(), Text: text})
			if e, ok := errors.AsType[*api.Error](err); ok && e.Code == api.CodeUsageLimit {
				v.visit.Close()
				return n, e
			} else if err != nil {
				w.T.Fatal(err)
			}
			v.take()
			n++
		}
		v.visit.Close()
	}
}

// TestDailyAmount: what visitors of a network, a site and a team may have stored
// in a day is bounded; a restart forgets nothing of it, the next day begins anew,
// and the team reads once a day that it happened.
func TestDailyAmount(t *testing.T) {
	for name, row := range map[string]struct {
		o         chat.Options
		elsewhere chat.Arrival // still has room
		full      chat.Arrival // has none, though it comes from elsewhere
		audited   string
	}{
		"network": {o: chat.Options{DailyPerNetwork: 100_000}, elsewhere: chat.Arrival{Address: "10.9.0.1"},
			full: chat.Arrival{Address: "10.1.0.1", Site: api.Site{ID: "site_2"}}, audited: "conversations.usageLimit network"},
		"site": {o: chat.Options{DailyPerSite: 100_000}, elsewhere: chat.Arrival{Address: "10.1.0.1", Site: api.Site{ID: "site_2"}},
			full: chat.Arrival{Address: "10.9.0.1"}, audited: "conversations.usageLimit site_1"},
		"team": {o: chat.Options{DailyPerTeam: 100_000}, elsewhere: chat.Arrival{Address: "10.1.0.1", Team: "team_b"},
			full: chat.Arrival{Address: "10.9.0.1", Site: api.Site{ID: "site_2"}}, audited: "conversations.usageLimit team"},
	} {
		t.Run(name, func(t *testing.T) {
			row.o.Starts = 100
			w := newWorld(t, row.o)
			w.activate(nil)
			text := strings.Repeat("é", 1000)
			n, e := w.fill("10.1.0.1", text)
			if n < 5 || n > 40 || e.RetryAfter != 0 || e.Status != 429 {
				t.Fatalf("%d messages, then %+v", n, e)
			}
			w.restart()
			try := func(a chat.Arrival) error {
				v := w.arrive(a)
				defer v.visit.Close()
				return v.try(api.ChatIn{T: "msg", CID: "c", Text: text})
			}
			refusedWith(t, try(row.full), api.CodeUsageLimit)
			refusedWith(t, try(row.full), api.CodeUsageLimit)
			if err := try(row.elsewhere); err != nil {
				t.Errorf("where there is room: %v", err)
			}
			if !slices.Equal(w.audited, []string{row.audited}) {
				t.Errorf("the audit log says %q", w.audited)
			}
			w.Pass(24 * time.Hour)
			if err := try(row.full); err != nil {
				t.Errorf("the next day: %v", err)
			}
			if err := w.chat.Sweep(t.Context()); err != nil || w.usageRows() == 0 {
				t.Errorf("rows that still count are gone: %v", err)
			}
			w.Pass(72 * time.Hour)
			if err := w.chat.Sweep(t.Context()); err != nil || w.usageRows() != 0 {
				t.Errorf("%d rows of past days, %v", w.usageRows(), err)
			}
		})
	}
}

// rawUsage counts all rows, whether or not they can be read.
func (w *world) rawUsage() (n int) {
	w.T.Helper()
	err := w.Store.View(context.Background(), func(tx kv.Tx) error {
		return tx.Scan(kv.Prefix(kv.Key("chatuse", "r")), func(_, _ []byte) error { n++; return nil })
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return n
}

func (w *world) usageRows() (n int) {
	w.T.Helper()
	table := kv.NewTable[struct{}]("chatuse")
	err := w.Store.View(context.Background(), func(tx kv.Tx) error {
		_, err := table.Each(tx, "", -1, func(string, string, *struct{}) error { n++; return nil })
		return err
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return n
}

// TestAnswersCountForWhoAsked: an agent writes at length for visitors who write
// little; they still get the answers to what was taken.
func TestAnswersCountForWhoAsked(t *testing.T) {
	w := newWorld(t, chat.Options{DailyPerNetwork: 40_000}).work()
	long := strings.Repeat("word ", 2000)
	w.answers(streamed(long))
	v := w.arrive(chat.Arrival{Address: "10.1.0.1"})
	asked := 0
	for ; asked < 20; asked++ {
		err := v.try(api.ChatIn{T: "msg", CID: rand.Text(), Text: "and?"})
		if err != nil {
			refusedWith(t, err, api.CodeUsageLimit)
			break
		}
		v.frames = nil
		v.answered(long)
	}
	if asked < 2 || asked > 6 {
		t.Errorf("%d questions were answered with 10 KB each within 40 KB", asked)
	}
}

// TestEditsAreCounted: who one is, what one has read and how one rates is stored
// when it changes, and not without end.
func TestEditsAreCounted(t *testing.T) {
	w := newWorld(t, chat.Options{EditsPerMinute: 3, DailyPerNetwork: 1 << 20}).work()
	v := w.arrive(chat.Arrival{})
	v.say("hello")
	m := v.answered("You said: hello")
	conv := v.conv()
	before := w.Store.Stats().Commits
	for range 5 {
		v.receive(api.ChatIn{T: "read", Seq: 0})
		v.receive(api.ChatIn{T: "identify", User: &api.ChatUser{}})
		v.receive(api.ChatIn{T: "feedback", ID: m.ID, V: 0})
	}
	if after := w.Store.Stats().Commits; after != before {
		t.Errorf("%d commits for what changes nothing", after-before)
	}
	v.receive(api.ChatIn{T: "read", Seq: 2})
	v.receive(api.ChatIn{T: "identify", User: &api.ChatUser{Name: "Lin"}})
	v.receive(api.ChatIn{T: "feedback", ID: m.ID, V: 1})
	for _, f := range []api.ChatIn{{T: "feedback", ID: m.ID, V: -1}, {T: "identify", User: &api.ChatUser{Name: "Lin B."}}, {T: "end"}} {
		if e := refusedWith(t, v.try(f), api.CodeRateLimited); e.RetryAfter < 1 || e.RetryAfter > 60 {
			t.Errorf("wait %d s", e.RetryAfter)
		}
	}
	if c := w.get(conv); c.Visitor.Name != "Lin" || c.Rating != 1 || c.ReadSeq != 2 || c.State != api.ConversationBot {
		t.Errorf("%+v", c)
	}
	w.Pass(time.Minute)
	v.receive(api.ChatIn{T: "feedback", ID: m.ID, V: -1})

	full := newWorld(t, chat.Options{DailyPerNetwork: 20_000, EditsPerMinute: 1000})
	full.activate(nil)
	v = full.arrive(chat.Arrival{})
	v.say("hello")
	var err error
	for i := 0; i < 50 && err == nil; i++ {
		err = v.try(api.ChatIn{T: "identify", User: &api.ChatUser{Name: strings.Repeat("x", 1+i)}})
	}
	refusedWith(t, err, api.CodeUsageLimit)
}

// TestEventsAreShort: a long text is stored once, with its message.
func TestEventsAreShort(t *testing.T) {
	w := newWorld(t, chat.Options{})
	w.activate(nil)
	v := w.arrive(chat.Arrival{})
	v.say(strings.Repeat("é", 4000))
	conv := v.conv()
	optest.Must[api.Message](w, "conversations.reply", `{"id":"`+conv+`","text":"`+strings.Repeat("y", 4000)+`"}`)
	for _, e := range optest.Must[api.Page[api.Event]](w, "events.list", `{"limit":100}`).Data {
		if len(e.Data.Object) > 4000 {
			t.Errorf("%s takes %d bytes", e.Type, len(e.Data.Object))
		}
	}
	if m := w.messages(conv); len(m[0].Text) != 8000 || len(m[1].Text) != 4000 {
		t.Error("the messages are cut")
	}
}

// BenchmarkVisitorsDay fills the day of one network with the longest messages
// that there are, answered, and says how much the file grew.
func BenchmarkVisitorsDay(b *testing.B) {
	for b.Loop() {
		w := newWorld(b, chat.Options{Starts: 1 << 20})
		w.activate(nil)
		size := func() float64 {
			info, err := os.Stat(w.Path())
			if err != nil {
				b.Fatal(err)
			}
			return float64(info.Size()) / (1 << 20)
		}
		before := size()
		n, _ := w.fill("10.1.0.1", strings.Repeat("😀", 4000))
		b.ReportMetric(float64(n), "messages")
		b.ReportMetric(size()-before, "MiB/day")
		b.ReportMetric((size()-before)*1024/float64(n), "KiB/message")
	}
}

// TestSweepOfUsage removes the counts of days that are over, those behind one that
// cannot be read too.
func TestSweepOfUsage(t *testing.T) {
	w := newWorld(t, chat.Options{})
	w.activate(nil)
	say := func() {
		v := w.arrive(chat.Arrival{Address: "10.1.0.1"})
		defer v.visit.Close()
		if err := v.try(api.ChatIn{T: "msg", CID: "c", Text: "hello"}); err != nil {
			t.Fatal(err)
		}
	}
	say()
	day := w.Clock.Now().UTC().Format(time.DateOnly)
	first := w.rawUsage()
	w.Damage("chatuse", day)
	w.Pass(24 * time.Hour)
	say()
	w.Pass(100 * 24 * time.Hour)
	say()
	all := w.rawUsage()
	if err := w.chat.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := w.rawUsage(); first == 0 || left != all-first {
		t.Errorf("%d at first, %d in all, %d are left", first, all, left)
	}
}
