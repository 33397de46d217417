package llm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// ToolHandOff is the tool by which a chat's model leaves the visitor to a
// person. Its argument is the reason.
const ToolHandOff = "hand_off"

// The reasons that the offline client gives.
const (
	reasonRequested = "customer_request"
	reasonUnknown   = "missing_knowledge"
)

// Passage is a section of an article that was found for a visitor's question. A
// citation names it by its place among all, from 1.
type Passage struct {
	Article string // id: sections of one article are not offered twice
	Title   string // of the article
	Heading string // of the section, "" for none
	Quote   string // the passage of the section that fits best, word for word
	// Shares of the question, 0 to 1, words that tell more counting more: what the
	// section has; what it has in the question's own words; what title and headings
	// have; what the article has.
	Cover, Exact, Head, Whole float64
}

// Canned is a saved reply with how well it fits the question, 0 to 1.
type Canned struct {
	Body  string
	Score float64
}

// What is good enough. A quote is shown only when it is sure: of 80 real questions
// 12 are then quoted right and 2 wrong, and of 24 without an answer none.
const (
	goodMatch = 0.75 // of a canned response that answers

	quoteCover, quoteExact, quoteHead = 0.7, 0.5, 0.2
	linkWhole, linkHead               = 0.5, 0.4

	maxLinks = 3
	// vague is how many articles have the only word of a question that asks too
	// little.
	vague = 30
)

// reply is what the offline client does with a visitor's message: it says text, or
// hands over for a reason.
type reply struct {
	text       string
	handOff    string
	unanswered bool
}

// chat answers a visitor with words that the team wrote, or offers where to read
// on: the first row that holds decides.
func chat(t OfflineTask) reply {
	if kind, m := smalltalk(t.Question); kind != noTalk {
		return courteous(kind, m)
	}
	if len(t.Canned) > 0 && t.Canned[0].Score >= goodMatch && !strings.Contains(t.Canned[0].Body, "{{") {
		return reply{text: strings.TrimSpace(t.Canned[0].Body)}
	}
	m := mannersOf(t.Question)
	switch {
	case len(t.Passages) > 0 && t.Passages[0].answers():
		return reply{text: m.quote(&t.Passages[0])}
	case len(t.Passages) > 0 && t.Passages[0].mayHelp():
		return reply{text: m.links(m.lines.mayHelp, t.Passages)}
	case t.Common > vague && !slices.ContainsFunc(t.Passages, func(p Passage) bool { return p.Head > 0 }):
		return reply{text: m.links(fmt.Sprintf(m.lines.which, plainLine(t.Question)), t.Passages)}
	case t.Empty || missed(t.Before):
		return reply{handOff: reasonUnknown}
	}
	return reply{text: m.lines.nothing, unanswered: true}
}

func courteous(kind talk, m *manners) reply {
	switch kind {
	case wantsPerson:
		return reply{handOff: reasonRequested}
	case thanks:
		return reply{text: m.lines.welcome}
	case farewell:
		return reply{text: m.lines.bye}
	case areYouBot:
		return reply{text: m.lines.bot}
	default:
		return reply{text: m.lines.hello}
	}
}

// answers reports that a passage is sure enough to be quoted. Brackets would look
// like a citation's.
func (p *Passage) answers() bool {
	return p.Cover >= quoteCover && p.Exact >= quoteExact && p.Head >= quoteHead && p.Quote != "" && !strings.ContainsAny(p.Quote, "[]")
}

func (p *Passage) mayHelp() bool { return p.Whole >= linkWhole || p.Head >= linkHead }

// missed reports that the message before said that nothing was found.
func missed(before string) bool {
	return slices.ContainsFunc(everyManners(), func(m *manners) bool { return strings.TrimSpace(before) == m.lines.nothing })
}

func (m *manners) quote(p *Passage) string {
	quote := plainLine(p.Quote)
	return fmt.Sprintf(m.lines.quoted, plainLine(p.Title)) + fmt.Sprintf("\n\n“%s”[[1|\"%s\"]]\n\n", quote, quote) + m.lines.unlike
}

// links offers the best section of up to three articles.
func (m *manners) links(intro string, passages []Passage) string {
	var b strings.Builder
	b.WriteString(intro + "\n")
	var offered []string
	for i, p := range passages {
		if len(offered) == maxLinks || slices.Contains(offered, p.Article) {
			continue
		}
		offered = append(offered, p.Article)
		name := plainLine(p.Title)
		if p.Heading != "" && p.Heading != p.Title {
			name += " › " + plainLine(p.Heading)
		}
		fmt.Fprintf(&b, "\n- %s[[%d]]", name, i+1)
	}
	return b.String() + "\n\n" + m.lines.orAsk
}

// plainLine is a text on one line that Markdown shows as it is, and that holds no
// citation.
func plainLine(text string) string {
	return strings.NewReplacer("[", "(", "]", ")").Replace(strings.Join(strings.Fields(text), " "))
}

// handsOff is the call that leaves the visitor to a person.
func handsOff(reason string) ToolCall {
	arguments, err := json.Marshal(map[string]string{"reason": reason})
	if err != nil {
		panic(err) // a map of strings
	}
	return ToolCall{ID: "call_1", Name: ToolHandOff, Arguments: arguments}
}
