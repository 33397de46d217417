package safehtml

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Heading is a heading of a document, in its order.
type Heading struct {
	Level int // 1 to 6
	Text  string
}

// Headings returns the headings of src that have text.
func Headings(src string) []Heading {
	var h headings
	scan(src, &h)
	return h.found
}

type headings struct {
	found []Heading
	level int // of the heading being read, 0 outside one
	line  clip
}

func (h *headings) text(t string) {
	if h.level > 0 {
		h.line.add(t)
	}
}

func (h *headings) tag(a atom.Atom, opens bool) {
	level := headingLevel(a)
	if level == 0 {
		if h.level > 0 && (isBlock(a) || a == atom.Br) {
			h.line.space()
		}
		return
	}
	if h.level > 0 && len(h.line.text) > 0 {
		h.found = append(h.found, Heading{Level: h.level, Text: h.line.String()})
	}
	h.level, h.line = 0, clip{limit: maxHeading}
	if opens {
		h.level = level
	}
}

const maxHeading = 300

// Text is the text of src as plain lines: one for each paragraph, heading, list
// item or table row, code blocks as they are.
func Text(src string) string {
	var p plain
	scan(src, &p)
	return strings.TrimSpace(p.out.String())
}

type plain struct {
	out  strings.Builder
	line clip
	pre  int // depth of pre elements
}

func (p *plain) text(t string) {
	if p.pre > 0 {
		p.out.WriteString(t)
		return
	}
	p.line.limit = len(p.line.text) + 2*len(t) + 1
	p.line.add(t)
}

func (p *plain) tag(a atom.Atom, opens bool) {
	switch {
	case a == atom.Td || a == atom.Th:
		p.line.space()
	case a == atom.Pre && opens:
		p.flush()
		p.pre++
	case a == atom.Pre && p.pre > 0:
		p.pre--
		p.out.WriteByte('\n')
	case isBlock(a) || a == atom.Br:
		p.flush()
	}
}

func (p *plain) flush() {
	if len(p.line.text) > 0 {
		p.out.Write(p.line.text)
		p.out.WriteByte('\n')
	}
	p.line = clip{text: p.line.text[:0]}
}
