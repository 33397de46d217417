package llm

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// form is a kind of article, recognised by its title, with the sections that
// such an article has. The questions under each are for the author to answer.
type form struct {
	title    *regexp.Regexp
	sections []section
}

type section struct {
	heading string
	asks    []string
}

// forms go from the narrow to the general; the last one takes every title.
func forms() []form {
	return []form{
		{regexp.MustCompile(`(?i)^how (to|we|i)\b|\b(guide|tutorial|walkthrough)\b|\bstep by step\b`), []section{
			{"Before you start", []string{"What the reader needs at hand", "What the reader should already know"}},
			{"The steps", []string{"The first step, and how the reader knows that it worked", "The next step", "The last step"}},
			{"Check the result", []string{"What it looks like when all went well"}},
			{"When it goes wrong", []string{"The most frequent mistake and its cure"}},
			{"Going further", []string{"What to try next"}},
		}},
		{regexp.MustCompile(`(?i)\b(vs\.?|versus|compared|comparison)\b`), []section{
			{"What is being compared", []string{"Each option in one sentence", "What they have in common"}},
			{"Where they differ", []string{"The difference that matters most to the reader", "Cost, effort and limits of each"}},
			{"Which one to choose", []string{"When the first is the better choice", "When the second is"}},
			{"How we compared", []string{"What was measured or tried, and when"}},
		}},
		{regexp.MustCompile(`(?i)^why\b|\breasons?\b`), []section{
			{"The short answer", []string{"The main reason in two sentences"}},
			{"The reasons", []string{"The first reason, with an example", "The second reason, with an example"}},
			{"When it is not the right choice", []string{"An honest limit or a case against it"}},
			{"What it means in practice", []string{"What changes for the reader"}},
		}},
		{regexp.MustCompile(`(?i)^(introducing|announcing|meet|new)\b|\b(launch|release|changelog|now available)\b`), []section{
			{"What is new", []string{"The change in one sentence", "What could not be done before"}},
			{"How it works", []string{"A short example"}},
			{"Who gets it, and when", []string{"Availability, price and limits"}},
			{"What comes next", []string{"Only what is decided"}},
		}},
		{nil, []section{
			{"In short", []string{"The one thing to remember"}},
			{"Background", []string{"What the reader should know first", "Where the question comes from"}},
			{"The details", []string{"The first point, with an example", "The second point, with an example"}},
			{"In practice", []string{"What the reader can do with it"}},
			{"Open questions", []string{"What is not known yet"}},
		}},
	}
}

// sectionCount says how many sections a length has; what is not named here is
// medium.
func sectionCount(length string, all int) int {
	switch length {
	case "short":
		return min(2, all)
	case "long":
		return all
	default:
		return min(4, all)
	}
}

// outline writes the skeleton of a post: headings that fit the title, what the
// author asked for, the team's facts and quotes of related documents word for
// word, and a [to complete] mark for everything that would have to be invented. It
// speaks the title's language.
func outline(t OfflineTask) string {
	var b strings.Builder
	say := phrasesFor(t.Title)
	lead := say.lead
	if t.Audience != "" {
		lead += fmt.Sprintf(say.matters, t.Audience)
	}
	if t.Tone != "" {
		lead += fmt.Sprintf(say.tone, t.Tone)
	}
	fmt.Fprintf(&b, "<p>%s</p>\n", ask(lead+"."))
	if points := lines(t.Prompt); len(points) > 0 {
		writeList(&b, say.points, points, func(p string) string { return esc(p) + " " + toComplete })
	}
	if n := promised(t.Title); n > 0 {
		for i := range n {
			fmt.Fprintf(&b, "<h2>%d. %s</h2>\n<p>%s</p>\n", i+1, toComplete, ask(say.item))
		}
	} else {
		sections := say.sections
		if sections == nil {
			sections = sectionsFor(t.Title)
		}
		for _, s := range sections[:sectionCount(t.Length, len(sections))] {
			writeList(&b, s.heading, s.asks, func(a string) string { return ask(a + ".") })
		}
	}
	writeRelated(&b, t, say.related)
	if facts := nonEmpty(t.Brand.Facts); len(facts) > 0 {
		heading := say.about
		if t.Brand.Name != "" {
			heading = fmt.Sprintf(say.aboutName, t.Brand.Name)
		}
		writeList(&b, heading, facts, esc)
	}
	fmt.Fprintf(&b, "<h2>%s</h2>\n<p>%s</p>\n", esc(say.next), ask(say.ask))
	return b.String()
}

// promised is how many things a title counts, as "10 tips for …" and "Les 7 raisons …"
// do; 0 for a title that does not. A number behind other words is mostly that of
// something else.
func promised(title string) int {
	m := counted().FindStringSubmatch(title)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n < 2 || n > maxPromised {
		return 0
	}
	return n
}

// maxPromised is the most headings that an outline counts.
const maxPromised = 30

var counted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(?:(?:the|our|my|top|die|unsere|les|nos|las|los|i|le|de|as|os)\s+){0,2}(\d{1,2})\s+\p{L}{2,}`)
})

func sectionsFor(title string) []section {
	all := forms()
	for _, f := range all[:len(all)-1] {
		if f.title.MatchString(title) {
			return f.sections
		}
	}
	return all[len(all)-1].sections
}

func ask(what string) string { return toComplete + " " + esc(what) }

func esc(s string) string { return html.EscapeString(strings.TrimSpace(s)) }

func writeList(b *strings.Builder, heading string, items []string, show func(string) string) {
	fmt.Fprintf(b, "<h2>%s</h2>\n<ul>\n", esc(heading))
	for _, item := range items {
		fmt.Fprintf(b, "<li>%s</li>\n", show(item))
	}
	b.WriteString("</ul>\n")
}

// writeRelated quotes of each related document the sentence nearest to the
// title, with its source.
func writeRelated(b *strings.Builder, t OfflineTask, heading string) {
	const most = 3
	var quotes []string
	for _, s := range t.Related {
		quote := nearest(s.Text, t.Title)
		if quote == "" || len(quotes) == most {
			continue
		}
		quotes = append(quotes, fmt.Sprintf("<blockquote>\n<p>%s</p>\n<p>— %s</p>\n</blockquote>\n", esc(shorten(quote, 280)), citation(s)))
	}
	if len(quotes) > 0 {
		fmt.Fprintf(b, "<h2>%s</h2>\n%s", esc(heading), strings.Join(quotes, ""))
	}
}

func citation(s Source) string {
	title := s.Title
	if title == "" {
		title = s.URL
	}
	if u, err := url.Parse(s.URL); err != nil || s.URL == "" || (u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https") {
		return esc(title)
	}
	return fmt.Sprintf(`<a href="%s">%s</a>`, esc(s.URL), esc(title))
}

// nearest is the sentence of a document that shares most words with the title;
// the first one when none shares any.
func nearest(doc, title string) string {
	said := vocabularyOf(title + "\n" + doc)
	wanted := said.stems(title)
	best, score := "", -1
	for _, blk := range blocks(doc) {
		if blk.heading {
			continue
		}
		for _, s := range sentences(blk.text) {
			if n := said.overlap(wanted, s); n > score {
				best, score = s, n
			}
		}
	}
	return best
}

// lines takes what the author asked for apart: one point per line or sentence,
// without list marks.
func lines(prompt string) []string {
	var out []string
	for line := range strings.Lines(prompt) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "-*•"))
		for _, s := range sentences(line) {
			out = append(out, shorten(s, 280))
		}
	}
	return out
}

func nonEmpty(list []string) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// maxDescription is where search engines cut.
const maxDescription = 160

// describe picks the sentence that says most about the title and fills up with
// those that follow it. Where there is no content yet, it falls back on the
// title and what the author and the team said. Where no sentence has a word of the
// title there is none: it would be wrong, and the same for every post.
func describe(t OfflineTask) string {
	var all []string
	for _, blk := range blocks(t.Content) {
		if !blk.heading {
			all = append(all, sentences(blk.text)...)
		}
	}
	if len(all) == 0 {
		return fallbackDescription(t)
	}
	said := vocabularyOf(t.Title + "\n" + t.Content)
	wanted := said.stems(t.Title)
	best, score, fits := 0, -1.0, len(wanted) == 0
	for i, s := range all {
		fits = fits || said.overlap(wanted, s) > 0 || strings.Contains(strings.ToLower(s), strings.ToLower(strings.TrimSpace(t.Title)))
		// An opening sentence says more than a later one; a fragment says little.
		n := float64(said.overlap(wanted, s)) - float64(i)*0.25
		if utf8.RuneCountInString(s) < 40 {
			n -= 2
		}
		if i == 0 || n > score {
			best, score = i, n
		}
	}
	if !fits {
		return ""
	}
	return fill(all[best:])
}

func fallbackDescription(t OfflineTask) string {
	rest := append(lines(t.Prompt), nonEmpty(t.Brand.Facts)...)
	title := strings.TrimSpace(t.Title)
	if title != "" && !strings.ContainsAny(title[len(title)-1:], ".!?") {
		title += "."
	}
	return fill(nonEmpty(append([]string{title}, rest...)))
}

// fill joins sentences while they fit.
func fill(list []string) string {
	if len(list) == 0 {
		return ""
	}
	out := shorten(list[0], maxDescription)
	for _, s := range list[1:] {
		if utf8.RuneCountInString(out)+1+utf8.RuneCountInString(s) > maxDescription {
			break
		}
		out += " " + s
	}
	return out
}
