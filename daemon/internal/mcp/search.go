package mcp

import (
	"context"
	"fmt"

	"edgesvc.dev/svc/daemon/internal/op"
	"edgesvc.dev/svc/sdk/api"
)

// searchInput is the input of the search tool.
type searchInput struct {
	Query string `json:"query" minLength:"1" maxLength:"200" doc:"Words to look for."`
	Limit int    `json:"limit,omitempty" default:"20" minimum:"1" maximum:"50"`
}

// searchResults are what was found, of every kind that the key may read.
type searchResults struct {
	Results []searchResult `json:"results"`
}

type searchResult struct {
	ID      string `json:"id"`
	Type    string `json:"type" doc:"post"`
	Title   string `json:"title"`
	URL     string `json:"url" doc:"Canonical address, else the resource to read."`
	Snippet string `json:"snippet"`
}

// searchTable has one row, which looks through everything at once. It calls
// the rows that list, so that their scopes and rules hold.
func searchTable(table *op.Table, posts *op.Op) *op.Table {
	find := op.Op{
		Name: "search", Tool: "search", Scope: posts.Scope, Class: posts.Class,
		Hints: op.Hints{Title: "Search", Default: true, ReadOnly: true},
		Doc:   "Finds the team's posts by words in title, description, slug or tags. Read one with get_post.",
		Do: op.Func(func(ctx context.Context, who op.Caller, in searchInput) (searchResults, error) {
			return searchPosts(ctx, table, posts, who, in)
		}),
	}
	return op.NewTable(nil, op.NewLimiter(nil), []op.Op{find})
}

func searchPosts(ctx context.Context, table *op.Table, posts *op.Op, who op.Caller, in searchInput) (searchResults, error) {
	args, err := op.Encode(nil, map[string]any{"q": in.Query, "limit": in.Limit})
	if err != nil {
		return searchResults{}, fmt.Errorf("search posts: %w", err)
	}
	res, refused := table.Call(ctx, op.Request{Op: posts, Caller: who, Args: op.Args{Body: args}})
	if refused != nil {
		return searchResults{}, refused
	}
	found, err := posts.Answer(res)
	if err != nil {
		return searchResults{}, fmt.Errorf("search posts: %w", err)
	}
	page, ok := found.(api.Page[api.Post])
	if !ok {
		return searchResults{}, fmt.Errorf("search posts: %T is no page of posts", found)
	}
	out := searchResults{Results: make([]searchResult, 0, len(page.Data))}
	for i := range page.Data {
		p := &page.Data[i]
		out.Results = append(out.Results, searchResult{ID: p.ID, Type: "post", Title: p.Title, URL: urlOf(p), Snippet: snippet(p)})
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
