package search

import (
	"context"
	"errors"
	"strings"

	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/kv"
	"edgesvc.dev/svc/sdk/api"
)

// Result is a document that was found, with what is shown of it.
type Result struct {
	Hit
	Title   string
	Slug    string
	URL     string
	Excerpt string
	Parts   []Part // the best first; at most two
}

// Results are what a search found, the best first.
type Results struct {
	Found []Result
	// Common is how many documents have the word of a question of one word; 0 for
	// other questions.
	Common int
	// Documents is how many there are to be searched, of every status.
	Documents int
}

// Part is a section of a document that was found.
type Part struct {
	Anchor  string   // the id of its heading on the page; "" before the first heading
	Path    []string // the headings above it and its own, outermost first
	URL     string
	Text    string // plain
	Source  string // HTML; see safehtml.Section
	Snippet Snippet
	Quote   string // the passage of Text that fits best, word for word
}

// Heading is the section's own heading, "" before the first.
func (p *Part) Heading() string {
	if len(p.Path) == 0 {
		return ""
	}
	return p.Path[len(p.Path)-1]
}

// Parts are the sections of a hit, whose HTML is read again: it may have changed
// since it was found. They have no address yet.
func (f *Found) Parts(h Hit, html string) (parts []Part) {
	secs := safehtml.Sections(html)
	anchors := safehtml.Anchors(html, secs)
	for _, i := range h.Sections {
		if i >= len(secs) {
			continue
		}
		p := Part{Anchor: anchors[i], Path: secs[i].Path, Text: secs[i].Text(), Source: secs[i].Source}
		p.Quote = f.Passage(p.Text)
		p.Snippet = f.snippet(p.Quote)
		parts = append(parts, p)
	}
	return parts
}

// SetURL gives the result the address of its page, and its parts theirs on it.
func (r *Result) SetURL(page string) {
	r.URL = page
	for i := range r.Parts {
		p := &r.Parts[i]
		if p.URL = page; p.Anchor != "" {
			p.URL += "#" + strings.ReplaceAll(p.Anchor, "%", "%25")
		}
	}
}

// Text is what is read of a document that was found, to show it.
type Text struct {
	Title, Slug, Excerpt string
	Status               string // as its Document has it
	HTML                 string
}

// Search is Find with what is shown of each document. read reads one of them; what
// it does not find is forgotten. url is the address of a page by its slug.
func (x *Index) Search(ctx context.Context, team string, q Query, read func(tx kv.Tx, id string) (Text, error), url func(slug string) string) (found Results, err error) {
	f := filter{status: q.Status}
	err = x.Find(ctx, team, q, func(tx kv.Tx, hits *Found) (gone []string, err error) {
		found = Results{Common: hits.Common, Documents: hits.Documents}
		for _, h := range hits.Hits {
			text, err := read(tx, h.ID)
			if _, missing := errors.AsType[*kv.NotFoundError](err); missing {
				gone = append(gone, h.ID)
				continue
			}
			if err != nil {
				return nil, err
			}
			if !f.keepsStatus(text.Status) { // it is another since the text was found
				continue
			}
			found.Found = append(found.Found, Result{
				Hit: h, Title: text.Title, Slug: text.Slug, Excerpt: text.Excerpt, Parts: hits.Parts(h, text.HTML),
			})
		}
		return gone, nil
	})
	for i := range found.Found { // outside the transaction: url may need one of its own
		found.Found[i].SetURL(url(found.Found[i].Slug))
	}
	return found, err
}

// Shown is the result as the API has it.
func (r *Result) Shown() api.FoundText {
	t := api.FoundText{
		Title: r.Title, Slug: r.Slug, URL: r.URL, Excerpt: r.Excerpt,
		Score: r.Score, Covered: r.Whole, Sections: r.sections(),
	}
	if len(r.Parts) > 0 {
		t.Quote = r.Parts[0].Quote
	}
	return t
}

func (r *Result) sections() []api.FoundSection {
	out := make([]api.FoundSection, 0, len(r.Parts))
	for i := range r.Parts {
		p := &r.Parts[i]
		path := p.Path
		if path == nil {
			path = []string{}
		}
		out = append(out, api.FoundSection{
			Anchor: p.Anchor, Heading: p.Heading(), Path: path, URL: p.URL, Snippet: p.Snippet.Text, Marks: p.Snippet.Marks, Quote: p.Quote,
		})
	}
	return out
}
