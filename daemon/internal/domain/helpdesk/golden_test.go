package helpdesk_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

var update = flag.Bool("update", false, "write the golden file")

// demoQuestions are asked of the demo's articles.
var demoQuestions = []string{
	"Do you ship to Japan?",
	"How much is shipping within Germany?",
	"how long until my parcel arrives",
	"where is my order",
	"Can I return coffee that I opened?",
	"When do I get my refund?",
	"pause my subscribtion",
	"how do I cancel",
	"do you take paypal",
	"Which grind is right for a french press?",
	"keep beans in the frige?",
	"is there milk in your coffee",
	"gift card",
	"wholesale prices for a café",
	"Do you ship to Brazil?",
	"Do you roast in Berlin?",
	"Is your coffee from Peru?",
	"Can I rent the roastery for a wedding?",
	"What is the capital of France?",
	"do you sell tea",
}

// The answers of the demo's helpdesk, with scores, shares and quotes: what makes
// the search faster changes none of them.
func TestDemoAnswers(t *testing.T) {
	w := newWorld(t)
	files, err := filepath.Glob("../../../../docs/demo/help/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no articles", err)
	}
	for _, file := range files {
		w.demoArticle(file)
	}
	var b strings.Builder
	for _, q := range demoQuestions {
		fmt.Fprintln(&b, q)
		for _, h := range w.search(q) {
			fmt.Fprintf(&b, "\t%.2f cover %.2f exact %.2f head %.2f whole %.2f  %s\n", h.Score, h.Cover, h.Exact, h.Head, h.Whole, h.Title)
			for _, p := range h.Parts {
				fmt.Fprintf(&b, "\t\t#%s %s\n", p.Anchor, p.Quote)
			}
		}
	}
	const golden = "testdata/demo.golden"
	if *update {
		w.check(os.WriteFile(golden, []byte(b.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	w.check(err)
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("the answers changed; review them and run with -update:\n%s", d)
	}
}

// demoArticle publishes a Markdown file with front matter.
func (w *world) demoArticle(file string) {
	w.T.Helper()
	src, err := os.ReadFile(file)
	w.check(err)
	_, rest, _ := strings.Cut(string(src), "title: ")
	title, rest, _ := strings.Cut(rest, "\n")
	_, body, found := strings.Cut(rest, "\n---\n")
	content, err := safehtml.Markdown(body)
	if err != nil || !found {
		w.T.Fatal(file, err)
	}
	w.article(title, content)
}
