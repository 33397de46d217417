package agents

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"edgesvc.dev/svc/sdk/api"
)

// minQuote is the least characters of a quote that proves anything.
const minQuote = 8

// verify keeps of the model's marks what is true: sections that it was given, and
// quotes that are in them word for word. A quote of another section is moved to it;
// one that is in none is not a citation.
func verify(marks []mark, given []section) (out []mark) {
	for _, m := range marks {
		if m.quote != "" {
			at, quote := quotedIn(m.quote, given, m.section-1)
			m.section, m.quote = at+1, quote
		}
		if m.section >= 1 && m.section <= len(given) {
			out = append(out, m)
		}
	}
	return out
}

// citations are the cards of marks that are true, each section and quote once.
func citations(marks []mark, given []section) []api.Citation {
	out := []api.Citation{}
	for _, m := range marks {
		s := &given[m.section-1]
		c := api.Citation{ArticleID: s.of.ID, Title: s.of.Title, URL: s.URL, Quote: m.quote, Anchor: s.Anchor, Heading: s.Heading()}
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

// marked is a text with the marks that were taken out of it, where they were.
func marked(text string, marks []mark) string {
	var b strings.Builder
	done := 0
	for _, m := range marks {
		at := min(m.at, len(text))
		b.WriteString(text[done:at])
		done = at
		if m.quote == "" {
			fmt.Fprintf(&b, "[[%d]]", m.section)
		} else {
			fmt.Fprintf(&b, "[[%d|\"%s\"]]", m.section, m.quote)
		}
	}
	return b.String() + text[done:]
}

// quotedIn is the section that has a quote, the one that it was said of before
// others, and the quote as it is there; -1 for none.
func quotedIn(quote string, given []section, said int) (at int, found string) {
	order := make([]int, 0, len(given)+1)
	if said >= 0 && said < len(given) {
		order = append(order, said)
	}
	for i := range given {
		order = append(order, i)
	}
	for _, i := range order {
		if found := verified(quote, given[i].Text); found != "" {
			return i, found
		}
	}
	return -1, ""
}

// verified is the part of a text that a quote is, with its white space as single
// spaces; "" when the text does not have it.
func verified(quote, text string) string {
	wanted, _ := plainly(quote)
	if utf8.RuneCountInString(wanted) < minQuote {
		return ""
	}
	plain, places := plainly(text)
	i := strings.Index(plain, wanted)
	if i < 0 {
		return ""
	}
	return oneLine(text[places[i]:places[i+len(wanted)]])
}

// plainly is a text with white space as single spaces, quotation marks and dashes
// of one form, and without the marks of Markdown; and where each byte of it is from,
// the end behind the last.
func plainly(text string) (plain string, places []int) {
	b := make([]byte, 0, len(text))
	last := 0
	for i, r := range text {
		switch {
		case r == '*' || r == '`' || r == '\\':
			continue
		case unicode.IsSpace(r):
			if len(b) == 0 || b[len(b)-1] == ' ' {
				continue
			}
			r = ' '
		case strings.ContainsRune("“”„‟«»″", r):
			r = '"'
		case strings.ContainsRune("‘’‚‛′", r):
			r = '\''
		case strings.ContainsRune("‐‑‒–—―−", r):
			r = '-'
		}
		before := len(b)
		b = utf8.AppendRune(b, r)
		for range len(b) - before {
			places = append(places, i)
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		last = i + size
	}
	if n := len(b); n > 0 && b[n-1] == ' ' {
		b, places = b[:n-1], places[:n-1]
	}
	return string(b), append(places, last)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
