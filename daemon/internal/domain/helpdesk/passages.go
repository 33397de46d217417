package helpdesk

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

const (
	maxPassage  = 320 // bytes, where sentences allow it
	maxPassages = 3
)

// passage is a part of an article's plain text, word for word.
type passage struct {
	text string
	own  int // terms of the question in it
	all  int // in it, its heading and the title
	at   int
}

// match is what of an article answers a question.
type match struct {
	passages []string
	covered  float64 // share of the question's terms that the best passage, its heading and the title have
}

// compare reads an article for the terms of a question.
func (q *question) compare(title, content string) match {
	inTitle := q.in(title)
	var found []passage
	var heading marks
	eachPassage(content, func(text string, head bool) {
		in := q.in(text)
		if head {
			heading = in
			return
		}
		found = append(found, passage{text: text, at: len(found), own: in.count(), all: (in | inTitle | heading).count()})
	})
	slices.SortFunc(found, func(a, b passage) int {
		return cmp.Or(cmp.Compare(b.all, a.all), cmp.Compare(b.own, a.own), cmp.Compare(a.at, b.at))
	})
	return summarize(found, inTitle.count(), len(q.terms))
}

func summarize(found []passage, inTitle, asked int) match {
	best := inTitle
	var m match
	for _, p := range found[:min(len(found), maxPassages)] {
		best = max(best, p.all)
		if p.all > 0 && (p.own > 0 || len(m.passages) == 0) {
			m.passages = append(m.passages, p.text)
		}
	}
	m.covered = float64(best) / float64(asked)
	return m
}

// eachPassage calls f for the headings and passages of content in order. Each is
// a part of safehtml.Text of it.
func eachPassage(content string, f func(text string, heading bool)) {
	headings := safehtml.Headings(content)
	for line := range strings.SplitSeq(safehtml.Text(content), "\n") {
		switch {
		case strings.TrimSpace(line) == "":
		case len(headings) > 0 && line == headings[0].Text:
			headings = headings[1:]
			f(line, true)
		default:
			eachPart(line, func(part string) { f(part, false) })
		}
	}
}

// eachPart cuts a long line between sentences, and where there are none between
// words.
func eachPart(line string, f func(string)) {
	for len(line) > maxPassage {
		cut := end(line)
		f(strings.TrimSpace(line[:cut]))
		line = strings.TrimSpace(line[cut:])
	}
	if line != "" {
		f(line)
	}
}

// end is where the last sentence of a passage at the start of a long line ends,
// or its last word, or its last character.
func end(line string) int {
	text := line[:maxPassage]
	best := sentenceEnd(text)
	if best == 0 {
		best = strings.LastIndexByte(text, ' ') + 1
	}
	if best > 0 {
		return best
	}
	cut := maxPassage
	for !utf8.RuneStart(line[cut]) {
		cut--
	}
	return cut
}

// sentenceEnd is where the last sentence that ends in a text does, 0 when none
// ends.
func sentenceEnd(text string) int {
	for i := len(text) - 1; i >= 0; i-- {
		switch rest := text[i:]; text[i] {
		case '.', '!', '?':
			if len(rest) > 1 && rest[1] == ' ' {
				return i + 2
			}
		case "。"[0], "！"[0]:
			if strings.HasPrefix(rest, "。") || strings.HasPrefix(rest, "！") || strings.HasPrefix(rest, "？") {
				return i + len("。")
			}
		}
	}
	return 0
}
