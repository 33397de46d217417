package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/llm"
	"edgesvc.dev/svc/daemon/internal/search"
	"edgesvc.dev/svc/sdk/api"
)

// toolSearchHelp is the tool that every agent has to look again in the help centre.
const toolSearchHelp = "search_help"

const (
	maxSearches = 2 // of one answer
	minQuery    = 2 // characters
	maxQuery    = 200

	searchedArticles = 10
	foundSections    = 6     // of one search
	foundBytes       = 4_800 // of them together: about 1,200 tokens
)

func searchTool() llm.Tool {
	schema, err := json.Marshal(map[string]any{
		"type": "object", "required": []string{"query"}, "additionalProperties": false,
		"properties": map[string]any{"query": map[string]any{
			"type": "string", "minLength": minQuery, "maxLength": maxQuery,
			"description": "Words of the help centre, in its language; not the visitor's sentence",
		}},
	})
	if err != nil {
		panic(err) // the value above is fixed
	}
	return llm.Tool{Name: toolSearchHelp, Schema: schema,
		Description: "Searches the help centre for sections beside those that were given. At most twice for one answer; sections are cited by their n."}
}

// helpFound is what the model is told of a search.
type helpFound struct {
	Sections []helpSection `json:"sections"`
	More     *int          `json:"more,omitempty"` // sections that were found beside these
	Hint     string        `json:"hint,omitempty"` // when nothing was found
}

// helpSection is a section, or only the number of one that was given before.
type helpSection struct {
	N     int    `json:"n"`
	Title string `json:"title,omitempty"`
	Path  string `json:"path,omitempty"`
	Text  string `json:"text,omitempty"` // Markdown
	Again bool   `json:"again,omitempty"`
}

// searchHelp looks again, in the model's own words. What it finds can be cited like
// what was given at first: its numbers go on from there.
func (a *answering) searchHelp(ctx context.Context, call llm.ToolCall, tc *api.ToolCall) (string, error) {
	if a.searches >= maxSearches {
		return "", fmt.Errorf("the help centre can be searched %d times for one answer; answer from what you have, or hand off", maxSearches)
	}
	a.searches++
	tc.State = "failed"
	query, err := queryOf(call)
	if err != nil {
		return "", err
	}
	a.running(*tc)
	found, err := a.s.Search(ctx, a.q.Team, search.Query{Text: query, Status: api.ArticlePublished, Limit: searchedArticles})
	if err != nil {
		return "", told(ctx, call.Name, err)
	}
	out := a.prompt.extend(ranked(found.Found))
	tc.Result = clip(fmt.Sprintf("%d sections for “%s”", len(out.Sections), query), maxShown)
	return out.json(), nil
}

func queryOf(call llm.ToolCall) (string, error) {
	if call.Malformed != "" {
		return "", malformed(call)
	}
	var in struct {
		Query string `json:"query"`
	}
	if json.Unmarshal(call.Arguments, &in) != nil {
		return "", errors.New("query must be text")
	}
	query := strings.TrimSpace(in.Query)
	if n := utf8.RuneCountInString(query); n < minQuery || n > maxQuery {
		return "", fmt.Errorf("query must have %d to %d characters", minQuery, maxQuery)
	}
	return query, nil
}

// extend adds sections that were found to those that may be cited, as far as there
// is room for them in one result.
func (p *prompt) extend(found []section) helpFound {
	out := helpFound{Sections: []helpSection{}}
	if len(found) == 0 {
		out.Hint = "try other words, or say that it is not in the help"
		return out
	}
	room, more := foundBytes, 0
	for _, sec := range found {
		if i := slices.IndexFunc(p.sections, sec.same); i >= 0 && len(out.Sections) < foundSections {
			out.Sections = append(out.Sections, helpSection{N: i + 1, Again: true})
			continue
		}
		next := helpSection{N: len(p.sections) + 1, Title: foreign(oneLine(sec.of.Title), maxSection), Path: foreign(strings.Join(sec.Path, " › "), maxSection), Text: sec.markdown}
		if size := len(next.Title) + len(next.Path) + len(next.Text); len(out.Sections) < foundSections && size <= room {
			room -= size
			p.sections, out.Sections = append(p.sections, sec), append(out.Sections, next)
			continue
		}
		more++
	}
	out.More = &more
	return out
}

// same reports that two are the same section of an article.
func (s *section) same(other section) bool {
	return s.of.ID == other.of.ID && s.Anchor == other.Anchor && s.Text == other.Text
}

func (f helpFound) json() string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(f); err != nil {
		panic(err) // texts and numbers
	}
	return strings.TrimSpace(b.String())
}
