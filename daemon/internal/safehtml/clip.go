package safehtml

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"
)

// clip collects text on one line, up to a limit of characters.
type clip struct {
	limit  int
	text   []byte
	runes  int
	gap    bool // a space is due before the next character
	broken int  // length of text at the last gap
	full   bool
}

func (c *clip) space() { c.gap = len(c.text) > 0 }

func (c *clip) add(t string) {
	for len(t) > 0 && !c.full {
		r, size := rune(t[0]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(t)
		}
		t = t[size:]
		if r < utf8.RuneSelf && isSpace(byte(r)) || r >= utf8.RuneSelf && unicode.IsSpace(r) {
			c.space()
			continue
		}
		c.rune(r)
	}
}

func (c *clip) rune(r rune) {
	if c.text == nil {
		c.text = make([]byte, 0, min(c.limit, maxHeading)+utf8.UTFMax)
	}
	if c.gap {
		c.broken = len(c.text)
		c.runes++
		c.text = append(c.text, ' ')
		c.gap = false
	}
	if c.runes >= c.limit {
		c.full = true
		return
	}
	c.runes++
	c.text = utf8.AppendRune(c.text, r)
}

// String is the text, cut between words with an ellipsis when it was too long.
func (c *clip) String() string {
	if !c.full {
		return string(c.text)
	}
	cut := c.text
	if c.broken > len(cut)*2/3 {
		cut = cut[:c.broken]
	} else if _, size := utf8.DecodeLastRune(cut); size > 0 {
		cut = cut[:len(cut)-size]
	}
	return string(bytes.TrimRight(cut, " ,;:.-–—、。，")) + "…"
}

// everything lets a clip read all text, headings and code included.
type everything struct{ *clip }

func (e everything) text(t string) { e.add(t) }

func (e everything) tag(a atom.Atom, _ bool) {
	if isBlock(a) || a == atom.Br {
		e.space()
	}
}
