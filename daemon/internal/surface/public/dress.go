package public

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"edgesvc.dev/svc/daemon/internal/safehtml"
)

// dress fits sanitised content into the page: its headings come below the title
// without gaps and have ids and a link to them, and what is wider than a phone
// scrolls by itself and can be reached with the keyboard.
func dress(content string) string {
	d := dresser{outline: safehtml.Outline(content), last: 1}
	d.shift = shift(d.outline)
	d.out.Grow(len(content) + 256)
	eachToken(content, d.token)
	return d.out.String()
}

// shift is what makes the highest heading of the content a second-level one.
func shift(outline []safehtml.Heading) int {
	highest := 6
	for _, h := range outline {
		if h.Text != "" {
			highest = min(highest, h.Level)
		}
	}
	return 2 - highest
}

type dresser struct {
	out     strings.Builder
	colours highlighter
	block   *codeBlock         // the code that is being read, nil outside one
	outline []safehtml.Heading // what is to come
	id      string             // of the heading that was opened last
	pre     bool               // the tag before opened a pre
	shift   int
	last    int   // level of the heading before; 1 is the page's title
	open    []int // levels of the headings that wait for their end tag
}

func (d *dresser) token(t html.Token) {
	opens := t.Type == html.StartTagToken
	if d.block != nil && d.read(t) {
		return
	}
	switch {
	case t.DataAtom == atom.Code && opens && d.pre:
		d.block = &codeBlock{language: languageOf(t)}
		d.out.WriteString(t.String())
	case t.DataAtom == atom.Table && opens:
		d.out.WriteString(`<div class="scroll" role="region" aria-label="Table" tabindex="0">` + t.String())
	case t.DataAtom == atom.Table:
		d.out.WriteString(t.String() + `</div>`)
	case t.DataAtom == atom.Pre && opens:
		t.Attr = append(t.Attr, html.Attribute{Key: "tabindex", Val: "0"})
		d.out.WriteString(t.String())
		d.pre = true
		return
	case isHeading(t):
		d.heading(t, opens)
	default:
		d.out.WriteString(t.String())
	}
	d.pre = false
}

// codeBlock is the text of a code element directly in a pre.
type codeBlock struct {
	language string
	text     strings.Builder
}

func languageOf(t html.Token) string {
	for _, a := range t.Attr {
		if name, ok := strings.CutPrefix(a.Val, "language-"); ok && a.Key == "class" {
			return name
		}
	}
	return ""
}

// read takes what is in a block of code, and reports whether it did: markup in
// it is its author's own colouring, and stays.
func (d *dresser) read(t html.Token) bool {
	if t.Type == html.TextToken {
		d.block.text.WriteString(t.Data)
		return true
	}
	text, plain := d.block.text.String(), t.Type == html.EndTagToken && t.DataAtom == atom.Code
	coloured, ok := "", false
	if plain && d.block.language != "" {
		coloured, ok = d.colours.code(d.block.language, text)
	}
	if !ok {
		coloured = html.EscapeString(text)
	}
	d.out.WriteString(coloured)
	d.block = nil
	return false
}

func isHeading(t html.Token) bool {
	return t.Type != html.TextToken && len(t.Data) == 2 && t.Data[0] == 'h' && '1' <= t.Data[1] && t.Data[1] <= '6'
}

func (d *dresser) heading(t html.Token, opens bool) {
	if opens {
		level := max(2, min(int(t.Data[1]-'0')+d.shift, d.last+1, 6))
		d.open = append(d.open, level)
		d.last = level
		d.identify(&t)
	}
	innermost := len(d.open) - 1
	t.Data = "h" + strconv.Itoa(d.open[innermost])
	t.DataAtom = 0
	if !opens {
		d.open = d.open[:innermost]
		d.link()
	}
	d.out.WriteString(t.String())
}

// identify gives a heading the id that the outline has for it.
func (d *dresser) identify(t *html.Token) {
	d.id = ""
	if len(d.outline) == 0 {
		return
	}
	h := d.outline[0]
	d.outline = d.outline[1:]
	if h.Text == "" || h.ID == "" {
		return
	}
	d.id = h.ID
	if !slices.ContainsFunc(t.Attr, func(a html.Attribute) bool { return a.Key == "id" }) {
		t.Attr = append(t.Attr, html.Attribute{Key: "id", Val: h.ID})
	}
}

// link ends a heading with a link to it.
func (d *dresser) link() {
	if d.id == "" {
		return
	}
	d.out.WriteString(` <a class="anchor" href="#` + html.EscapeString(url.PathEscape(d.id)) + `" aria-label="Link to this section">#</a>`)
	d.id = ""
}

// absolute makes the addresses of sanitised content whole, for readers that show
// it elsewhere.
func absolute(content string, s site) string {
	var out strings.Builder
	out.Grow(len(content) + 256)
	eachToken(content, func(t html.Token) {
		for i, a := range t.Attr {
			if a.Key == "href" || a.Key == "src" {
				t.Attr[i].Val = s.Abs(a.Val)
			}
		}
		out.WriteString(t.String())
	})
	return out.String()
}

// eachToken reads content that was sanitised, and so is well-formed.
func eachToken(content string, f func(html.Token)) {
	z := html.NewTokenizer(strings.NewReader(content))
	for z.Next() != html.ErrorToken {
		f(z.Token())
	}
}
