package search

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

// mixture makes articles of the paragraphs of testdata's help centre, with words
// of their own: names, numbers and codes, as real ones have.
type mixture struct {
	random     *rand.Rand
	titles     []string
	headings   []string
	paragraphs []string
	questions  []string
}

func newMixture(b *testing.B) *mixture {
	b.Helper()
	m := &mixture{random: rand.New(rand.NewPCG(1, 2))}
	docs, questions := centre(b)
	for _, d := range docs {
		m.titles = append(m.titles, d.Title)
		for _, s := range safehtml.Sections(d.HTML) {
			if len(s.Path) > 0 {
				m.headings = append(m.headings, s.Path[len(s.Path)-1])
			}
			for line := range strings.Lines(s.Text()) {
				if len(line) > 40 {
					m.paragraphs = append(m.paragraphs, strings.TrimSpace(line))
				}
			}
		}
	}
	for _, q := range questions {
		m.questions = append(m.questions, q.text)
	}
	return m
}

func one[T any](m *mixture, all []T) T { return all[m.random.IntN(len(all))] }

// own is a word that few articles have.
func (m *mixture) own() string {
	var b strings.Builder
	for range 2 + m.random.IntN(3) {
		b.WriteByte("bcdfghklmnprstvw"[m.random.IntN(16)])
		b.WriteByte("aeiou"[m.random.IntN(5)])
	}
	return b.String()
}

// article is one of about 2.5 KB with five sections.
func (m *mixture) article(id string) *Document {
	var b strings.Builder
	for range 5 {
		fmt.Fprintf(&b, "<h2>%s %s</h2>", one(m, m.headings), m.own())
		for range 3 {
			fmt.Fprintf(&b, "<p>%s %s %s.</p>", one(m, m.paragraphs), m.own(), m.own())
		}
	}
	return &Document{ID: id, Title: one(m, m.titles) + " " + m.own(), Names: m.own(), Status: "PUBLISHED", HTML: b.String()}
}

func (m *mixture) articles(n int) (docs []*Document) {
	for i := range n {
		docs = append(docs, m.article(fmt.Sprintf("art_%026d", i)))
	}
	return docs
}

// report adds the middle and the hundredth part of times to a benchmark.
func report(b *testing.B, took []time.Duration, what string) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "µs-"+what+"p50")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "µs-"+what+"p99")
}

// BenchmarkFind measures questions to help centres of three sizes, without what is
// shown of the hits.
func BenchmarkFind(b *testing.B) {
	m := newMixture(b)
	for _, n := range []int{200, 1000, 10_000} {
		v := newView(pack(m.articles(n)...), 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				begun := time.Now()
				v.find(Query{Text: m.questions[i%len(m.questions)], Status: "PUBLISHED", Limit: 10})
				took = append(took, time.Since(begun))
			}
			report(b, took, "")
		})
		if n == 10_000 {
			benchmarkWorst(b, v)
		}
	}
}

// benchmarkWorst measures the questions that cost most.
func benchmarkWorst(b *testing.B, v *view) {
	b.Helper()
	common := make([]int, len(v.base.ends))
	for i := range common {
		common[i] = i
	}
	slices.SortFunc(common, func(i, j int) int { return int(v.base.df[j]) - int(v.base.df[i]) })
	var most, unknown []string
	for _, i := range common[:maxAsked] {
		most = append(most, v.base.term(i))
		unknown = append(unknown, v.base.term(i)+"qxz")
	}
	for name, q := range map[string]string{
		"common words": strings.Join(most, " "), "unknown words": strings.Join(unknown, " "),
		"lexicon": "invoice delete password login refund shipping order account cancel change price export import language user",
	} {
		b.Run("worst/"+name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				v.find(Query{Text: q, Limit: 10})
				took = append(took, time.Since(begun))
			}
			report(b, took, "")
		})
	}
}

// BenchmarkBuild measures how an index of 200 and of 10,000 articles is made, one
// of its articles changed, and its snapshot written and read.
func BenchmarkBuild(b *testing.B) {
	m := newMixture(b)
	for _, n := range []int{200, 10_000} {
		docs := m.articles(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				pack(docs...)
			}
		})
		g := pack(docs...)
		docs = nil
		v := newView(g, 1)
		b.Run(fmt.Sprint(n, "/change"), func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				d := m.article(fmt.Sprintf("art_%026d", i%n))
				begun := time.Now()
				v = v.with(map[string]*Document{d.ID: d}, v.turn+1)
				took = append(took, time.Since(begun))
			}
			report(b, took, "")
		})
		b.Run(fmt.Sprint(n, "/snapshot"), func(b *testing.B) {
			stored := g.encode()
			for b.Loop() {
				if _, err := decode(stored); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(stored))/float64(n), "B-stored/article")
			b.ReportMetric(float64(g.bytes())/float64(n), "B-counted/article")
			b.ReportMetric(held(b, stored)/float64(n), "B-held/article")
		})
	}
}

// held is what a segment takes of the heap.
func held(b *testing.B, stored []byte) float64 {
	b.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // the second frees what pools kept
	runtime.ReadMemStats(&before)
	g, err := decode(slices.Clone(stored))
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(g)
	return float64(after.HeapAlloc) - float64(before.HeapAlloc)
}
