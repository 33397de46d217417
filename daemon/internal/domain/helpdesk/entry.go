package helpdesk

import (
	"fmt"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	"github.com/blevesearch/bleve/v2/mapping"
	bleveindex "github.com/blevesearch/bleve_index_api"

	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/kv"
)

// entry is an article as the index sees it. The title stands in all fields and
// headings in two: the library scores lower what matches in fewer of them.
type entry struct {
	Scope    string `json:"scope"`
	Title    string `json:"title"`
	Headings string `json:"headings"`
	Body     string `json:"body"`
}

func newEntry(tx kv.Tx, team string, r *record, stem func(string) string) (entry, error) {
	body, err := table.Body(tx, team, r.Article.ID)
	content := string(body)
	headings := []string{r.Article.Title}
	for _, h := range safehtml.Headings(content) {
		headings = append(headings, h.Text)
	}
	return entry{
		Scope: scope(team, r.Article.Status), Title: words(r.Article.Title, stem),
		Headings: words(strings.Join(headings, "\n"), stem), Body: words(r.Article.Title+"\n"+safehtml.Text(content), stem),
	}, err
}

// scope is which of the articles a search is over.
func scope(team, status string) string { return team + " " + status }

// words are the terms of a text as the index takes them.
func words(text string, stem func(string) string) string {
	var b strings.Builder
	eachTerm(text, stem, func(term string) { b.WriteString(term + " ") })
	return b.String()
}

// newMapping scores by BM25. Texts come as terms already.
func newMapping() (mapping.IndexMapping, error) {
	m := bleve.NewIndexMapping()
	m.ScoringModel = bleveindex.BM25Scoring
	if err := m.AddCustomAnalyzer("terms", map[string]any{"type": custom.Name, "tokenizer": whitespace.Name}); err != nil {
		return nil, fmt.Errorf("describe the search index: %w", err)
	}
	doc := bleve.NewDocumentStaticMapping()
	for name, analyzer := range map[string]string{
		"scope": keyword.Name, "title": "terms", "headings": "terms", "body": "terms",
	} {
		f := bleve.NewTextFieldMapping()
		f.Analyzer, f.Store, f.IncludeInAll, f.IncludeTermVectors, f.DocValues = analyzer, false, false, false, false
		doc.AddFieldMappingsAt(name, f)
	}
	// Without a word the library would add all fields' terms to one more.
	doc.AddSubDocumentMapping("_all", bleve.NewDocumentDisabledMapping())
	m.DefaultMapping = doc
	return m, nil
}
