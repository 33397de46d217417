package search

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

// asks is a line of the questions in testdata.
type asks struct {
	class, text, before string
	answer              string // the article that answers, "-" for none
}

// centre is the help centre of testdata with its questions.
func centre(t testing.TB) (docs []*Document, questions []asks) {
	raw, err := os.ReadFile("testdata/help.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse(raw).Files {
		name, isArticle := strings.CutSuffix(f.Name, ".md")
		if isArticle {
			docs = append(docs, article(t, name, string(f.Data)))
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			if parts := strings.Split(strings.TrimSpace(line), "|"); len(parts) == 4 && line[0] != '#' {
				for i := range parts {
					parts[i] = strings.TrimSpace(parts[i])
				}
				questions = append(questions, asks{parts[0], parts[1], parts[2], parts[3]})
			}
		}
	}
	if len(docs) < 20 || len(questions) < 40 {
		t.Fatalf("%d articles and %d questions", len(docs), len(questions))
	}
	return docs, questions
}

// article is a published document of Markdown, whose first line is its title.
func article(t testing.TB, name, markdown string) *Document {
	title, body, _ := strings.Cut(strings.TrimPrefix(markdown, "# "), "\n")
	html, err := safehtml.Markdown(body)
	if err != nil {
		t.Fatal(err)
	}
	return &Document{ID: name, Title: title, Names: strings.ReplaceAll(name, "/", " "), Status: "PUBLISHED", HTML: html}
}

func ids(hits []Hit) (out []string) {
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

// Each class of question that help centres get finds the article that answers it
// among the first three.
func TestQuestions(t *testing.T) {
	docs, questions := centre(t)
	v := newView(pack(docs...), 1)
	for _, q := range questions {
		t.Run(q.class+"/"+q.text, func(t *testing.T) {
			got := ids(v.find(Query{Text: q.text, Before: q.before, Status: "PUBLISHED", Limit: 3}).Hits)
			switch {
			case q.class == "no answer" && len(got) > 0:
				t.Errorf("found %v, though no article has a word of it", got)
			case q.answer != "-" && !slices.Contains(got, q.answer):
				t.Errorf("found %v, want %s among them", got, q.answer)
			case q.class == "title first" && got[0] != q.answer:
				t.Errorf("found %v, want %s first", got, q.answer)
			}
		})
	}
}
