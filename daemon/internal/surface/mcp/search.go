package mcp

import (
	"cmp"
	"context"
	"fmt"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// searchInput is the input of the search tool.
type searchInput struct {
	Query string `json:"query" minLength:"1" maxLength:"200"`
	Limit int    `json:"limit,omitempty" default:"20" minimum:"1" maximum:"50"`
}

// searchResults are what was found, of every kind that the key may read.
type searchResults struct {
	Results []searchResult `json:"results"`
}

type searchResult struct {
	ID      string `json:"id"`
	Type    string `json:"type" doc:"post or article"`
	Title   string `json:"title"`
	URL     string `json:"url" doc:"Canonical address, else the resource to read."`
	Snippet string `json:"snippet"`
}

// source is one kind of object that search looks through: the row that finds
// it, and how an answer of that row becomes results.
type source struct {
	op      *op.Op
	results func(answer any) ([]searchResult, error)
}

// searchTable has one row, which looks through everything at once. It calls
// the rows that find, so that their scopes and rules hold: a key gets the kinds
// that it may read, and needs the first of them.
func searchTable(table *op.Table, sources []source) *op.Table {
	find := op.Op{
		Name: "search", Tool: "search", Scope: sources[0].op.Scope, Class: sources[0].op.Class,
		Hints: op.Hints{Title: "Search", Default: true, ReadOnly: true},
		Doc:   "Finds posts and help articles by what they say. Read one with get_post or get_helpdesk_article.",
		Do: op.Func(func(ctx context.Context, who op.Caller, in searchInput) (searchResults, error) {
			out := searchResults{Results: []searchResult{}}
			for _, s := range sources {
				if who.Require(s.op.Scope) != nil {
					continue
				}
				found, err := s.find(ctx, table, who, in)
				if err != nil {
					return out, err
				}
				out.Results = append(out.Results, found...)
			}
			return out, nil
		}),
	}
	return op.NewTable(nil, op.NewLimiter(nil), []op.Op{find})
}

// sources are the kinds that the table has rows to find.
func sources(table *op.Table) []source {
	var all []source
	for _, s := range []struct {
		row     string
		results func(any) ([]searchResult, error)
	}{{"posts.list", postResults}, {"helpdesk.search", articleResults}} {
		if o := table.Lookup(s.row); o != nil {
			all = append(all, source{o, s.results})
		}
	}
	return all
}

func (s source) find(ctx context.Context, table *op.Table, who op.Caller, in searchInput) ([]searchResult, error) {
	args, err := op.Encode(nil, map[string]any{"q": in.Query, "limit": in.Limit})
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	res, refused := table.Call(ctx, op.Request{Op: s.op, Caller: who, Args: op.Args{Body: args}})
	if refused != nil {
		return nil, refused
	}
	found, err := s.op.Answer(res)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	return s.results(found)
}

func postResults(answer any) ([]searchResult, error) {
	page, ok := answer.(api.Page[api.Post])
	if !ok {
		return nil, fmt.Errorf("search posts: %T is no page of posts", answer)
	}
	out := make([]searchResult, 0, len(page.Data))
	for i := range page.Data {
		p := &page.Data[i]
		out = append(out, searchResult{ID: p.ID, Type: "post", Title: p.Title, URL: urlOf(p), Snippet: snippet(p)})
	}
	return out, nil
}

func articleResults(answer any) ([]searchResult, error) {
	hits, ok := answer.(api.HelpHits)
	if !ok {
		return nil, fmt.Errorf("search articles: %T are no hits", answer)
	}
	out := make([]searchResult, 0, len(hits.Data))
	for _, h := range hits.Data {
		out = append(out, searchResult{ID: h.ArticleID, Type: "article", Title: h.Title, URL: articleURI + h.Slug,
			Snippet: clip(cmp.Or(h.Quote, h.Excerpt), 300)})
	}
	return out, nil
}

func urlOf(p *api.Post) string {
	if p.CanonicalURL != "" {
		return p.CanonicalURL
	}
	return postURI + p.ID
}

func snippet(p *api.Post) string {
	text := p.Description
	if text == "" {
		text = p.Excerpt
	}
	return clip(text, 300)
}
