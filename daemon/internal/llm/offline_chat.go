package llm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ToolHandOff is the tool by which a chat's model leaves the visitor to a
// person. Its argument is the reason.
const ToolHandOff = "hand_off"

// Passage is an article that was found for a visitor's question.
type Passage struct {
	Title   string
	Text    string   // plain
	Quotes  []string // best passages, word for word from Text
	Covered float64  // share of the question's words that the article has, 0 to 1
}

// Canned is a saved reply with how well it fits the question, 0 to 1.
type Canned struct {
	Body  string
	Score float64
}

const (
	// goodMatch is the least score of a canned response that answers.
	goodMatch = 0.75
	// goodCover is the least share of the question that an article must have.
	// Below it a quote is as likely to be about something else.
	goodCover = 0.6
	maxQuote  = 400 // characters
)

// unanswered hands a question over that nothing answers.
func unanswered() ToolCall {
	return ToolCall{ID: "call_1", Name: ToolHandOff, Arguments: json.RawMessage(`{"reason":"missing_knowledge"}`)}
}

// chat answers a visitor's question with words that the team wrote: a canned
// response, or quotes of the best article, cited as [[1|"…"]]. Nothing good
// enough is "".
func chat(t OfflineTask) string {
	if len(t.Canned) > 0 && t.Canned[0].Score >= goodMatch && !strings.Contains(t.Canned[0].Body, "{{") {
		return strings.TrimSpace(t.Canned[0].Body)
	}
	for i, p := range t.Passages {
		if p.Covered < goodCover {
			continue
		}
		if quotes := bestQuotes(t.Question, p); len(quotes) > 0 {
			return fromHelp(p.Title, i+1, quotes)
		}
	}
	return ""
}

func fromHelp(title string, number int, quotes []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "From our help, “%s”:", strings.Join(strings.Fields(title), " "))
	for _, q := range quotes {
		fmt.Fprintf(&b, "\n\n“%s”[[%d|\"%s\"]]", q, number, q)
	}
	b.WriteString("\n\nIf that does not answer it, ask for a person and a colleague takes over.")
	return b.String()
}

// bestQuotes are up to two passages of an article that speak of the question,
// each on one line and standing in the article as it is.
func bestQuotes(question string, p Passage) []string {
	said := vocabularyOf(question + "\n" + p.Text)
	wanted, text := said.stems(question), strings.Join(strings.Fields(p.Text), " ")
	candidates := p.Quotes
	if len(candidates) == 0 {
		candidates = []string{nearest(p.Text, question)}
	}
	var out []string
	for _, q := range candidates {
		q = whole(strings.Join(strings.Fields(q), " "))
		usable := q != "" && strings.Contains(text, q) && !strings.ContainsAny(q, "[]") && said.overlap(wanted, q+" "+p.Title) > 0
		if usable && len(out) < 2 {
			out = append(out, q)
		}
	}
	return out
}

// whole is a quote as far as its sentences fit.
func whole(quote string) string {
	if len([]rune(quote)) <= maxQuote {
		return quote
	}
	end := 0
	for _, s := range sentences(quote) {
		at := strings.Index(quote[end:], s)
		if at < 0 || len([]rune(quote[:end+at+len(s)])) > maxQuote {
			break
		}
		end += at + len(s)
	}
	return quote[:end]
}
