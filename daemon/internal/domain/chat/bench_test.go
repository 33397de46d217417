package chat_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sourcegraph/conc"

	"edgesvc.dev/svc/daemon/internal/domain/chat"
	"edgesvc.dev/svc/sdk/api"
)

var unlimited = chat.Options{PerMinute: 1 << 30, PerDay: 1 << 30, PerAddress: 1 << 30, PerTeam: 1 << 30, Starts: 1 << 20}

// again is the visitor on a new connection, which has everything up to a seq:
// the frames of one connection are limited.
func (v *visitor) again(seq int) *visitor {
	token := v.ready().Visitor
	v.visit.Close()
	next := v.w.arrive(chat.Arrival{Hello: api.ChatIn{Visitor: token, Since: seq}})
	next.ready()
	return next
}

// BenchmarkMessages is a message from its frame to its acknowledgement, stored:
// 200 visitors at once, nobody answers.
func BenchmarkMessages(b *testing.B) {
	w := newWorld(b, unlimited)
	w.activate(nil)
	const visitors = 200
	all := make([]*visitor, visitors)
	for i := range all {
		all[i] = w.arrive(chat.Arrival{Address: fmt.Sprintf("10.0.%d.%d", i>>8, i&255)})
		all[i].ready()
	}
	var n atomic.Int64
	took := make([][]time.Duration, visitors)
	b.ResetTimer()
	var wg conc.WaitGroup
	for i, v := range all {
		wg.Go(func() {
			seq := 0
			for k := n.Add(1); k <= int64(b.N); k = n.Add(1) {
				if seq%50 == 49 {
					v = v.again(seq)
				}
				begun := time.Now()
				v.receive(api.ChatIn{T: "msg", CID: fmt.Sprint(k), Text: "Do you ship to Japan?"})
				took[i] = append(took[i], time.Since(begun))
				for _, f := range v.visit.Take() {
					seq = max(seq, f.Seq)
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	every := slices.Concat(took...)
	slices.Sort(every)
	b.ReportMetric(float64(len(every))/b.Elapsed().Seconds(), "messages/s")
	b.ReportMetric(float64(every[len(every)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkFirstDelta is from the visitor's frame to the first piece of the
// answer in the visitor's box, with an agent that answers at once.
func BenchmarkFirstDelta(b *testing.B) {
	w := newWorld(b, unlimited).work()
	w.chat.Now = time.Now
	w.answers(func(_ context.Context, q chat.Question) (api.AgentAnswer, error) {
		q.OnDelta("At once.")
		return api.AgentAnswer{Text: "At once."}, nil
	})
	v := w.arrive(chat.Arrival{})
	v.ready()
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		if len(took)%50 == 49 {
			v = v.again(2 * len(took))
		}
		visit := v.visit
		visit.Take()
		begun := time.Now()
		v.receive(api.ChatIn{T: "msg", CID: begun.String(), Text: "Now?"})
		for first, done := false, false; !done; {
			<-v.woken
			for _, f := range visit.Take() {
				if f.T == "delta" && !first {
					first = true
					took = append(took, time.Since(begun))
				}
				done = done || f.T == "done"
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}
