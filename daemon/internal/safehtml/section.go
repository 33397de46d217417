package safehtml

import (
	"slices"
	"strings"

	"golang.org/x/net/html/atom"
)

// Section is a part of a document: what is between a heading and the next one,
// or before the first.
type Section struct {
	// Path is the headings above it, outermost first, and its own; nil before the
	// first heading.
	Path []string
	// Source is its HTML without the heading. Elements that began before it or end
	// behind it are cut.
	Source string
}

// Text is the text of the section. It is in Text of the document.
func (s *Section) Text() string { return Text(s.Source) }

// Sections cuts a document at its headings that have text. What is before the
// first is a section only if it has text.
func Sections(src string) []Section {
	c := cutter{src: src}
	for rest := src; ; {
		i := strings.IndexByte(rest, '<')
		if i < 0 {
			break
		}
		at := len(src) - len(rest) + i
		c.seen, c.opens = 0, false
		rest = markup(rest[i:], &c)
		c.pass(at, len(src)-len(rest))
	}
	c.endHeading(len(src), len(src))
	c.add(len(src))
	return c.found
}

// cutter follows the tags of a document.
type cutter struct {
	src   string
	found []Section

	seen  atom.Atom // the tag that was read last
	opens bool
	pre   int // depth of pre elements, in which a heading is text

	level, start, inner int // of the heading that is being read; level 0 outside one
	body                int // where the section's text begins
	above               []titled
}

type titled struct {
	level int
	text  string
}

func (c *cutter) text(string) {}

func (c *cutter) tag(a atom.Atom, opens bool) { c.seen, c.opens = a, opens }

// pass takes the tag that was read, which is from at to end.
func (c *cutter) pass(at, end int) {
	switch level := headingLevel(c.seen); {
	case c.seen == atom.Pre && c.opens:
		c.pre++
	case c.seen == atom.Pre && c.pre > 0:
		c.pre--
	case level > 0 && c.pre == 0:
		c.endHeading(at, end)
		if c.opens {
			c.level, c.start, c.inner = level, at, end
			return
		}
		c.level = 0
	}
}

// endHeading begins a section behind the heading that is being read, which ends at
// the tag from at to end.
func (c *cutter) endHeading(at, end int) {
	if c.level == 0 {
		return
	}
	line := clip{limit: maxHeading}
	scan(c.src[c.inner:at], everything{&line})
	if len(line.text) == 0 {
		c.level = 0
		return
	}
	c.add(c.start)
	for len(c.above) > 0 && c.above[len(c.above)-1].level >= c.level {
		c.above = c.above[:len(c.above)-1]
	}
	c.above = append(c.above, titled{c.level, line.String()})
	switch {
	case line.full: // more than a heading: none of it is lost
		c.body = c.inner
	case c.opens: // it was never closed
		c.body = at
	default:
		c.body = end
	}
	c.level = 0
}

// add ends the section at end.
func (c *cutter) add(end int) {
	s := Section{Source: c.src[min(c.body, end):end]}
	if len(c.above) == 0 && s.Text() == "" {
		return
	}
	for _, h := range c.above {
		s.Path = append(s.Path, h.text)
	}
	s.Path = slices.Clip(s.Path)
	c.found = append(c.found, s)
}

// Anchors are the ids that the headings of a document's sections have on a page, ""
// for a section without a heading.
func Anchors(src string, secs []Section) []string {
	headings := Headings(src)
	ids := make([]string, len(secs))
	for i, s := range secs {
		if len(s.Path) == 0 {
			continue
		}
		own := s.Path[len(s.Path)-1]
		for len(headings) > 0 && headings[0].Text != own { // inside code, say
			headings = headings[1:]
		}
		if len(headings) > 0 {
			ids[i], headings = headings[0].ID, headings[1:]
		}
	}
	return ids
}
