package jobs

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"edgesvc.dev/svc/daemon/internal/llm"
)

// openFence is the beginning of a code fence whose end was cut off.
var openFence = regexp.MustCompile("^\\s*```[a-zA-Z]*\\s*\n")

// whole ends what a model wrote, and had to break off, where it makes sense.
func whole(step, text string) string {
	text = openFence.ReplaceAllString(text, "")
	switch step {
	case stepContent:
		return wholeHTML(text)
	case stepTags:
		if i := strings.LastIndexAny(text, ",\n"); i > 0 {
			return text[:i]
		}
		return text
	}
	return llm.ToSentence(text)
}

var (
	anyTag   = regexp.MustCompile(`<[^<>]*>`)
	blockEnd = regexp.MustCompile(`^</(p|li|h[1-6]|blockquote|pre|ul|ol|table|tr|figure)`)
)

// wholeHTML ends an HTML text with its last sentence or block, all elements
// closed. Text that is not HTML is left to be read as Markdown.
func wholeHTML(text string) string {
	if !tagPattern.MatchString(text) {
		return llm.ToSentence(text)
	}
	if i := strings.LastIndexByte(text, '<'); i >= 0 && !strings.Contains(text[i:], ">") {
		text = text[:i]
	}
	// The same text with spaces for tags, and a new line where a block ends.
	plain := anyTag.ReplaceAllStringFunc(strings.ReplaceAll(text, "\n", " "), func(tag string) string {
		if blockEnd.MatchString(tag) {
			return "\n" + strings.Repeat(" ", len(tag)-1)
		}
		return strings.Repeat(" ", len(tag))
	})
	if end := llm.SentenceEnd(plain); end > 0 {
		text = text[:end]
	}
	nodes, err := html.ParseFragment(strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		return text
	}
	var b strings.Builder
	for _, n := range nodes {
		if err := html.Render(&b, n); err != nil {
			return text
		}
	}
	return b.String()
}
