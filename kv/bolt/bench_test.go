package bolt

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"edgesvc.dev/svc/kv"
)

// note is a record of about 1 KiB with three index keys.
type note struct {
	Slug   string   `json:"slug"`
	Title  string   `json:"title"`
	Status string   `json:"status"`
	Text   string   `json:"text"`
	Tags   []string `json:"tags"`
	Views  int      `json:"views"`
}

var notes = kv.NewTable("note",
	kv.Index[note]{Name: "slug", Unique: true, Keys: func(v *note, add func([]byte)) { add(kv.Key(v.Slug)) }},
	kv.Index[note]{Name: "all", Keys: func(_ *note, add func([]byte)) { add(nil) }},
	kv.Index[note]{Name: "status", Keys: func(v *note, add func([]byte)) { add(kv.Key(v.Status)) }},
)

var text = strings.Repeat("All work and no play. ", 40)

func newNote(id string) *note {
	return &note{
		Slug: "a-title-of-a-note-" + id, Title: "A title of a note " + id, Status: "PUBLISHED", Text: text,
		Tags: []string{"first", "second"}, Views: 7,
	}
}

var errBench = errors.New("refused")

// writeNotes writes n notes from as many goroutines as there are writers; of a
// hundred, failing ones return an error.
func writeNotes(b testing.TB, s *Store, writers, n, failing int, ids []string) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				refuse := i%100 < failing
				err := s.Update(context.Background(), func(tx kv.Tx) error {
					id := kv.NewID("not")
					if ids != nil {
						ids[i] = id
					}
					if err := notes.Insert(tx, "team", id, newNote(id)); err != nil || !refuse {
						return err
					}
					return errBench
				})
				if err != nil && !refuse {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkInsert(b *testing.B) {
	for _, c := range []struct{ writers, failing int }{{1, 0}, {64, 0}, {64, 5}, {256, 0}} {
		b.Run(fmt.Sprintf("writers=%d,failing=%d%%", c.writers, c.failing), func(b *testing.B) {
			s := open(b, Options{})
			defer closeStore(b, s)
			b.ReportAllocs()
			b.ResetTimer()
			writeNotes(b, s, c.writers, b.N, c.failing, nil)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
			b.ReportMetric(float64(s.Stats().Functions)/float64(max(s.Stats().Commits, 1)), "functions/commit")
		})
	}
}

// filled is a store of 20,000 notes.
func filled(b *testing.B) (*Store, []string) {
	s := open(b, Options{})
	ids := make([]string, 20000)
	writeNotes(b, s, 256, len(ids), 0, ids)
	b.ReportAllocs()
	b.ResetTimer()
	return s, ids
}

func readParallel(b *testing.B, s *Store, read func(tx kv.Tx) error) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := s.View(context.Background(), read); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "reads/s")
}

// BenchmarkGet reads raw pairs and decoded records, idle and beside writers.
func BenchmarkGet(b *testing.B) {
	s, ids := filled(b)
	defer closeStore(b, s)
	raw := func(tx kv.Tx) error {
		v, err := tx.Get(kv.Key("note", "r", ids[rand.IntN(len(ids))]))
		if len(v) == 0 {
			return errors.New("missing")
		}
		return err
	}
	record := func(tx kv.Tx) error {
		_, err := notes.Get(tx, "team", ids[rand.IntN(len(ids))])
		return err
	}
	for name, read := range map[string]func(kv.Tx) error{"pair": raw, "record": record} {
		b.Run(name, func(b *testing.B) { readParallel(b, s, read) })
		b.Run(name+"-beside-64-writers", func(b *testing.B) {
			stop := make(chan struct{})
			var wg sync.WaitGroup
			var written atomic.Int64
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						writeNotes(b, s, 64, 1000, 0, nil)
						written.Add(1000)
					}
				}
			})
			b.ResetTimer()
			readParallel(b, s, read)
			close(stop)
			b.ReportMetric(float64(written.Load())/b.Elapsed().Seconds(), "updates/s")
			wg.Wait()
		})
	}
}

func BenchmarkList(b *testing.B) {
	s, _ := filled(b)
	defer closeStore(b, s)
	readParallel(b, s, func(tx kv.Tx) error {
		r, err := notes.List(tx, "team", kv.Page[note]{Index: "all", Limit: 20})
		if err == nil && len(r.Records) != 20 {
			err = fmt.Errorf("%d records", len(r.Records))
		}
		return err
	})
}
