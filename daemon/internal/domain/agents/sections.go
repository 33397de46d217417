package agents

import (
	"context"
	"fmt"
	"html"
	"strings"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/safehtml"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/sdk/api"
)

// What a prompt carries of the help centre.
const (
	givenArticles = 6     // the best section of each
	givenSeconds  = 2     // of the first of them, the second best too
	maxSection    = 1_400 // bytes of a section
	maxSections   = 6_800 // bytes of all: about 1,700 tokens
	minSection    = 200   // bytes of one that is cut for want of room
)

// section is a part of an article that an answer may rest on. A citation names it
// by its number, which is its place among all, from 1.
type section struct {
	of *search.Result
	search.Part
	markdown string
}

// lookUp searches the help centre for the visitor's last question. In a
// conversation the question before helps to understand it.
func (s *Service) lookUp(ctx context.Context, team string, turns []Turn) (search.Results, error) {
	q := search.Query{Text: lastOf(turns), Status: api.ArticlePublished, Limit: givenArticles}
	for last := len(turns) - 1; last >= 0; last-- {
		if turns[last].From == api.AuthorVisitor {
			q.Before = lastOf(turns[:last])
			break
		}
	}
	if q.Text == "" {
		return search.Results{}, nil
	}
	return s.Search(ctx, team, q)
}

// sectionsOf are the best sections of what was found, as far as there is room.
func sectionsOf(found []search.Result) (out []section) {
	room := maxSections
	for _, sec := range ranked(found[:min(len(found), givenArticles)]) {
		room -= len(sec.write(len(out) + 1))
		if over := -room; over > 0 { // what is left of it, if that says anything
			if len(sec.markdown)-over < minSection {
				break
			}
			sec.markdown = wholeSentences(sec.markdown, len(sec.markdown)-over)
		}
		out = append(out, sec)
	}
	return out
}

// ranked are the best section of each article that was found, then the second best
// of the first ones.
func ranked(found []search.Result) (out []section) {
	take := func(r *search.Result, part int) {
		if part < len(r.Parts) {
			out = append(out, section{of: r, Part: r.Parts[part], markdown: markdownOf(&r.Parts[part])})
		}
	}
	for i := range found {
		take(&found[i], 0)
	}
	for i := range found[:min(len(found), givenSeconds)] {
		take(&found[i], 1)
	}
	return out
}

// markdownOf is a section as a model reads it, of at most maxSection bytes.
func markdownOf(p *search.Part) string {
	text, err := safehtml.ToMarkdown(p.Source)
	if err != nil || strings.TrimSpace(text) == "" {
		text = p.Text
	}
	return wholeSentences(foreign(strings.TrimSpace(text), len(text)), maxSection)
}

// wholeSentences is the beginning of a text that ends with a sentence or a line, and
// has at most n bytes.
func wholeSentences(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = clip(text, n-len(" …"))
	end := strings.LastIndexByte(text, '\n')
	for _, mark := range []string{". ", "! ", "? ", "。"} {
		if i := strings.LastIndex(text, mark); i >= 0 {
			end = max(end, i+len(strings.TrimSpace(mark)))
		}
	}
	if end > n/2 {
		text = text[:end]
	}
	return strings.TrimSpace(text) + " …"
}

// write is the section as a prompt has it.
func (s *section) write(n int) string {
	attr := html.EscapeString
	return fmt.Sprintf("<section n=\"%d\" article=\"%s\" anchor=\"%s\" title=\"%s\" path=\"%s\">\n%s\n</section>\n",
		n, attr(s.of.ID), attr(s.Anchor), attr(oneLine(s.of.Title)), attr(oneLine(strings.Join(s.Path, " › "))), s.markdown)
}

// offline is the section with its facts taken apart.
func (s *section) offline() llm.Passage {
	return llm.Passage{
		Article: s.of.ID, Title: s.of.Title, Heading: s.Heading(), Quote: s.Quote,
		Cover: s.of.Cover, Exact: s.of.Exact, Head: s.of.Head, Whole: s.of.Whole,
	}
}
