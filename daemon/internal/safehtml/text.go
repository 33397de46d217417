package safehtml

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"edgesvc.dev/svc/sdk/anchor"
)

// Heading is a heading of a document, in its order.
type Heading struct {
	Level int // 1 to 6
	Text  string
	ID    string // what a link's fragment names; see package anchor
}

// Headings returns the headings of src that have text, with the ids that they
// have on a page.
func Headings(src string) []Heading {
	return slices.DeleteFunc(Outline(src), func(h Heading) bool { return h.Text == "" })
}

// Outline returns every heading of src. Those without text have only the id that
// their author gave them.
func Outline(src string) []Heading {
	var h headings
	scan(src, &h)
	h.end()
	for i, found := range h.found {
		if found.ID == "" && found.Text != "" {
			h.found[i].ID = h.names.Next(found.Text)
		}
	}
	return h.found
}

type headings struct {
	found []Heading
	names anchor.Names
	level int    // of the heading being read, 0 outside one
	id    string // of the heading being read, by its author
	given string // to the tag that comes next
	line  clip
}

func (h *headings) text(t string) {
	if h.level > 0 {
		h.line.add(t)
	}
}

// mark notes an id of the author's.
func (h *headings) mark(id string) {
	if h.given = id; id != "" {
		h.names.Take(id)
	}
}

func (h *headings) tag(a atom.Atom, opens bool) {
	level := headingLevel(a)
	if level == 0 {
		if h.level > 0 && (isBlock(a) || a == atom.Br) {
			h.line.space()
		}
		h.given = ""
		return
	}
	h.end()
	if opens {
		h.level, h.id = level, h.given
	}
	h.given = ""
}

// end is where a heading ends.
func (h *headings) end() {
	if h.level > 0 {
		h.found = append(h.found, Heading{Level: h.level, Text: h.line.String(), ID: h.id})
	}
	h.level, h.line = 0, clip{limit: maxHeading}
}

const maxHeading = 300

// Text is the text of src as plain lines: one for each paragraph, heading, list
// item or table row, code blocks as they are.
func Text(src string) string {
	var p plain
	scan(src, &p)
	p.flush()
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
