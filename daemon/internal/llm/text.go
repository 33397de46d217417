package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// block is one paragraph, list item or heading of a document, as plain text.
type block struct {
	text    string
	heading bool
}

// blocks takes the readable text out of HTML. Plain text comes out as one block
// per line. Whatever carries a [to complete] mark is left out: it is a note to
// the author, not content.
func blocks(doc string) []block {
	var (
		out     []block
		current strings.Builder
		heading bool
		hidden  atom.Atom
	)
	flush := func() {
		text := strings.Join(strings.Fields(current.String()), " ")
		current.Reset()
		if text != "" && !strings.Contains(text, toComplete) {
			out = append(out, block{text: text, heading: heading})
		}
	}
	z := html.NewTokenizer(strings.NewReader(doc))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			flush()
			return out
		}
		token := z.Token()
		switch {
		case kind == html.TextToken && hidden == 0:
			lines := strings.Split(token.Data, "\n\n")
			for i, line := range lines {
				if i > 0 {
					flush()
				}
				current.WriteString(line)
			}
		case isHidden(token.DataAtom) && kind == html.StartTagToken:
			hidden = token.DataAtom
		case token.DataAtom == hidden && kind == html.EndTagToken:
			hidden = 0
		case isBlock(token.DataAtom):
			flush()
			heading = kind == html.StartTagToken && isHeading(token.DataAtom)
		}
	}
}

func isHidden(a atom.Atom) bool {
	return a == atom.Script || a == atom.Style || a == atom.Pre
}

func isHeading(a atom.Atom) bool {
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

func isBlock(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Li, atom.Ul, atom.Ol, atom.Div, atom.Section, atom.Article, atom.Blockquote, atom.Br,
		atom.Td, atom.Th, atom.Tr, atom.Table, atom.Figure, atom.Figcaption, atom.Header, atom.Footer, atom.Dt, atom.Dd, atom.Hr:
		return true
	}
	return isHeading(a)
}

// sentences splits a paragraph at ends of sentences, keeping the marks. A full
// stop counts only before a space, so that "v1.2" and "e.g.," stay whole.
func sentences(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch r {
		case '.', '!', '?':
			if end < len(text) && text[end] != ' ' {
				continue
			}
		case '。', '！', '？':
		default:
			continue
		}
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	if s := strings.TrimSpace(text[start:]); s != "" {
		out = append(out, s)
	}
	return out
}

// wordsOf gives the words of a text in lower case. A hyphen or an apostrophe
// inside a word belongs to it.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && r != '-' && r != '\'' && r != '’'
	})
}

// shorten cuts at a word, so that the result with its ellipsis has at most
// limit characters.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	cut := string([]rune(text)[:limit-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:–—-.") + "…"
}
