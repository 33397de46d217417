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
func compare(question []string, title, content string) match {
	inTitle := have(question, title)
	var found []passage
	var heading []bool
	eachPassage(content, func(text string, head bool) {
		in := have(question, text)
		if head {
			heading = in
			return
		}
		p := passage{text: text, at: len(found)}
		for i := range question {
			if in[i] {
				p.own++
			}
			if in[i] || inTitle[i] || heading != nil && heading[i] {
				p.all++
			}
		}
		found = append(found, p)
	})
	slices.SortFunc(found, func(a, b passage) int {
		return cmp.Or(cmp.Compare(b.all, a.all), cmp.Compare(b.own, a.own), cmp.Compare(a.at, b.at))
	})
	return summarize(found, count(inTitle), len(question))
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

// have says which terms of the question a text has. Only words that begin as one
// of them are stemmed: that changes no first letter.
func have(question []string, text string) []bool {
	in := make([]bool, len(question))
	var begins [256]bool
	for _, asked := range question {
		begins[asked[0]] = true
	}
	likely := func(word string) string {
		if !begins[word[0]] {
			return ""
		}
		return stem(word)
	}
	eachTerm(text, likely, func(word string) {
		if word == "" {
			return
		}
		for i, asked := range question {
			in[i] = in[i] || same(asked, word)
		}
	})
	return in
}

func count(in []bool) (n int) {
	for _, yes := range in {
		if yes {
			n++
		}
	}
	return n
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
	text, best := line[:maxPassage], 0
	for _, mark := range []string{". ", "! ", "? ", "。", "！", "？"} {
		if i := strings.LastIndex(text, mark); i >= 0 {
			best = max(best, i+len(mark))
		}
	}
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
