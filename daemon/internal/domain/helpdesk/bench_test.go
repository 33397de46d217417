package helpdesk_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/conc/pool"

	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/sdk/api"
)

const benchArticles = 10_000

// vocabulary is 20,000 words whose frequency falls as that of a language's does.
type vocabulary struct {
	random *rand.Rand
	zipf   *rand.Zipf
	known  []string
}

func newVocabulary() *vocabulary {
	r := rand.New(rand.NewPCG(1, 2))
	v := &vocabulary{random: r, zipf: rand.NewZipf(r, 1.1, 8, 19_999)}
	for range 20_000 {
		word := make([]byte, 0, 10)
		for range 2 + r.IntN(4) {
			word = append(word, "bcdfghklmnprstvw"[r.IntN(16)], "aeiou"[r.IntN(5)])
		}
		v.known = append(v.known, string(word))
	}
	return v
}

func (v *vocabulary) words(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = v.known[v.zipf.Uint64()]
	}
	return strings.Join(words, " ")
}

func (v *vocabulary) article() (title, content string) {
	var b strings.Builder
	for range 4 {
		fmt.Fprintf(&b, "<h2>%s</h2><p>%s.</p><p>%s.</p>", v.words(4), v.words(45), v.words(45))
	}
	return v.words(5), b.String()
}

// question is about an article, or about nothing that is there.
func (v *vocabulary) question(titles []string) string {
	q := "how do you " + v.known[v.random.IntN(len(v.known))] + " "
	if v.random.IntN(4) == 0 {
		return q + v.known[v.random.IntN(len(v.known))] + "?"
	}
	words := strings.Fields(titles[v.random.IntN(len(titles))])
	return q + words[0] + " " + words[1] + "?"
}

// library is a helpdesk of 10,000 articles of about 2.5 KB.
func library(b *testing.B, v *vocabulary) (w *world, titles []string) {
	b.Helper()
	w = newWorld(b)
	for i := 0; i < benchArticles; i += 100 {
		group := pool.New().WithErrors()
		for range 100 {
			title, content := v.article()
			titles = append(titles, title)
			group.Go(func() error {
				_, err := w.desk.Create(b.Context(), alice, api.ArticleCreate{Title: title, Content: content, Status: api.ArticlePublished})
				return err
			})
		}
		w.check(group.Wait())
	}
	return w, titles
}

// BenchmarkLibrary measures 10,000 articles: building the index, starting from its
// snapshot, a question with what is shown of ten hits, and a change seen by the
// next search.
func BenchmarkLibrary(b *testing.B) {
	v := newVocabulary()
	w, titles := library(b, v)
	begun, busy := time.Now(), cpu(b)
	w.search("nothing at all")
	index, indexCPU := time.Since(begun), cpu(b)-busy
	w.check(w.desk.Close()) // writes the snapshot

	b.Run("start", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			if len(took) == 20 { // starts are slow, and enough to tell
				continue
			}
			w.check(w.desk.Close())
			w.start()
			begun := time.Now()
			w.search("nothing at all")
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		b.ReportMetric(micros(took[len(took)/2]), "µs-from-snapshot")
		b.ReportMetric(index.Seconds(), "s-index")
		b.ReportMetric(indexCPU.Seconds(), "s-index-cpu")
	})
	b.Run("query", func(b *testing.B) {
		var took []time.Duration
		found, busy := 0, cpu(b)
		for b.Loop() {
			q := v.question(titles)
			begun := time.Now()
			hits, err := w.desk.Search(b.Context(), "team_a", search.Query{Text: q, Limit: 10})
			took = append(took, time.Since(begun))
			if err != nil {
				b.Fatal(err)
			}
			found += min(len(hits.Found), 1)
		}
		b.ReportMetric(micros(cpu(b)-busy)/float64(len(took)), "µs-cpu")
		slices.Sort(took)
		b.ReportMetric(micros(took[len(took)/2]), "µs-p50")
		b.ReportMetric(micros(took[len(took)*99/100]), "µs-p99")
		b.ReportMetric(100*float64(found)/float64(len(took)), "%found")
	})
	b.Run("update", func(b *testing.B) {
		page, err := w.desk.List(b.Context(), alice, api.ArticleQuery{PageQuery: api.PageQuery{Limit: 100}})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		var took []time.Duration
		for b.Loop() {
			n++
			patch := api.ArticlePatch{ArticleRef: api.ArticleRef{ID: page.Data[n%100].ID}}
			patch.Title = api.Some("Changed " + strconv.Itoa(n))
			if _, err := w.desk.Update(b.Context(), alice, patch); err != nil {
				b.Fatal(err)
			}
			begun := time.Now()
			if hits := w.search("changed " + strconv.Itoa(n)); len(hits) == 0 {
				b.Fatal("the change is not found")
			}
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		b.ReportMetric(micros(took[n/2]), "µs-seen-p50")
		b.ReportMetric(micros(took[n*99/100]), "µs-seen-p99")
	})
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// tick is the unit of the times in /proc/self/stat.
const tick = 10 * time.Millisecond

// cpu is the processor time that the process has had: other work on the machine
// changes it less than the time on the clock.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		b.Fatal(err)
	}
	system, err := strconv.Atoi(fields[12])
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(user+system) * tick
}
