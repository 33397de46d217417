package public

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/valyala/fasthttp"

	"edgesvc.dev/svc/daemon/internal/refusals"
	"edgesvc.dev/svc/sdk/api"
)

const (
	maxHits   = 20
	maxSearch = 400 // characters
)

// searchForm is a form to search with.
type searchForm struct{ Action, Label, Placeholder, Q string }

// AskHelp is the form that searches the help articles.
func (s site) AskHelp(q string) searchForm {
	return searchForm{s.Help(), "Search the help articles", "Ask a question", q}
}

// AskPosts is the form that searches the posts.
func (s site) AskPosts(q string) searchForm {
	return searchForm{s.Search(), "Search the posts", "Search the posts", q}
}

// hit is a text that was found. Its path is of this site, whatever address the
// search knows.
type hit struct {
	Path      string
	Published api.Time // 0: it has no date
	api.FoundText
}

// Parts are the sections that answer, or how the text begins.
func (h hit) Parts() (parts []hitPart) {
	for _, s := range h.Sections {
		if s.Snippet == "" {
			continue
		}
		p := hitPart{Heading: s.Heading, Path: h.Path, Snippet: pieces(s.Snippet, s.Marks)}
		if s.Anchor != "" {
			p.Path += "#" + s.Anchor
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 && h.Excerpt != "" {
		parts = []hitPart{{Snippet: []piece{{Text: h.Excerpt}}}}
	}
	return parts
}

// hitPart is a section of a text that was found.
type hitPart struct {
	Heading, Path string
	Snippet       []piece
}

// piece is a part of a snippet; Marked is what was searched for.
type piece struct {
	Text   string
	Marked bool
}

// pieces cuts a snippet at its marks, which count in UTF-16 units.
func pieces(snippet string, marks [][2]int) (out []piece) {
	units := utf16.Encode([]rune(snippet))
	add := func(from, to int, marked bool) {
		if from < to && to <= len(units) {
			out = append(out, piece{string(utf16.Decode(units[from:to])), marked})
		}
	}
	at := 0
	for _, m := range marks {
		if m[0] < at {
			continue
		}
		add(at, m[0], false)
		add(m[0], m[1], true)
		at = m[1]
	}
	add(at, len(units), false)
	return out
}

// asked is what a request searches for, "" for nothing.
func asked(ctx *fasthttp.RequestCtx) string {
	return strings.TrimSpace(string(ctx.QueryArgs().Peek("q")))
}

// postSearch answers a search through the posts.
func (p *Pages) postSearch(ctx *fasthttp.RequestCtx, s site, q string) error {
	return p.search(ctx, "index", func(q string) (view, error) {
		hits, err := p.source.PostSearch(ctx, s.Team.ID, q, maxHits)
		if err != nil {
			return view{}, fmt.Errorf("search posts: %w", err)
		}
		body := indexPage{Site: s, Q: q}
		for i := range hits {
			body.Hits = append(body.Hits, hit{Path: s.Post(hits[i].Slug), Published: hits[i].PublishedAt, FoundText: hits[i].FoundText})
		}
		return view{Site: s, Title: "Search: " + q, Path: s.Index(), Body: body}, nil
	}, q)
}

// search answers a search with the page that find makes of it. It is not kept:
// what it finds is the index's to say.
func (p *Pages) search(ctx *fasthttp.RequestCtx, template string, find func(q string) (view, error), q string) error {
	q = strings.ToValidUTF8(q, "")
	if utf8.RuneCountInString(q) > maxSearch {
		q = string([]rune(q)[:maxSearch])
	}
	if err := p.limit(p.address(ctx), true); err != nil {
		return err
	}
	leave, err := p.turn()
	if err != nil {
		return err
	}
	v, err := find(q)
	leave()
	if err != nil {
		return err
	}
	v.NoIndex = true
	page, err := p.html(template, v)
	if err != nil {
		return fmt.Errorf("render page: %w", err)
	}
	ctx.SetContentType(typeHTML)
	ctx.Response.Header.Set(fasthttp.HeaderCacheControl, "no-store")
	ctx.SetBody(page)
	return nil
}

// searchWithin is how long a search waits for its turn.
const searchWithin = 2 * time.Second

// turn lets few search at once, whoever they are: a question full of mistakes
// costs more than any other page.
func (p *Pages) turn() (leave func(), err error) {
	patience := time.NewTimer(searchWithin)
	defer patience.Stop()
	select {
	case p.searching <- struct{}{}:
		return func() { <-p.searching }, nil
	case <-patience.C:
		refusals.Overloaded.Count()
		e := api.NewError(fasthttp.StatusServiceUnavailable, api.CodeOverloaded, "Too many search at once.")
		e.RetryAfter = 5
		return nil, e
	}
}
