package agents

import (
	"slices"
	"strings"
	"unicode/utf8"

	"edgesvc.dev/svc/sdk/api"
)

// minQuote is the least characters of a quote that proves anything.
const minQuote = 8

// citations keeps of the model's marks what is true: articles that it was given,
// and quotes that stand in them word for word.
func citations(marks []mark, found []Passage) []api.Citation {
	out := []api.Citation{}
	for _, m := range marks {
		if m.article < 1 || m.article > len(found) {
			continue
		}
		a := found[m.article-1]
		c := api.Citation{ArticleID: a.ArticleID, Title: a.Title, URL: a.URL, Quote: verified(m.quote, a.Text)}
		same := func(other api.Citation) bool {
			return other.ArticleID == c.ArticleID && (c.Quote == "" || other.Quote == "" || other.Quote == c.Quote)
		}
		switch i := slices.IndexFunc(out, same); {
		case i < 0:
			out = append(out, c)
		case out[i].Quote == "":
			out[i] = c
		}
	}
	return out
}

// verified is the quote with its white space as single spaces, "" when the text
// does not have it.
func verified(quote, text string) string {
	quote = oneLine(quote)
	if utf8.RuneCountInString(quote) < minQuote || !strings.Contains(oneLine(text), quote) {
		return ""
	}
	return quote
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
